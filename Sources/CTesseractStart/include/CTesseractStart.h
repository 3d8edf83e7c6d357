#pragma once

#include <stdbool.h>

// Nothing that must be called: linked into a program, this module takes work out of the start of Tesseract's engines
// (no_universal_ambiguities.c).

/// Whether Tesseract's engines start without the ambiguities in this program: whether its release knows their function by the name
/// that is replaced here.
bool tesseract_starts_without_ambiguities(void);
