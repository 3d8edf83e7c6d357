/// What a picture's first bytes say of it; found in plain Swift, without decoding and without a C library.
///
/// Only the bytes decide, never a file name or a content type. A prefix of the file is enough as long as it holds the
/// header; for JPEG with large metadata that can be some hundred kilobytes.
public struct PictureHeader: Sendable, Equatable {
  /// The file formats that can be decoded.
  public enum Format: String, Sendable, CaseIterable {
    /// Baseline or progressive JPEG.
    case jpeg
    /// PNG.
    case png
    /// WebP: lossy, lossless or extended.
    case webp
    /// TIFF, either byte order.
    case tiff
    /// HEIC or HEIF still pictures.
    case heic
  }

  /// The file format.
  public var format: Format
  /// Pixels across, as stored.
  public var width: Int
  /// Pixels down, as stored.
  public var height: Int
  /// How the stored pixels must be turned to stand upright. Always `.up` for HEIC, whose decoder turns them itself.
  public var orientation: Orientation

  /// Width times height.
  public var pixelCount: Int { width * height }

  /// Reads the header of a picture.
  ///
  /// - Throws: `PictureError.notAPicture` where the magic bytes are of no supported format, `.damaged` where the format
  ///   is known but the header is cut off or says nonsense.
  public init(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    let reader = ByteReader(bytes: bytes)
    guard let format = Self.format(of: reader) else { throw .notAPicture }
    let found: (width: Int, height: Int, orientation: Orientation)? =
      switch format {
      case .jpeg: JPEGHeader.read(reader)
      case .png: PNGHeader.read(reader)
      case .webp: WebPHeader.read(reader)
      case .tiff: TIFFHeader.read(reader, from: 0).flatMap { $0.size }
      case .heic: HEICHeader.read(reader)
      }
    guard let found, found.width > 0, found.height > 0, found.width < 1 << 24, found.height < 1 << 24 else {
      throw .damaged("the \(format.rawValue.uppercased()) header gives no size")
    }
    self.format = format
    width = found.width
    height = found.height
    orientation = found.orientation
  }

  /// Reads the header of a picture that is in memory.
  public init(_ bytes: [UInt8]) throws(PictureError) {
    let result: Result<PictureHeader, PictureError> = bytes.withUnsafeBytes { raw in
      Result { () throws(PictureError) in try PictureHeader(raw) }
    }
    self = try result.get()
  }

  /// Throws `PictureError.tooManyPixels` where the picture has more pixels than `limit`.
  public func check(pixelLimit limit: Int) throws(PictureError) {
    if pixelCount > limit { throw .tooManyPixels(width: width, height: height, limit: limit) }
  }

  private static func format(of reader: ByteReader) -> Format? {
    if isPNG(reader) { return .png }
    if reader.byte(0) == 0xFF, reader.byte(1) == 0xD8, reader.byte(2) == 0xFF { return .jpeg }
    if reader.matches("RIFF", at: 0), reader.matches("WEBP", at: 8) { return .webp }
    if reader.matches("II*\u{0}", at: 0) || reader.matches("MM\u{0}*", at: 0) { return .tiff }
    if reader.matches("ftyp", at: 4), HEICHeader.hasStillBrand(reader) { return .heic }
    return nil
  }

  private static func isPNG(_ reader: ByteReader) -> Bool {
    // The first byte, 0x89, is no UTF-8, so it can't stand in a literal.
    reader.byte(0) == 0x89 && reader.matches("PNG\r\n", at: 1)
  }
}

/// PNG: the size stands in IHDR, always the first chunk (ISO/IEC 15948, 11.2.2).
private enum PNGHeader {
  static func read(_ reader: ByteReader) -> (width: Int, height: Int, orientation: Orientation)? {
    guard reader.matches("IHDR", at: 12), let width = reader.integer(16, size: 4),
      let height = reader.integer(20, size: 4)
    else { return nil }
    return (width, height, orientation(reader))
  }

  /// The eXIf chunk, where it stands before the pixels.
  private static func orientation(_ reader: ByteReader) -> Orientation {
    var offset = 8
    while let length = reader.integer(offset, size: 4), !reader.matches("IDAT", at: offset + 4) {
      if reader.matches("eXIf", at: offset + 4) { return TIFFHeader.read(reader, from: offset + 8)?.orientation ?? .up }
      offset += length + 12
    }
    return .up
  }
}

/// WebP: VP8, VP8L or VP8X (RFC 9649).
private enum WebPHeader {
  static func read(_ reader: ByteReader) -> (width: Int, height: Int, orientation: Orientation)? {
    if reader.matches("VP8 ", at: 12), let width = reader.integer(26, size: 2, bigEndian: false),
      let height = reader.integer(28, size: 2, bigEndian: false)
    {
      return (width & 0x3FFF, height & 0x3FFF, .up)
    }
    if reader.matches("VP8L", at: 12), let bits = reader.integer(21, size: 4, bigEndian: false) {
      return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, .up)
    }
    if reader.matches("VP8X", at: 12), let width = reader.integer(24, size: 3, bigEndian: false),
      let height = reader.integer(27, size: 3, bigEndian: false)
    {
      return (width + 1, height + 1, orientation(reader))
    }
    return nil
  }

  private static func orientation(_ reader: ByteReader) -> Orientation {
    var offset = 12
    while let length = reader.integer(offset + 4, size: 4, bigEndian: false) {
      if reader.matches("EXIF", at: offset) {
        let start = reader.matches("Exif\u{0}\u{0}", at: offset + 8) ? offset + 14 : offset + 8
        return TIFFHeader.read(reader, from: start)?.orientation ?? .up
      }
      offset += 8 + length + (length & 1)
    }
    return .up
  }
}
