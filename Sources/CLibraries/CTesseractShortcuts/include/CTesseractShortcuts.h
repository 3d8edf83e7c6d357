#pragma once

#include <stdbool.h>

// Nothing that must be called: linked into a program, this module takes work out of Tesseract that says nothing about what is read:
// of the start of its engines (no_universal_ambiguities.c), and of every line (lines_not_compressed.c).

/// Whether Tesseract's engines start without the ambiguities in this program: whether the replacement is found first, and the
/// library still has a function of that name.
bool tesseract_starts_without_ambiguities(void);

/// Whether Tesseract hands its lines on as they are in this program, by the same two signs.
bool tesseract_does_not_compress_lines(void);
