import CSodium
import Foundation
import JobStore
import Support

/// An API key: `ss_`, its id, and a secret. Only the secret's hash is stored; the whole key is shown once.
public struct AccessKey: Sendable, Equatable {
  /// The scopes of a key.
  public enum Scope: String, Sendable, Codable, CaseIterable {
    /// Send photos and serials, and read one's own jobs and serials.
    case scan
    /// Read and export all jobs and serials.
    case read
    /// Everything, including correcting, deleting, evaluating and tuning.
    case admin
  }

  /// The id, 8 hexadecimal digits.
  public var id: String
  /// The secret: 256 random bits in hexadecimal.
  public var secret: String

  /// The whole key, shown to its owner once.
  public var text: String { "ss_\(id)_\(secret)" }

  /// Returns a key's name without spaces around it; nil unless it has 1 to 100 characters, none of them a control
  /// character.
  public static func name(_ text: String) -> String? {
    let name = text.trimmed
    let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    return name.isEmpty || name.isLonger(than: 100) || hasControls ? nil : name
  }

  /// Creates a new key from the system's random source.
  public init() {
    id = Self.randomHexadecimal(bytes: 4)
    secret = Self.randomHexadecimal(bytes: 32)
  }

  /// Parses a key; nil if invalid.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 8, 64], parts[0].elementsEqual("ss".utf8) else { return nil }
    id = String(decoding: parts[1], as: UTF8.self)
    secret = String(decoding: parts[2], as: UTF8.self)
  }

  /// Returns the BLAKE2b hash of a secret in hexadecimal. The secret has 256 random bits, so a slow hash would add no
  /// security.
  public static func hash(ofSecret secret: String) -> String {
    let bytes = Array(secret.utf8)
    var digest = [UInt8](repeating: 0, count: max(0, Int(clamping: crypto_generichash_bytes())))
    crypto_generichash(&digest, digest.count, bytes, UInt64(clamping: bytes.count), nil, 0)
    return hexadecimal(digest)
  }

  /// Whether this is the stored key. Compares in constant time.
  public func matches(_ stored: StoredKey) -> Bool {
    let mine = Array(Self.hash(ofSecret: secret).utf8)
    let theirs = Array(stored.hash.utf8)
    return mine.count == theirs.count && sodium_memcmp(mine, theirs, mine.count) == 0
  }

  private static func randomHexadecimal(bytes count: Int) -> String {
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    return hexadecimal(bytes)
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
  }
}
