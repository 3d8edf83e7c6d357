import CLeptonica
import CWebP
import PictureHeader

/// Decodes WebP pictures with libwebp.
enum WebPDecoder {
  /// The number of bytes at the end of the coded data that are withheld at first. Encoders pad their data with fewer.
  private static let withheld = 16

  /// Decodes a file; nil if it can't be decoded.
  ///
  /// libwebp reports data that end before the picture does, but not data that continue after it. So the last bytes are
  /// withheld at first: if the picture is complete without them, the decoder lost its place in damaged data.
  static func decoded(_ bytes: [UInt8]) -> (picture: Pix, isDamaged: Bool)? {
    var features = WebPBitstreamFeatures()
    guard WebPGetFeatures(bytes, bytes.count, &features) == VP8_STATUS_OK,
      let picture = Pix({ pixCreate(features.width, features.height, 32) }), let data = pixGetData(picture.pointer)
    else { return nil }
    if features.has_alpha != 0 { pixSetSpp(picture.pointer, 4) }
    let stride = Int(pixGetWpl(picture.pointer)) * 4
    let size = stride * picture.height
    let status = data.withMemoryRebound(to: UInt8.self, capacity: size) { pixels -> (VP8StatusCode, isDamaged: Bool)? in
      guard let decoder = WebPINewRGB(MODE_RGBA, pixels, size, Int32(clamping: stride)) else { return nil }
      defer { WebPIDelete(decoder) }
      let end = PictureHeader.endOfWebPData(in: bytes) ?? bytes.count
      if WebPIUpdate(decoder, bytes, max(0, end - withheld)) == VP8_STATUS_OK { return (VP8_STATUS_OK, true) }
      if WebPIUpdate(decoder, bytes, end) == VP8_STATUS_OK { return (VP8_STATUS_OK, false) }
      return (WebPIUpdate(decoder, bytes, bytes.count), true)
    }
    guard let status, status.0 == VP8_STATUS_OK else { return nil }
    pixEndianByteSwap(picture.pointer)
    return (picture, status.isDamaged)
  }
}
