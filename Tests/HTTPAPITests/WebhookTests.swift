import Foundation
import HTTPAPI
import JobStore
import Logging
import Settings
import Testing

/// Covers `callback_url` of `/scan`, and which webhooks each key sees in `/webhooks`.
@Suite struct WebhookTests {
  private static let url = "https://user:hush@hooks.example.com/serials?token=hush"
  /// The address as the key that supplied it sees it.
  private static let shown = "https://user:***@hooks.example.com/serials?token=hush"

  private static func settings(
    _ allow: String = "hooks.example.com http://192.168.1.5:9000", default address: String = ""
  ) throws -> Settings.Webhooks {
    try Settings.load(
      file: nil, environment: [:],
      flags: [
        ("webhooks.allow", allow, ""), ("webhooks.secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", ""),
        ("webhooks.default", address, ""),
      ]
    ).webhooks
  }

  private static func running(default address: String = "") async throws -> RunningAPI {
    let webhooks = try settings(default: address)
    return try await RunningAPI(configure: { $0.settings.webhooks = webhooks })
  }

  /// Sends a photo and ends its job; returns the job's id.
  private func scan(_ api: RunningAPI, url: String? = Self.url, key: String? = nil) async throws -> String {
    let fields = url.map { ["callback_url": $0] } ?? [:]
    let headers = key.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    let reply = try #require(await api.upload(Photo.jpeg(), fields: fields, headers: headers))
    #expect(reply.status == 200, "\(reply.json)")
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    return try #require(reply.json["job_id"] as? String)
  }

  @Test(arguments: [
    ("http://hooks.example.com/", "https://"), ("https://evil.com/?x=hush", "https://evil.com,"),
    ("https://127.0.0.1/", "webhooks.allow"), ("http://192.168.1.5:9001/", "https://"), ("nonsense", "a URL"),
    ("https://hooks.example.com\\@evil.com/", "a URL"), ("file:///etc/passwd", "a URL"),
  ])
  func rejectsCallbackThatIsNotAllowed(url: String, sentence: String) async throws {
    let api = try await Self.running()
    let query = url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    for reply in [
      await api.upload(Photo.jpeg(), fields: ["callback_url": url]),
      await api.upload(Photo.jpeg(), to: "/scan?callback_url=\(query)"),
    ] {
      #expect(reply?.status == 422 && reply?.errorCode == "INVALID_PARAMETER")
      let detail = reply?.json["detail"] as? String ?? ""
      #expect(detail.contains("`callback_url`") && detail.contains(sentence) && !detail.contains("hush"), "\(detail)")
    }
    #expect(try await api.waiting().isEmpty)
    #expect(try await api.filesAfterAWhile().isEmpty)
  }

  @Test func rejectsCallbackIfWebhooksAreOff() async throws {
    let api = try await RunningAPI()
    let reply = await api.upload(Photo.jpeg(), fields: ["callback_url": Self.url])
    #expect(reply?.status == 422)
    #expect((reply?.json["detail"] as? String)?.contains("webhooks are off") == true)
    #expect(await api.upload(Photo.jpeg(), fields: ["callback_url": ""])?.status == 200)
  }

  @Test func processSerialRejectsCallback() async throws {
    let api = try await Self.running()
    let reply = await api.upload(Photo.jpeg(), to: "/process-serial?callback_url=https%3A%2F%2Fhooks.example.com")
    #expect(reply?.status == 422)
  }

  @Test func jobEndQueuesWebhook() async throws {
    let api = try await Self.running()
    let id = try await scan(api)
    let webhook = try #require(try await api.store.webhook(jobID: id))
    #expect(webhook.url == Self.url && webhook.state == .waiting)
    let item = try #require((await api.get("/webhooks")?.json["items"] as? [[String: Any]])?.first)
    #expect(item["job_id"] as? String == id && item["url"] as? String == Self.shown)
    #expect(item["status"] as? String == "waiting" && item["attempts"] as? Int == 0)
    // The body is the response of /result.
    let job = try #require(try await api.job(id))
    #expect(
      try await webhookBody(of: job, store: api.store, codes: StoreCodes(api.store, logger: Logger(label: "test")))
        == [UInt8](try #require(await api.get("/result/\(id)")).body))
    let metrics = await api.get("/metrics")?.text ?? ""
    #expect(metrics.contains("serialscan_webhooks{state=\"waiting\"} 1"))
    #expect(metrics.contains("serialscan_webhooks{state=\"failed\"} 0"))
  }

  @Test func usesDefaultCallbackAddress() async throws {
    let secret = "https://hooks.example.com/hush"
    let api = try await Self.running(default: secret)
    let key = try await api.addKey([.scan])
    let defaulted = try await scan(api, url: nil, key: key)
    let named = try await scan(api, key: key)
    #expect(try await api.store.webhook(jobID: defaulted)?.url == secret)
    #expect(try await api.store.webhook(jobID: named)?.url == Self.url)
    // No key sees the operator's address.
    let items =
      await api.get("/webhooks", headers: ["Authorization": "Bearer \(key)"])?.json["items"] as? [[String: Any]]
    #expect(items?.map { $0["url"] as? String } == [Self.shown, "https://hooks.example.com"])
    async let reply = api.upload(
      Photo.jpeg(content: 9), to: "/process-serial", headers: ["Authorization": "Bearer \(key)"])
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    let processed = try #require(await reply?.json["job_id"] as? String)
    #expect(try await api.store.webhook(jobID: processed) == nil, "the client has the response")
  }

  @Test func otherCallbackUnderSameIdempotencyKeyConflicts() async throws {
    let api = try await Self.running(default: "https://hooks.example.com/default")
    let headers = ["Idempotency-Key": "one"]
    func upload(_ fields: [String: String]) async -> Int? {
      await api.upload(Photo.jpeg(), fields: fields, headers: headers)?.status
    }
    #expect(await upload(["callback_url": Self.url]) == 200)
    #expect(await upload(["callback_url": Self.url]) == 200)
    #expect(await upload(["callback_url": Self.url + "1"]) == 409)
    #expect(await upload([:]) == 409)
  }

  @Test func keySeesAndRetriesItsWebhooks() async throws {
    let api = try await Self.running()
    let (mine, other, reader, admin) = try await (
      api.addKey([.scan]), api.addKey([.scan]), api.addKey([.read]), api.addKey([.admin])
    )
    let id = try await scan(api, key: mine)
    let claim = try #require(try await api.store.claimWebhooks(limit: 1, lease: 30).first)
    try await api.store.endWebhook(claim, with: .refused(WebhookFailure(status: 410, "Gone.")))
    for (key, url) in [
      (mine, Self.shown as String?), (other, nil), (reader, "https://hooks.example.com"),
      (admin, "https://hooks.example.com"),
    ] {
      let reply = await api.get("/webhooks?status=failed", headers: ["Authorization": "Bearer \(key)"])
      #expect(((reply?.json["items"] as? [[String: Any]])?.first?["url"]) as? String == url)
    }
    for (key, status) in [(other, 404), (reader, 403), (mine, 200), (admin, 200)] {
      let reply = await api.request(
        "POST", "/webhooks/\(id)/retry", headers: ["Authorization": "Bearer \(key)"], body: Data())
      #expect(reply?.status == status)
      if status == 200 { #expect(reply?.json["status"] as? String == "waiting") }
    }
    #expect(
      await api.request("POST", "/webhooks/x/retry", headers: ["Authorization": "Bearer \(admin)"], body: Data())?
        .errorCode == "JOB_NOT_FOUND")
  }
}
