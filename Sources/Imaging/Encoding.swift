import CLeptonica

extension GrayPicture {
  /// Encodes the picture as a PNG file; nil if memory ran out.
  public func png() -> [UInt8]? {
    Pix.make(from: self)?.encoded { pixWriteMemPng($0, $1, $2, 0) }
  }

  /// Encodes the picture as a JPEG file of the given quality (1...100); nil if memory ran out.
  public func jpeg(quality: Int) -> [UInt8]? {
    Pix.make(from: self)?.encoded { pixWriteMemJpeg($0, $1, $2, Int32(quality), 0) }
  }
}

extension Pix {
  /// The bytes that a Leptonica function writes for this picture; nil if memory ran out.
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
