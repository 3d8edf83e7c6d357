#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One character that one time step of the recogniser's output may be.
struct serialscan_lattice_choice {
  /// Index of the word, of the character within the word as the recogniser parts them (a space before the word is one of them), and of the
  /// time step within that character.
  int32_t word, part, step;
  /// Its first byte in UTF-8: 0 for no character (the blank of connectionist temporal classification), 255 for a character that is not ASCII.
  uint8_t character;
  /// 0...1.
  float probability;
};

/// Lists what each time step of a line that was just recognised may be, in order. Needs `lstm_choice_mode` 1.
///
/// It writes to the caller's memory alone, and no C++ exception leaves it.
///
/// - Parameters:
///   - iterator: A `TessResultIterator` of that line; it is moved to its end.
///   - choices: Room for `most` choices.
/// - Returns: How many were written, or -1 where there are none, or more than `most`, or the library failed.
int32_t serialscan_lattice(void *iterator, struct serialscan_lattice_choice *choices, int32_t most);

#ifdef __cplusplus
}
#endif
