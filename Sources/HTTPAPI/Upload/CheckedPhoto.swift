import CSodium
import Foundation
import PictureHeader

/// What is known of a photo that has arrived whole, before it is decoded.
struct CheckedPhoto: Sendable {
  var header: PictureHeader
  /// SHA-256 in lower-case hexadecimal, where it was asked for.
  var digest: String?

  /// Looks at a photo's file. Blocks. Throws `PictureHeaderError`, or `APIError` where it has too many pixels.
  init(path: String, maxPixels: Int, withDigest: Bool) throws {
    header = try PictureHeader(path: path)
    guard header.pixelCount <= maxPixels else { throw APIError.tooManyPixels(header, limit: maxPixels) }
    digest = withDigest ? try Self.digest(path: path) : nil
  }

  private static func digest(path: String) throws -> String {
    guard let file = FileHandle(forReadingAtPath: path) else { throw APIError.storageUnavailable }
    defer { try? file.close() }
    var state = crypto_hash_sha256_state()
    crypto_hash_sha256_init(&state)
    while let chunk = try file.read(upToCount: 256 * 1024), !chunk.isEmpty {
      let bytes = [UInt8](chunk)
      crypto_hash_sha256_update(&state, bytes, UInt64(clamping: bytes.count))
    }
    var digest = [UInt8](repeating: 0, count: max(0, Int(clamping: crypto_hash_sha256_bytes())))
    crypto_hash_sha256_final(&state, &digest)
    return digest.map { String(format: "%02x", $0) }.joined()
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
