import Foundation

/// Verifies and decodes the results that a SerialScan server sends to a photo's `callbackURL`. Use it in the server
/// that receives them.
///
/// The signature follows Standard Webhooks: HMAC-SHA256 over id, time and body.
public struct WebhookVerifier: Sendable {
  /// Why a request can't be trusted.
  public enum Failure: Error, Sendable, Equatable {
    /// The header with this name is missing or malformed.
    case badHeader(String)
    /// The request is too old, or the clocks differ.
    case expired
    /// No signature matches the body and the secret.
    case forged
  }

  private let key: [UInt8]
  /// Maximum difference in seconds between a request's time and this machine's clock.
  public var tolerance: TimeInterval = 300

  /// Creates a verifier with the secret in the server's setting `webhooks.secret`: `whsec_` and base64, or a text.
  public init(secret: String) {
    let decoded = secret.hasPrefix("whsec_") ? Data(base64Encoded: String(secret.dropFirst(6))) : nil
    key = [UInt8](decoded ?? Data(secret.utf8))
  }

  /// Verifies a request's signature and returns its result. Throws ``Failure``, or `DecodingError`.
  ///
  /// The same result may arrive more than once; identify it by its ``JobResult/jobId``.
  ///
  /// - Parameters:
  ///   - headers: the request's headers, in any case.
  ///   - body: its body, unchanged.
  ///   - now: the current time.
  public func result(headers: [String: String], body: Data, now: Date = Date()) throws -> JobResult {
    let headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    func header(_ name: String) throws(Failure) -> String {
      guard let value = headers[name] else { throw .badHeader(name) }
      return value
    }
    let (id, time) = try (header("webhook-id"), header("webhook-timestamp"))
    guard let seconds = TimeInterval(time) else { throw Failure.badHeader("webhook-timestamp") }
    guard abs(now.timeIntervalSince1970 - seconds) <= tolerance else { throw Failure.expired }
    let expected = [UInt8](signature(id: id, timestamp: time, body: body).utf8)
    let isGenuine = try header("webhook-signature").split(separator: " ").contains { one in
      let given = [UInt8](one.utf8)
      // Constant time, so that the duration does not reveal where the signatures differ.
      return given.count == expected.count && zip(given, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
    guard isGenuine else { throw Failure.forged }
    return try Wire.decoder().decode(JobResult.self, from: body)
  }

  func signature(id: String, timestamp: String, body: Data) -> String {
    let code = SHA256.authenticationCode(of: Array("\(id).\(timestamp).".utf8) + body, key: key)
    return "v1,\(Data(code).base64EncodedString())"
  }
}

/// SHA-256 and its HMAC (FIPS 180-4, RFC 2104), because Foundation has neither on platforms without CryptoKit.
enum SHA256 {
  static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? digest(key) : key
    let block = short + [UInt8](repeating: 0, count: 64 - short.count)
    return digest(block.map { $0 ^ 0x5C } + digest(block.map { $0 ^ 0x36 } + bytes))
  }

  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    let zeros = (119 - bytes.count % 64) % 64
    let length = (0..<8).reversed().map { UInt8(truncatingIfNeeded: (UInt64(bytes.count) << 3) >> UInt64(8 * $0)) }
    let padded = bytes + [0x80] + [UInt8](repeating: 0, count: zeros) + length
    for start in stride(from: 0, to: padded.count, by: 64) {
      var words = (0..<16).map { word in
        (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(padded[start + 4 * word + $1]) }
      }
      for t in 16..<64 {
        let (a, b) = (words[t - 15], words[t - 2])
        let (s0, s1) = (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3, rotated(b, 17) ^ rotated(b, 19) ^ b >> 10)
        words.append(words[t - 16] &+ s0 &+ words[t - 7] &+ s1)
      }
      var v = state
      for t in 0..<64 {
        let s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)
        let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
        let first = v[7] &+ s1 &+ choice &+ constants[t] &+ words[t]
        let s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)
        let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
        v = [first &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
      }
      state = zip(state, v).map { $0 &+ $1 }
    }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
