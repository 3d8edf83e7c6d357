#ifndef SERIALSCAN_CZXING_SHIM_H
#define SERIALSCAN_CZXING_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Codes that `serialscan_zxing_read` found.
enum serialscan_symbology {
  SERIALSCAN_OTHER = 0,
  SERIALSCAN_QR_CODE = 1,
  SERIALSCAN_MICRO_QR_CODE = 2,
  SERIALSCAN_DATA_MATRIX = 3,
  SERIALSCAN_CODE_128 = 4,
  SERIALSCAN_CODE_39 = 5,
};

/// One code. The text belongs to the library and is valid during the callback only.
struct serialscan_code {
  /// UTF-8, not terminated.
  const char *text;
  size_t text_length;
  enum serialscan_symbology symbology;
  /// x and y of top left, top right, bottom right and bottom left in the code's own orientation; pixels.
  int corners[8];
  /// Whether the code starts with the character FNC1, which marks GS1 element strings.
  bool is_gs1;
};

typedef void (*serialscan_code_callback)(const struct serialscan_code *code, void *context);

/// Reads the QR and Data Matrix codes of a grayscale picture, and if `linear` is true also its Code 128 and Code 39
/// codes, and calls back once for each.
///
/// Throws no C++ exception. Returns the number of codes, or -1 if the library failed (also if out of memory or an
/// assertion failed).
int serialscan_zxing_read(const uint8_t *pixels, int width, int height, int row_stride, int most, bool linear,
                          serialscan_code_callback callback, void *context);

/// Whether a failed assertion of the library ends only its read, and not the process.
bool serialscan_assertions_are_caught(void);
#ifdef __cplusplus
}
#endif
#endif
