import CZBar
import Imaging

/// Reads codes with zbar.
enum ZBarReading {
  /// `fourcc('Y','8','0','0')`, the only format zbar scans: one byte of gray per pixel.
  private static let y800: UInt = 0x3030_3859

  /// Finds the codes of a picture, at most `most`.
  static func codes(in picture: GrayPicture, most: Int) -> [Barcode] {
    guard picture.sizeForC != nil, let scanner = zbar_image_scanner_create() else { return [] }
    defer { zbar_image_scanner_destroy(scanner) }
    zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
    for type in [ZBAR_QRCODE, ZBAR_CODE128, ZBAR_CODE39] {
      zbar_image_scanner_set_config(scanner, type, ZBAR_CFG_ENABLE, 1)
    }
    // Without binary mode zbar guesses an encoding and mangles UTF-8.
    zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
    guard let image = zbar_image_create() else { return [] }
    defer { zbar_image_destroy(image) }
    return picture.pixels.withUnsafeBytes { pixels in
      zbar_image_set_format(image, y800)
      zbar_image_set_size(image, UInt32(picture.width), UInt32(picture.height))
      zbar_image_set_data(image, pixels.baseAddress, UInt(pixels.count), nil)
      guard zbar_scan_image(scanner, image) > 0 else { return [] }
      var found: [Barcode] = []
      var symbol = zbar_image_first_symbol(image)
      while let current = symbol, found.count < most {
        if let code = barcode(current) { found.append(code) }
        symbol = zbar_symbol_next(current)
      }
      return found
    }
  }

  private static func barcode(_ symbol: OpaquePointer) -> Barcode? {
    let symbology: Barcode.Symbology
    switch zbar_symbol_get_type(symbol) {
    case ZBAR_QRCODE: symbology = .qrCode
    case ZBAR_CODE128: symbology = .code128
    case ZBAR_CODE39: symbology = .code39
    default: return nil
    }
    guard let data = zbar_symbol_get_data(symbol) else { return nil }
    let bytes = UnsafeRawBufferPointer(start: data, count: Int(zbar_symbol_get_data_length(symbol)))
    return Barcode(
      text: String(decoding: bytes, as: UTF8.self), symbology: symbology, corners: boundingBox(symbol),
      libraries: .zbar, isGS1: zbar_symbol_get_modifiers(symbol) & 1 << ZBAR_MOD_GS1.rawValue != 0)
  }

  /// The box around all points that zbar kept: a QR code's corners, or the points where scan lines crossed a linear
  /// code.
  private static func boundingBox(_ symbol: OpaquePointer) -> [Barcode.Corner] {
    let points = (0..<zbar_symbol_get_loc_size(symbol)).map { index in
      (x: Double(zbar_symbol_get_loc_x(symbol, index)), y: Double(zbar_symbol_get_loc_y(symbol, index)))
    }
    guard let first = points.first else { return [] }
    let box = points.reduce((left: first.x, top: first.y, right: first.x, bottom: first.y)) { box, point in
      (min(box.left, point.x), min(box.top, point.y), max(box.right, point.x), max(box.bottom, point.y))
    }
    return [
      Barcode.Corner(x: box.left, y: box.top), Barcode.Corner(x: box.right, y: box.top),
      Barcode.Corner(x: box.right, y: box.bottom), Barcode.Corner(x: box.left, y: box.bottom),
    ]
  }
}
