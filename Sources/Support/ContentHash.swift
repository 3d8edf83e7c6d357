import CSodium

/// An incremental 256-bit hash of contents (BLAKE2b, RFC 7693), using libsodium: three times as fast as SHA-256.
package final class ContentHash {
  private static let size = 32
  // The state must be aligned to 64 bytes, which a Swift value is not.
  private let memory = UnsafeMutableRawPointer.allocate(
    byteCount: max(1, Int(clamping: crypto_generichash_statebytes())), alignment: 64)
  private var state: OpaquePointer { OpaquePointer(memory) }

  /// Starts a hash of no bytes.
  package init() { crypto_generichash_init(state, nil, 0, Self.size) }

  deinit { memory.deallocate() }

  /// Adds the next bytes.
  package func update(_ bytes: [UInt8]) { crypto_generichash_update(state, bytes, UInt64(clamping: bytes.count)) }

  /// Ends the hash and returns it in lower-case hexadecimal. Call it once.
  package func finish() -> String {
    var digest = [UInt8](repeating: 0, count: max(0, Self.size))
    crypto_generichash_final(state, &digest, Self.size)
    return digest.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
  }
}
