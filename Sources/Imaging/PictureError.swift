import PictureHeader

/// Why bytes could not be turned into a picture.
public enum PictureError: Error, Sendable, Equatable {
  /// The bytes are no JPEG, PNG, WebP, TIFF or HEIC picture; what people call it instead, where its first bytes tell.
  case notAPicture(String?)
  /// The picture ends too early or contradicts itself; the text says where.
  case damaged(String)
  /// The header announces more pixels than the limit.
  case tooManyPixels(width: Int, height: Int, limit: Int)
}

extension PictureError {
  init(_ error: PictureHeaderError) {
    self =
      switch error {
      case .empty: .notAPicture(nil)
      case .unsupported(let name): .notAPicture(name)
      case .truncated: .damaged("the file ends before the picture does")
      case .damaged(let clause): .damaged(clause)
      case .unreadable: .damaged("the file cannot be read")
      }
  }
}
