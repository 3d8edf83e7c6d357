import Settings
import Testing
import Webhooks

/// The signature, compared with the test vector of the Standard Webhooks libraries.
@Suite struct WebhookSignatureTests {
  private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
  private static let body = Array(#"{"test": 2432232314}"#.utf8)

  @Test func reproducesPublishedVector() throws {
    let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let header = WebhookSignature.header(id: Self.id, timestamp: 1_614_265_330, body: Self.body, secrets: [secret])
    #expect(header == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test func signsWithEverySecret() throws {
    let (new, old) = try (
      #require(WebhookSecret("a text of at least 24 bytes")),
      #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    )
    let header = WebhookSignature.header(id: Self.id, timestamp: 1_614_265_330, body: Self.body, secrets: [new, old])
    let parts = header.split(separator: " ")
    #expect(parts.count == 2 && parts[1] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    #expect(parts[0] != parts[1])
  }
}
