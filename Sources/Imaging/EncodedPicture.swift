import PictureHeader

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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

  /// The bytes of a file; nil where it can't be read.
  public static func contents(ofFile path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var status = stat()
    guard fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let size = Int(status.st_size)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      initialized = size == 0 ? 0 : fread(buffer.baseAddress, 1, size, file)
    }
  }
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
