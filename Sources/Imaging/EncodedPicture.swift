import PictureHeader

/// A picture's file in memory, with its header read and nothing decoded yet.
public struct EncodedPicture: Sendable {
  /// The file's bytes.
  public let bytes: [UInt8]
  /// What the header says.
  public let header: PictureHeader

  /// Takes a file's bytes and reads the header.
  ///
  /// - Throws: `PictureError.notAPicture` or `.damaged`, as `PictureHeader` does.
  public init(_ bytes: [UInt8]) throws(PictureError) {
    do throws(PictureHeaderError) {
      header = try PictureHeader(bytes: bytes)
    } catch {
      throw PictureError(error)
    }
    self.bytes = bytes
  }

  /// Pixels across the photo as uploaded, before its EXIF orientation is applied. HEIC pictures are turned by their own
  /// properties and never seen otherwise, so theirs are counted after turning.
  public var uploadedWidth: Int { turnsSides ? header.height : header.width }
  /// Pixels down the photo as uploaded.
  public var uploadedHeight: Int { turnsSides ? header.width : header.height }

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
