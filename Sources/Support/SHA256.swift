import CSodium

/// An incremental SHA-256 digest (FIPS 180-4), using libsodium.
package struct SHA256 {
  private static let digits = Array("0123456789abcdef".utf8)
  private var state = crypto_hash_sha256_state()

  /// Starts a digest of no bytes.
  package init() { crypto_hash_sha256_init(&state) }

  /// Adds the next bytes.
  package mutating func update(_ bytes: [UInt8]) {
    crypto_hash_sha256_update(&state, bytes, UInt64(clamping: bytes.count))
  }

  /// The digest of all added bytes, in lower-case hexadecimal.
  package var hexadecimal: String {
    var (state, digest) = (state, [UInt8](repeating: 0, count: max(0, Int(clamping: crypto_hash_sha256_bytes()))))
    crypto_hash_sha256_final(&state, &digest)
    return String(
      decoding: digest.flatMap { [Self.digits[Int(clamping: $0 >> 4)], Self.digits[Int(clamping: $0 & 15)]] },
      as: UTF8.self)
  }

  /// Returns the digest of bytes, in lower-case hexadecimal.
  package static func hexadecimal(_ bytes: [UInt8]) -> String {
    var digest = SHA256()
    digest.update(bytes)
    return digest.hexadecimal
  }
}
