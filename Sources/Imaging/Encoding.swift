import CLeptonica

extension GrayPicture {
  /// The picture as a PNG file; nil where memory ran out.
  public func png() -> [UInt8]? {
    Pix.make(from: self)?.encoded { pixWriteMemPng($0, $1, $2, 0) }
  }

  /// The picture as a JPEG file of the given quality (1...100); nil where memory ran out.
  public func jpeg(quality: Int) -> [UInt8]? {
    Pix.make(from: self)?.encoded { pixWriteMemJpeg($0, $1, $2, Int32(quality), 0) }
  }
}

extension Pix {
  /// The bytes that a function of Leptonica's writes of this picture; nil where memory ran out.
  func encoded(
    _ write: (
      UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>, UnsafeMutablePointer<PIX>
    ) -> Int32
  ) -> [UInt8]? {
    var data: UnsafeMutablePointer<UInt8>?
    var size = 0
    guard write(&data, &size, pointer) == 0, let data else { return nil }
    defer { lept_free(data) }
    return [UInt8](UnsafeBufferPointer(start: data, count: size))
  }
}
