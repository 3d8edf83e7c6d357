import CSodium
import Foundation
import JobStore

/// A key of the API: `ss_`, its id, and a secret. Only the secret's hash is stored; the whole is shown once.
public struct AccessKey: Sendable, Equatable {
  /// What a key may be used for.
  public enum Scope: String, Sendable, Codable, CaseIterable {
    /// Send photos and serials, and read what came of one's own.
    case scan
    /// Read and export everything that anybody sent.
    case read
    /// Everything: also correct, delete, evaluate and tune.
    case admin
  }

  /// The id, 8 hexadecimal digits.
  public var id: String
  /// 256 random bits in hexadecimal.
  public var secret: String

  /// The key as its owner gets it, once.
  public var text: String { "ss_\(id)_\(secret)" }

  /// Makes a new key from the system's random source.
  public init() {
    id = Self.randomHexadecimal(bytes: 4)
    secret = Self.randomHexadecimal(bytes: 32)
  }

  /// Takes a key apart; nil if invalid.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 8, 64], parts[0].elementsEqual("ss".utf8) else { return nil }
    id = String(decoding: parts[1], as: UTF8.self)
    secret = String(decoding: parts[2], as: UTF8.self)
  }

  /// BLAKE2b of a secret, in hexadecimal. The secret has 256 random bits, so that a slow hash would add nothing.
  public static func hash(ofSecret secret: String) -> String {
    let bytes = Array(secret.utf8)
    var digest = [UInt8](repeating: 0, count: max(0, Int(clamping: crypto_generichash_bytes())))
    crypto_generichash(&digest, digest.count, bytes, UInt64(clamping: bytes.count), nil, 0)
    return hexadecimal(digest)
  }

  /// Whether this is the stored key. Takes the same time wherever the two differ.
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
