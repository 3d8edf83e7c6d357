#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Linking this module makes Tesseract faster without changing its results: when engines start
// (no_universal_ambiguities.c), and for every line (lines_not_compressed.c, layers_in_one_pass.cpp, one_thread.c). No
// calls are necessary.

/// Whether Tesseract's engines start without loading ambiguities: the symbol resolves to the replacement, and the
/// library still has a function of that name.
bool tesseract_starts_without_ambiguities(void);

/// Whether Tesseract passes lines to its recogniser uncompressed, by the same two criteria.
bool tesseract_does_not_compress_lines(void);

/// Whether this program's implementation of Tesseract's network layers is used: the symbols resolve to it, and its
/// results equalled the library's on a small picture at the start of the program and on the first lines read.
bool tesseract_layers_take_one_pass(void);

/// Whether a line is read on the calling thread alone, without OpenMP: the symbols resolve to this program's
/// replacement.
bool tesseract_reads_on_one_thread(void);

#ifdef __cplusplus
}
#endif
