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
  /// x and y of top left, top right, bottom right, bottom left, as the code is read; pixels.
  int corners[8];
  /// Whether the character FNC1 at its beginning says that it holds GS1's element strings.
  bool is_gs1;
};

typedef void (*serialscan_code_callback)(const struct serialscan_code *code, void *context);

/// Reads QR, Data Matrix, Code 128 and Code 39 codes of a gray picture and calls back once for each.
///
/// No C++ exception leaves it. Returns the number of codes, or -1 where the library failed (out of memory and failed assertions among it).
int serialscan_zxing_read(const uint8_t *pixels, int width, int height, int row_stride, int most,
                          serialscan_code_callback callback, void *context);

/// Whether a failed assertion of the library ends its read in this program, instead of the process.
bool serialscan_assertions_are_caught(void);
#ifdef __cplusplus
}
#endif
#endif
