/// Why bytes could not be turned into a picture.
public enum PictureError: Error, Sendable, Equatable {
  /// The bytes are no JPEG, PNG, WebP, TIFF or HEIC picture.
  case notAPicture
  /// The picture ends too early or contradicts itself; the text says where.
  case damaged(String)
  /// The header announces more pixels than the limit.
  case tooManyPixels(width: Int, height: Int, limit: Int)
}
