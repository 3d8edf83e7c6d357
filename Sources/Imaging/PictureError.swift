import PictureHeader

/// Why bytes could not be decoded as a picture.
public enum PictureError: Error, Sendable, Equatable {
  /// The bytes are not a JPEG, PNG, WebP, TIFF or HEIC picture. Names the actual format if its first bytes identify it.
  case notAPicture(String?)
  /// The picture is truncated or inconsistent; the text says where.
  case damaged(String)
  /// The header declares more pixels than the limit.
  case tooManyPixels(width: Int, height: Int, limit: Int)
}

extension PictureError {
  /// Converts an error of a picture's header.
  package init(_ error: PictureHeaderError) {
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
