import Foundation
import PictureHeader
import Settings
import Support

/// The properties of a completely received photo, before it is decoded.
struct CheckedPhoto: Sendable {
  var header: PictureHeader
  /// The SHA-256 in lower-case hexadecimal, if requested.
  var digest: String?

  /// Checks a photo's file. Blocks. Throws `PictureHeaderError`, or `APIError` if it has too many pixels.
  init(path: String, _ limits: Settings.Upload, withDigest: Bool) throws {
    header = try PictureHeader(path: path)
    guard header.pixelCount <= limits.pictures.maxPixels else {
      throw APIError.tooManyPixels(header, limit: limits.pictures.maxPixels)
    }
    digest = withDigest ? try Self.digest(path: path) : nil
  }

  private static func digest(path: String) throws -> String {
    guard let file = FileHandle(forReadingAtPath: path) else { throw APIError.storageUnavailable }
    defer { try? file.close() }
    var digest = SHA256()
    while let chunk = try file.read(upToCount: 256 * 1024), !chunk.isEmpty { digest.update([UInt8](chunk)) }
    return digest.hexadecimal
  }
}

extension APIError {
  fileprivate static func tooManyPixels(_ header: PictureHeader, limit: Int) -> APIError {
    APIError(
      .imageTooLarge,
      "The picture has \(header.width) x \(header.height) pixels, more than \(limit / 1_000_000) megapixels. "
        + "Send a smaller one.")
  }
}
