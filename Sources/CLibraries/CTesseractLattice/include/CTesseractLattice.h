#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One candidate character at one time step of the recogniser's output.
struct serialscan_lattice_choice {
  /// Index of the word, of the character within the word as segmented by the recogniser (a space before the word counts
  /// as one), and of the time step within that character.
  int32_t word, part, step;
  /// Its first byte in UTF-8: 0 for no character (the blank of connectionist temporal classification), 255 for a character that is not ASCII.
  uint8_t character;
  /// 0...1.
  float probability;
};

/// Lists the candidates at each time step of the line recognised last, in order. Requires `lstm_choice_mode` 1.
///
/// Writes only to the caller's memory, and throws no C++ exception.
///
/// - Parameters:
///   - iterator: A `TessResultIterator` of that line; this moves it to the end.
///   - choices: Room for `most` choices.
/// - Returns: The number of choices written; -1 if there are none or more than `most`, or if the library failed.
int32_t serialscan_lattice(void *iterator, struct serialscan_lattice_choice *choices, int32_t most);

#ifdef __cplusplus
}
#endif
