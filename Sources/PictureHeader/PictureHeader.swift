/// The format, size and orientation of a picture, read from its first bytes without decoding pixels.
///
/// The format is detected from the bytes, never from a file name or a media type. The number of reads is limited,
/// whatever the file contains.
public struct PictureHeader: Sendable, Equatable {
  /// The supported formats.
  public enum Format: String, Sendable, CaseIterable {
    case jpeg
    case png
    case webp
    case tiff
    case heic

    /// The usual file name extension, without the dot.
    public var fileExtension: String {
      switch self {
      case .jpeg: "jpg"
      case .png: "png"
      case .webp: "webp"
      case .tiff: "tif"
      case .heic: "heic"
      }
    }

    /// The registered media type.
    public var mediaType: String { "image/\(rawValue)" }
  }

  /// The format of the file.
  public var format: Format
  /// The width in pixels as stored, before the orientation is applied.
  public var width: Int
  /// The height in pixels as stored, before the orientation is applied.
  public var height: Int
  /// The EXIF orientation (TIFF 6.0, tag 274), 1...8, that displays the stored picture upright; 1 if the file has none.
  public var orientation: Int
  /// The offset in bytes after a JPEG's pixels if they are complete but no end-of-image marker follows; otherwise nil.
  public var unmarkedEnd: Int?

  /// The number of pixels.
  public var pixelCount: Int { width * height }

  /// Creates a header.
  public init(format: Format, width: Int, height: Int, orientation: Int = 1) {
    self.format = format
    self.width = width
    self.height = height
    self.orientation = orientation
  }

  /// Reads the header of a file.
  public init(path: String) throws(PictureHeaderError) {
    try self.init(FileSource(path: path))
  }

  /// Reads the header of a picture in memory.
  public init(bytes: [UInt8]) throws(PictureHeaderError) {
    try self.init(MemorySource(bytes: bytes))
  }

  /// Reads the header from a source of bytes.
  public init(_ source: some ByteSource) throws(PictureHeaderError) {
    try self.init(MeteredSource(source))
  }

  /// Returns the first pages of a TIFF file, each with its index among the file's directories. Leaves out smaller
  /// copies of a page.
  ///
  /// - Throws: `PictureHeaderError` if the first directory can't be read. A damaged later directory ends the list.
  public static func tiffPages(
    in bytes: [UInt8], most: Int
  ) throws(PictureHeaderError) -> [(directory: Int, header: PictureHeader)] {
    try TIFFHeader.pages(MeteredSource(MemorySource(bytes: bytes)), most: most)
  }

  /// Returns the offset after a WebP file's coded pixels; nil if there are none.
  public static func endOfWebPData(in bytes: [UInt8]) -> Int? {
    WebPHeader.endOfData(MeteredSource(MemorySource(bytes: bytes)))
  }

  /// Returns the steps (see `HeaderWork`) that reading the header takes, even if the picture is rejected.
  package static func steps(toRead bytes: [UInt8]) -> Int {
    let source = MeteredSource(MemorySource(bytes: bytes))
    _ = try? PictureHeader(source)
    return source.work.steps
  }

  private init(_ source: MeteredSource) throws(PictureHeaderError) {
    guard source.size > 0 else { throw .empty }
    let magic = source.read(at: 0, count: 16)
    if magic.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = try JPEGHeader.read(source)
    } else if magic.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = try PNGHeader.read(source)
    } else if magic.starts(with: Array("RIFF".utf8)), magic.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      self = try WebPHeader.read(source)
    } else if magic.starts(with: [0x49, 0x49, 0x2A, 0x00]) || magic.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) {
      self = try TIFFHeader.read(source)
    } else if magic.dropFirst(4).starts(with: Array("ftyp".utf8)) {
      self = try HEICHeader.read(source)
    } else {
      throw .unsupported(Self.name(ofMagic: magic))
    }
    // No real picture is larger, and the product would overflow.
    guard (1...Int(Int32.max)).contains(width), (1...Int(Int32.max)).contains(height) else {
      throw .damaged("its header declares \(width) x \(height) pixels")
    }
  }

  /// Returns the common name of an unsupported format, if its first bytes identify it.
  private static func name(ofMagic magic: [UInt8]) -> String? {
    let known: [(prefix: [UInt8], name: String)] = [
      (Array("GIF8".utf8), "GIF"), (Array("%PDF".utf8), "PDF"), (Array("BM".utf8), "BMP"), (Array("PK".utf8), "ZIP"),
      ([0xFF, 0x0A], "JPEG XL"), ([0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C], "JPEG XL"), (Array("<svg".utf8), "SVG"),
      (Array("<!DOCTYPE".utf8), "HTML"), (Array("<html".utf8), "HTML"), (Array("{".utf8), "JSON"),
      ([0x49, 0x49, 0x2B, 0x00], "BigTIFF"), ([0x4D, 0x4D, 0x00, 0x2B], "BigTIFF"),
    ]
    return known.first { magic.starts(with: $0.prefix) }?.name
  }
}

/// The reasons for which a header could not be read.
public enum PictureHeaderError: Error, Sendable, Equatable {
  /// The file is empty.
  case empty
  /// The format is not supported; the value names it if its first bytes identify it.
  case unsupported(String?)
  /// The file ends before the picture does.
  case truncated
  /// The structure is invalid; the value is a clause for messages.
  case damaged(String)
  /// The file can't be opened or read.
  case unreadable
}
