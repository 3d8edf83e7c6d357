import CSodium
import Foundation
import Settings

/// Webhook signatures as defined by Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 over
/// `id.timestamp.body`.
public enum WebhookSignature {
  /// Returns the value of the `webhook-signature` header: one signature per secret, separated by spaces.
  ///
  /// - Parameter timestamp: Seconds since 1970.
  public static func header(id: String, timestamp: Int, body: [UInt8], secrets: [WebhookSecret]) -> String {
    let signed = Array("\(id).\(timestamp).".utf8) + body
    return secrets.map { "v1,\(Data(authenticationCode(of: signed, key: $0.bytes)).base64EncodedString())" }
      .joined(separator: " ")
  }

  private static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    var code = [UInt8](repeating: 0, count: max(0, Int(clamping: crypto_auth_hmacsha256_bytes())))
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, bytes, UInt64(clamping: bytes.count))
    crypto_auth_hmacsha256_final(&state, &code)
    return code
  }
}
