import CSodium

/// The digest SHA-256 (FIPS 180-4), by libsodium.
enum SHA256 {
  /// Of some bytes, in lower-case hexadecimal.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: max(0, Int(clamping: crypto_hash_sha256_bytes())))
    crypto_hash_sha256(&digest, bytes, UInt64(clamping: bytes.count))
    let digits = Array("0123456789abcdef".unicodeScalars)
    return String(
      String.UnicodeScalarView(digest.flatMap { [digits[Int(clamping: $0 >> 4)], digits[Int(clamping: $0 & 15)]] }))
  }
}
