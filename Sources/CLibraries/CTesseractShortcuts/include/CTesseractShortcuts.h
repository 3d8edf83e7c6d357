#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Nothing that must be called: linked into a program, this module takes work out of Tesseract that says nothing about what is read:
// of the start of its engines (no_universal_ambiguities.c), and of every line (lines_not_compressed.c, layers_in_one_pass.cpp,
// one_thread.c).

/// Whether Tesseract's engines start without the ambiguities in this program: whether the replacement is found first, and the
/// library still has a function of that name.
bool tesseract_starts_without_ambiguities(void);

/// Whether Tesseract hands its lines on as they are in this program, by the same two signs.
bool tesseract_does_not_compress_lines(void);

/// Whether the layers of Tesseract's networks are those of this program: whether they are found first, and gave the same as the
/// library's on a small picture when the program started, and on the first lines read.
bool tesseract_layers_take_one_pass(void);

/// Whether the thread that reads a line does so alone, without OpenMP: whether this program's replacement is found first.
bool tesseract_reads_on_one_thread(void);

#ifdef __cplusplus
}
#endif
