import PictureHeader

/// A picture's file in memory, with its header parsed and its pixels not yet decoded.
public struct EncodedPicture: Sendable {
  /// The file's bytes. Those of a JPEG always end in an end-of-image marker, added if the file lacked one.
  public let bytes: [UInt8]
  /// The parsed header.
  public let header: PictureHeader
  /// Index of the picture's directory in a TIFF file, from 0.
  let directory: Int

  /// Stores a file's bytes and parses the header.
  ///
  /// - Throws: `PictureError.notAPicture` or `.damaged`, as `PictureHeader` does.
  public init(_ bytes: [UInt8]) throws(PictureError) {
    do throws(PictureHeaderError) {
      header = try PictureHeader(bytes: bytes)
    } catch {
      throw PictureError(error)
    }
    self.bytes = header.unmarkedEnd.map { bytes.prefix($0) + [0xFF, 0xD9] } ?? bytes
    directory = 0
  }

  private init(_ bytes: [UInt8], _ header: PictureHeader, directory: Int) {
    (self.bytes, self.header, self.directory) = (bytes, header, directory)
  }

  /// This page and those after it in a TIFF file, at most `most`; only this picture for other formats.
  public func pages(most: Int) -> [EncodedPicture] {
    guard header.format == .tiff, let pages = try? PictureHeader.tiffPages(in: bytes, most: most) else { return [self] }
    return pages.map { EncodedPicture(bytes, $0.header, directory: $0.directory) }
  }

  /// Pixels across the photo as uploaded, before its EXIF orientation is applied.
  ///
  /// HEIC pictures count after turning, since decoders always apply their orientation properties.
  public var uploadedWidth: Int { turnsSides ? header.height : header.width }
  /// Pixels down the photo as uploaded.
  public var uploadedHeight: Int { turnsSides ? header.width : header.height }

  /// Pixels across the upright photo.
  public var uprightWidth: Int { isStoredSideways ? uploadedHeight : uploadedWidth }
  /// Pixels down the upright photo.
  public var uprightHeight: Int { isStoredSideways ? uploadedWidth : uploadedHeight }

  /// Maps upright pixels to those of the photo as uploaded.
  public var uploadedFromUpright: PixelTransform {
    header.format == .heic
      ? .identity : orientation.storedFromUpright(width: header.width, height: header.height)
  }

  /// Maps the pixels of an upright picture of a size, at which it may be reduced, to those of the photo as uploaded.
  func uploadedFromUpright(width: Int, height: Int) -> PixelTransform {
    PixelTransform.scale(Double(uprightWidth) / Double(width), Double(uprightHeight) / Double(height))
      .then(uploadedFromUpright)
  }

  /// Whether turning the uploaded photo upright swaps its width and height.
  public var isStoredSideways: Bool { header.format != .heic && orientation.swapsSides }

  private var turnsSides: Bool { header.format == .heic && orientation.swapsSides }
}

/// A decoded, upright picture.
public struct DecodedPicture: Sendable {
  /// The upright pixels, possibly reduced.
  public var picture: GrayPicture
  /// Maps the picture's coordinates to those of the photo as uploaded, before its EXIF orientation is applied.
  public var toUploaded: PixelTransform
  /// Whether the file is damaged although it could be decoded: its coded data do not fit its picture. Parts of the
  /// picture may be shifted, gray or noise. Always false in what is derived from a picture.
  public var isDamaged = false

  /// Creates a decoded picture.
  public init(picture: GrayPicture, toUploaded: PixelTransform) {
    self.picture = picture
    self.toUploaded = toUploaded
  }
}
