#include "CZXingShim.h"

#define ZX_USE_UTF8 1
#include <ReadBarcode.h>

#include "failed_assertions.h"

#include <algorithm>
#include <cstdlib>

// Whether two results are the same code, as in zxing-cpp 1.4, but for any number of scan lines.
//
// Debian builds the library with assertions. The one in this function (`lineCount() == 1`) ends the process if a linear
// code found on several lines is found again in a reduced or inverted copy of the picture. The library calls the
// function through its symbol table, so this definition replaces it.
bool ZXing::Result::operator==(const Result &other) const {
  if (format() != other.format()) return false;
  const bool isLinear = BarcodeFormats(BarcodeFormat::LinearCodes).testFlag(format());
  if (bytes() != other.bytes() && (isLinear || (isValid() && other.isValid()))) return false;
  if (!isLinear) return IsInside(Center(other.position()), position());
  if (orientation() != other.orientation()) return false;
  const bool isSingle = lineCount() == 1;
  const auto &single = (isSingle ? *this : other).position();
  const auto &several = (isSingle ? other : *this).position();
  const auto span = [](const PointI &a, const PointI &b) { return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y)); };
  const auto top = span(several.topLeft(), single.topLeft());
  const auto bottom = span(several.bottomLeft(), single.topLeft());
  return std::min(top, bottom) < span(single.topLeft(), single.bottomRight()) / 2;
}

namespace {

serialscan_symbology symbology(ZXing::BarcodeFormat format) noexcept {
  switch (format) {
  case ZXing::BarcodeFormat::QRCode: return SERIALSCAN_QR_CODE;
  case ZXing::BarcodeFormat::MicroQRCode: return SERIALSCAN_MICRO_QR_CODE;
  case ZXing::BarcodeFormat::DataMatrix: return SERIALSCAN_DATA_MATRIX;
  case ZXing::BarcodeFormat::Code128: return SERIALSCAN_CODE_128;
  case ZXing::BarcodeFormat::Code39: return SERIALSCAN_CODE_39;
  default: return SERIALSCAN_OTHER;
  }
}

// Returns false if an assertion of the library failed. This frame must contain no object with a destructor.
bool read(const ZXing::ImageView &view, const ZXing::DecodeHints &hints, ZXing::Results &results) {
  std::jmp_buf place;
  if (setjmp(place) != 0) {
    serialscan_assertion_exit = nullptr;
    return false;
  }
  serialscan_assertion_exit = &place;
  results = ZXing::ReadBarcodes(view, hints);
  serialscan_assertion_exit = nullptr;
  return true;
}

}  // namespace

extern "C" int serialscan_zxing_read(const uint8_t *pixels, int width, int height, int row_stride, int most, bool linear,
                                     serialscan_code_callback callback, void *context) {
  if (!pixels || width <= 0 || height <= 0 || row_stride < width || most <= 0 || !callback) return -1;
  try {
    ZXing::DecodeHints hints;
    const auto lines = ZXing::BarcodeFormat::Code128 | ZXing::BarcodeFormat::Code39;
    auto formats = ZXing::BarcodeFormat::QRCode | ZXing::BarcodeFormat::MicroQRCode | ZXing::BarcodeFormat::DataMatrix;
    if (linear) formats |= lines;
    hints.setFormats(formats);
    hints.setMaxNumberOfSymbols(static_cast<uint8_t>(std::min(most, 255)));
    const ZXing::ImageView view(pixels, width, height, ZXing::ImageFormat::Lum, row_stride);
    int found = 0;
    ZXing::Results results;
    if (!read(view, hints, results)) {
      // The known failing assertion is in the search for square codes, so linear codes can still be found.
      hints.setFormats(lines);
      if (!linear || !read(view, hints, results)) return -1;
    }
    for (const auto &result : results) {
      if (!result.isValid()) continue;
      const std::string text = result.text();
      const auto &place = result.position();
      const serialscan_code code = {
          text.data(),
          text.size(),
          symbology(result.format()),
          {place.topLeft().x, place.topLeft().y, place.topRight().x, place.topRight().y, place.bottomRight().x,
           place.bottomRight().y, place.bottomLeft().x, place.bottomLeft().y},
          result.contentType() == ZXing::ContentType::GS1,
      };
      callback(&code, context);
      ++found;
    }
    return found;
  } catch (...) {
    serialscan_assertion_exit = nullptr;
    return -1;
  }
}
