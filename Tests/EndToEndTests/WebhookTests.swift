import Foundation
import Testing
import WebhookReceiver

/// Webhooks from the photo to the receiver, despite the death of servers.
@Suite(.serialized) struct WebhookTests {
  private static func picture() throws -> LabelledPicture {
    try #require(
      LabelledPicture.all(in: LabelledPicture.generated).first {
        !$0.serial.isEmpty && $0.description.contains("clean")
      })
  }

  private static func settings(_ receiver: Receiver) -> [String] {
    [
      "webhooks.allow=http://127.0.0.1:\(receiver.port)", "webhooks.secret=a-text-of-at-least-24-bytes",
      "webhooks.timeout=2", "workers=1",
    ]
  }

  /// Waits until the item of `/webhooks` has this status.
  private func webhook(_ server: RunningServer, _ status: String) async throws -> [String: Any]? {
    for _ in 0..<600 {
      let items = try await server.get("/webhooks?status=\(status)").json["items"] as? [[String: Any]]
      if let item = items?.first { return item }
      try await Task.sleep(for: .milliseconds(50))
    }
    return nil
  }

  @Test func webhookIsRetriedUntilReceiverAccepts() async throws {
    let receiver = Receiver { $0 == 0 ? .status(500) : .status(200) }
    defer { receiver.stop() }
    let server = try RunningServer(settings: Self.settings(receiver))
    let picture = try Self.picture()
    let url = "http://127.0.0.1:\(receiver.port)/serials"
    let id = try #require(
      try await server.upload(picture.data, fields: ["callback_url": url]).json["job_id"] as? String)
    #expect(try await webhook(server, "waiting") != nil || receiver.taken.count > 0)
    let first = try #require(try await receiver.taken(atLeast: 1).first)
    // Five seconds after the first attempt, or immediately by a manual retry.
    #expect(try await server.request("POST", "/webhooks/\(id)/retry", body: Data()).status == 200)
    let second = try #require(try await receiver.taken(atLeast: 2).last)
    for taken in [first, second] {
      #expect(taken.header("webhook-id") == id && taken.header("webhook-signature")?.hasPrefix("v1,") == true)
      let sent = try #require(try JSONSerialization.jsonObject(with: Data(taken.body)) as? NSDictionary)
      #expect(sent == (try await server.get("/result/\(id)").json) as NSDictionary)
    }
    let item = try #require(try await webhook(server, "delivered"))
    #expect(item["job_id"] as? String == id && item["last_status"] as? Int == 200 && item["attempts"] as? Int == 2)
    let metrics = String(decoding: try await server.get("/metrics").body, as: UTF8.self)
    #expect(metrics.contains("serialscan_webhook_attempts_total{outcome=\"delivered\"} 1"))
    #expect(metrics.contains("serialscan_webhook_attempts_total{outcome=\"failed\"} 1"))
    #expect(server.stop() == 0)
    #expect(!server.logText.contains("at-least-24-bytes"), "the log contains no secret")
  }

  @Test func webhookSurvivesServerKill() async throws {
    let receiver = Receiver { $0 == 0 ? .silence(seconds: 60) : .status(200) }
    defer { receiver.stop() }
    let picture = try Self.picture()
    let first = try RunningServer(settings: Self.settings(receiver))
    let url = "http://127.0.0.1:\(receiver.port)/serials"
    let id = try #require(
      try await first.upload(picture.data, fields: ["callback_url": url]).json["job_id"] as? String)
    #expect(try await receiver.taken(atLeast: 1).count == 1)
    // Killed during the attempt; the next start retries it without waiting for the lease to expire.
    first.send(SIGKILL)
    first.process.waitUntilExit()
    let second = try RunningServer(data: first.data, settings: Self.settings(receiver))
    #expect(try await receiver.taken(atLeast: 2).last?.header("webhook-id") == id)
    #expect(try await webhook(second, "delivered")?["job_id"] as? String == id)
    #expect(second.stop() == 0)
  }
}
