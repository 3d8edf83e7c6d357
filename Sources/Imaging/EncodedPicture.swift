import PictureHeader

/// A picture's file in memory, with its header read and nothing decoded yet.
public struct EncodedPicture: Sendable {
  /// The file's bytes; those of a JPEG end in an end-of-image marker, if need be one that the file did not have.
  public let bytes: [UInt8]
  /// What the header says.
  public let header: PictureHeader
  /// Which of the file's directories of a TIFF it is, from 0.
  let directory: Int

  /// Takes a file's bytes and reads the header.
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

  /// This page and those that follow it in a TIFF file, at most `most`; in other files the picture alone.
  public func pages(most: Int) -> [EncodedPicture] {
    guard header.format == .tiff, let pages = try? PictureHeader.tiffPages(in: bytes, most: most) else { return [self] }
    return pages.map { EncodedPicture(bytes, $0.header, directory: $0.directory) }
  }

  /// Pixels across the photo as uploaded, before its EXIF orientation is applied. HEIC pictures are turned by their own
  /// properties and never seen otherwise, so theirs are counted after turning.
  public var uploadedWidth: Int { turnsSides ? header.height : header.width }
  /// Pixels down the photo as uploaded.
  public var uploadedHeight: Int { turnsSides ? header.width : header.height }

  /// Pixels across the photo as it stands upright.
  public var uprightWidth: Int { isStoredSideways ? uploadedHeight : uploadedWidth }
  /// Pixels down the photo as it stands upright.
  public var uprightHeight: Int { isStoredSideways ? uploadedWidth : uploadedHeight }

  /// From upright pixels to those of the photo as uploaded.
  public var uploadedFromUpright: PixelTransform {
    header.format == .heic
      ? .identity : orientation.storedFromUpright(width: header.width, height: header.height)
  }

  /// Whether width and height change places when the photo as uploaded is set upright.
  public var isStoredSideways: Bool { header.format != .heic && orientation.swapsSides }

  private var turnsSides: Bool { header.format == .heic && orientation.swapsSides }
}

/// A decoded picture, turned upright.
public struct DecodedPicture: Sendable {
  /// The pixels, upright, possibly reduced.
  public var picture: GrayPicture
  /// From the picture's coordinates to those of the photo as uploaded (before its EXIF orientation is applied).
  public var toUploaded: PixelTransform

  /// Creates a decoded picture.
  public init(picture: GrayPicture, toUploaded: PixelTransform) {
    self.picture = picture
    self.toUploaded = toUploaded
  }
}
