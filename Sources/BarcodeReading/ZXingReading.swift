import CZXingShim
import Imaging

/// Reads codes with ZXing-C++.
enum ZXingReading {
  /// Finds the codes of a picture, at most `most`; an empty array if the library failed.
  ///
  /// - Parameter linear: Whether linear codes count. Looking for them takes half of the time.
  static func codes(in picture: GrayPicture, most: Int, linear: Bool = true) -> [Barcode] {
    guard let (width, height) = picture.sizeForC else { return [] }
    let found = Collected()
    _ = picture.pixels.withUnsafeBufferPointer { pixels in
      serialscan_zxing_read(
        pixels.baseAddress, width, height, width, Int32(min(most, 255)), linear,
        { code, context in
          guard let code, let context else { return }
          Unmanaged<Collected>.fromOpaque(context).takeUnretainedValue().add(code.pointee)
        }, Unmanaged.passUnretained(found).toOpaque())
    }
    return found.codes
  }

  private final class Collected {
    var codes: [Barcode] = []

    func add(_ code: serialscan_code) {
      guard let symbology = symbology(code.symbology), let text = code.text else { return }
      let bytes = UnsafeRawBufferPointer(start: text, count: code.text_length)
      let c = code.corners
      let corners = [(c.0, c.1), (c.2, c.3), (c.4, c.5), (c.6, c.7)].map { x, y in
        Barcode.Corner(x: Double(x), y: Double(y))
      }
      codes.append(
        Barcode(
          text: String(decoding: bytes, as: UTF8.self), symbology: symbology, corners: corners, libraries: .zxing,
          isGS1: code.is_gs1))
    }

    private func symbology(_ value: serialscan_symbology) -> Barcode.Symbology? {
      switch value {
      case SERIALSCAN_QR_CODE: .qrCode
      case SERIALSCAN_MICRO_QR_CODE: .microQRCode
      case SERIALSCAN_DATA_MATRIX: .dataMatrix
      case SERIALSCAN_CODE_128: .code128
      case SERIALSCAN_CODE_39: .code39
      default: nil
      }
    }
  }
}

extension GrayPicture {
  /// Width and height as C integers; nil for an empty picture.
  var sizeForC: (width: Int32, height: Int32)? {
    guard let width = Int32(exactly: width), let height = Int32(exactly: height), width > 0, height > 0 else {
      return nil
    }
    return (width, height)
  }
}
