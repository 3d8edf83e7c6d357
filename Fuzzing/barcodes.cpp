// Fuzzes the barcode shim: for any pixels and any size, the codes' texts must be in valid memory, and no exception may
// be thrown.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "CZXingShim.h"

static void touch(const serialscan_code *code, void *context) {
  auto *sum = static_cast<uint64_t *>(context);
  for (size_t i = 0; i < code->text_length; i++) *sum += static_cast<uint8_t>(code->text[i]);
  for (int corner : code->corners) *sum += static_cast<uint64_t>(corner);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4) return 0;
  // The first bytes determine the width and the rows' padding; the other bits become pixels, so that bars are found
  // quickly.
  const int width = 1 + data[0] + 4 * data[1], padding = data[2] & 7;
  const bool asBits = data[3] & 1;
  data += 4;
  size -= 4;
  std::vector<uint8_t> pixels;
  if (asBits) {
    for (size_t i = 0; i < size; i++)
      for (int bit = 0; bit < 8; bit++) pixels.push_back((data[i] >> bit) & 1 ? 255 : 0);
  } else {
    pixels.assign(data, data + size);
  }
  const int stride = width + padding;
  const int height = static_cast<int>(pixels.size() / stride);
  if (height < 1) return 0;
  uint64_t sum = 0;
  if (serialscan_zxing_read(pixels.data(), width, height, stride, 50, true, touch, &sum) < -1) std::abort();
  return 0;
}
