import Foundation
import Testing

@testable import SerialScanClient

/// Verifying webhooks, in Swift and with the blocks of docs/clients.md.
@Suite struct WebhookTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let body = Data(
    #"""
    {"job_id": "6d2a3a39-8d5d-4c33-bb4f-0f47f7b1d9b1", "status": "failed", "progress": 100, "message": "text",
     "created_at": "2026-01-31T12:00:00Z", "updated_at": "2026-01-31T12:00:01Z", "error": "none", "results": null}
    """#.utf8)

  private static func headers(_ timestamp: Int, body: Data = body) -> [String: String] {
    let signature = WebhookVerifier(secret: secret).signature(id: "1", timestamp: "\(timestamp)", body: body)
    return [
      "Webhook-Id": "1", "webhook-timestamp": "\(timestamp)", "WEBHOOK-SIGNATURE": "v1,AAAA \(signature) v2,x",
    ]
  }

  @Test func reproducesPublishedVector() {
    let signature = WebhookVerifier(secret: Self.secret).signature(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: "1614265330", body: Data(#"{"test": 2432232314}"#.utf8))
    #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  /// The examples of FIPS 180-4, and all lengths around the end of a block.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
  ])
  func digestsMatchPublishedOnes(text: String, digest: String) {
    #expect(
      SHA256.digest(Array(text.utf8)).map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
        == digest)
  }

  @Test func trustsOnlyRecentSignedBytes() throws {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let verifier = WebhookVerifier(secret: Self.secret)
    let good = Self.headers(1_800_000_000)
    #expect(try verifier.result(headers: good, body: Self.body, now: now).jobId.hasPrefix("6d2a3a39"))
    #expect(throws: WebhookVerifier.Failure.forged) {
      try verifier.result(headers: good, body: Self.body + Data(" ".utf8), now: now)
    }
    #expect(throws: WebhookVerifier.Failure.forged) {
      try WebhookVerifier(secret: Self.secret + "x").result(headers: good, body: Self.body, now: now)
    }
    #expect(throws: WebhookVerifier.Failure.forged) {
      try verifier.result(headers: good.merging(["Webhook-Id": "2"]) { $1 }, body: Self.body, now: now)
    }
    for seconds in [301.0, -301] {
      #expect(throws: WebhookVerifier.Failure.expired) {
        try verifier.result(headers: good, body: Self.body, now: now + seconds)
      }
    }
    #expect(throws: WebhookVerifier.Failure.badHeader("webhook-timestamp")) {
      try verifier.result(headers: good.merging(["webhook-timestamp": "x"]) { $1 }, body: Self.body, now: now)
    }
    #expect(throws: WebhookVerifier.Failure.badHeader("webhook-id")) {
      try verifier.result(headers: [:], body: Self.body, now: now)
    }
  }

  @Test func swiftBlockVerifies() throws {
    let headers = Self.headers(Int(Date().timeIntervalSince1970))
    let result = try DocumentedCode.verifyWebhook(secret: Self.secret, headers: headers, body: Self.body)
    #expect(result.status == .failed)
  }

  @Test(arguments: [("sh", "/bin/sh", "sh"), ("python", "python3", "py"), ("js", "node", "mjs")])
  func blockInEachLanguageVerifies(_ language: String, _ program: String, _ ending: String) async throws {
    let available = try await run(URL(fileURLWithPath: "/bin/sh"), ["-c", "command -v \(program) openssl"]).status == 0
    guard available else {
      // `.ci/run` requires every test.
      let isNeeded = ProcessInfo.processInfo.environment["RUN_EVERY_TEST"] != nil
      #expect(!isNeeded, "The block in \(language) needs \(program) and openssl.")
      return
    }
    let blocks = try DocumentTests.blocks(
      "\(language) webhook", of: RunningServer.root.appendingPathComponent("docs/clients.md"))
    #expect(blocks.count == 1)
    let folder = try temporaryFolder()
    let script = folder.appendingPathComponent("block.\(ending)")
    try Data((blocks.first ?? "").utf8).write(to: script)
    func says(secret: String = Self.secret, age: Int = 0, body: Data = Self.body) async throws -> String {
      let headers = Self.headers(Int(Date().timeIntervalSince1970) - age)
      for (name, text) in [
        ("secret", secret), ("id", headers["Webhook-Id"]), ("timestamp", headers["webhook-timestamp"]),
        ("signature", headers["WEBHOOK-SIGNATURE"]),
      ] { try Data((text ?? "").utf8).write(to: folder.appendingPathComponent(name)) }
      try body.write(to: folder.appendingPathComponent("body"))
      let (status, output) = try await run(
        URL(fileURLWithPath: "/usr/bin/env"), [program, script.path], in: folder)
      #expect(status == 0)
      return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    #expect(try await says() == "genuine")
    #expect(try await says(body: Self.body + Data(" ".utf8)) == "forged")
    #expect(try await says(secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") == "forged")
    #expect(try await says(age: 400) == "forged")
  }
}
