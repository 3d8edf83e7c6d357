import Foundation
import JobStore
import Logging
import SQLiteStore
import ScanModel
import Settings
import StoreConformance
import Support
import Testing
import WebhookReceiver
import Webhooks

/// Delivery: requests to receivers, their responses, and addresses that are never contacted.
@Suite struct WebhookDeliveryTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  private static func settings(_ allow: String, timeout: Double = 5, retryFor: Double = 100) throws -> Settings.Webhooks
  {
    try Settings.load(
      file: nil, environment: [:],
      flags: [
        ("webhooks.allow", allow, ""), ("webhooks.secret", secret, ""), ("webhooks.timeout", "\(timeout)", ""),
        ("webhooks.retry_for", "\(retryFor)", ""),
      ]
    ).webhooks
  }

  /// Runs `body` with a store with an ended job whose webhook has this address.
  private static func withStore(
    calling url: String, _ body: (SQLiteJobStore, String) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/webhooks-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try SQLiteJobStore(path: folder + "/store.sqlite")
    try await body(store, try await end(in: store, calling: url))
    try store.close()
  }

  /// Adds an ended job whose webhook has this address. Returns its id.
  @discardableResult
  private static func end(in store: SQLiteJobStore, calling url: String) async throws -> String {
    var job = newJob()
    job.callbackURL = url
    try await store.enqueue(job)
    let claimed = try #require(try await store.claimNext(worker: "w", lease: 60))
    try await store.finish(claimed.claim, with: .read(reading("C02G414GMD6N"), save: true))
    return job.id
  }

  private static func delivery(
    _ settings: Settings.Webhooks, _ store: SQLiteJobStore, backoff: TimeInterval = 0
  ) -> WebhookDelivery {
    WebhookDelivery(
      settings: settings, version: "1", store: store, body: { Array(#"{"job_id": "\#($0.id)"}"#.utf8) },
      backoff: { _ in backoff }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Makes one attempt and returns the webhook's new state.
  private static func attempt(
    _ settings: Settings.Webhooks, _ store: SQLiteJobStore, _ id: String, backoff: TimeInterval = 0
  ) async throws -> Webhook {
    let claim = try #require(try await store.claimWebhooks(limit: 1, lease: 60).first)
    await delivery(settings, store, backoff: backoff).attempt(claim)
    return try #require(try await store.webhook(jobID: id))
  }

  @Test func sendsSignedResult() async throws {
    let receiver = Receiver { _ in .status(200) }
    defer { receiver.stop() }
    let place = "http://127.0.0.1:\(receiver.port)"
    try await Self.withStore(calling: place + "/hook?x=1") { store, id in
      let webhook = try await Self.attempt(Self.settings(place), store, id)
      #expect(webhook.state == .delivered && webhook.status == 200 && webhook.attempts == 1)
      let taken = try #require(receiver.taken.first)
      #expect(taken.head.hasPrefix("POST /hook?x=1 HTTP/1.1\r\n"))
      #expect(taken.header("content-type") == "application/json" && taken.header("user-agent") == "SerialScan/1")
      #expect(taken.header("webhook-id") == id && taken.header("expect") == nil)
      #expect(String(decoding: taken.body, as: UTF8.self) == #"{"job_id": "\#(id)"}"#)
      let timestamp = try #require(Int(taken.header("webhook-timestamp") ?? ""))
      #expect(abs(Date().timeIntervalSince1970 - Double(timestamp)) < 60)
      let expected = WebhookSignature.header(
        id: id, timestamp: timestamp, body: taken.body, secrets: [try #require(WebhookSecret(Self.secret))])
      #expect(taken.header("webhook-signature") == expected)
    }
  }

  @Test func doesNotFollowRedirects() async throws {
    let trap = Receiver { _ in .status(200) }
    let receiver = Receiver { _ in .status(302, headers: ["Location: http://127.0.0.1:\(trap.port)/"]) }
    defer {
      trap.stop()
      receiver.stop()
    }
    let places = [receiver, trap].map { "http://127.0.0.1:\($0.port)" }
    try await Self.withStore(calling: places[0]) { store, id in
      let webhook = try await Self.attempt(Self.settings(places.joined(separator: " ")), store, id)
      #expect(webhook.state == .waiting && webhook.status == 302)
      #expect(webhook.error?.contains("not followed") == true)
      #expect(receiver.taken.count == 1 && trap.taken.isEmpty)
    }
  }

  @Test func connectsToAddressResolvedOnce() async throws {
    let receiver = Receiver { _ in .status(200) }
    defer { receiver.stop() }
    let url = try #require(WebhookURL("http://rebind.invalid:\(receiver.port)/"))
    let rules = try #require(WebhookRules(["http://rebind.invalid:\(receiver.port)", "127.0.0.1"]))
    let asked = Locked(0)
    let request = WebhookRequest(url: url, headers: ["X: y"], userAgent: "t", body: [1], timeout: 5)
    // No resolver knows this name, so reaching the receiver shows that it was not resolved again.
    let answer = await request.send(rules) { _ in
      asked.withLock { $0 += 1 }
      return .success([NetworkAddress("127.0.0.1")].compactMap(\.self))
    }
    #expect(answer == .status(200) && asked.withLock { $0 } == 1)
    #expect(receiver.taken.first?.header("host") == "rebind.invalid:\(receiver.port)")
  }

  @Test func rejectsPrivateAddress() async throws {
    let receiver = Receiver { _ in .status(200) }
    defer { receiver.stop() }
    // The name is allowed, and resolves to this machine.
    let url = try #require(WebhookURL("http://localhost:\(receiver.port)/"))
    let rules = try #require(WebhookRules(["http://localhost:\(receiver.port)"]))
    let request = WebhookRequest(url: url, headers: ["X: y"], userAgent: "t", body: [1], timeout: 5)
    guard case .none(let reason) = await request.send(rules) else {
      Issue.record("it was sent")
      return
    }
    #expect(reason.contains("no public address") && !reason.contains("127.0.0.1"))
    // The address that libcurl would connect to is checked again: a literal address that was not resolved.
    let literal = try #require(WebhookURL("http://127.0.0.1:\(receiver.port)/"))
    let other = WebhookRequest(url: literal, headers: ["X: y"], userAgent: "t", body: [1], timeout: 5)
    let answer = await other.send(rules) { _ in .success([NetworkAddress("93.184.216.34")].compactMap(\.self)) }
    guard case .none = answer else {
      Issue.record("it was sent: \(answer)")
      return
    }
    #expect(receiver.taken.isEmpty)
  }

  @Test(arguments: [
    (Receiver.Reply.status(204), Webhook.State.delivered, 204 as Int?), (.status(299), .delivered, 299),
    (.status(500), .waiting, 500), (.status(404), .waiting, 404), (.status(429), .waiting, 429),
    (.status(410), .failed, 410), (.cut, .waiting, nil), (.silence(seconds: 3), .waiting, nil),
    (.endless, .delivered, 200), (.endlessHeaders, .waiting, nil),
  ])
  func responseDecidesOutcome(reply: Receiver.Reply, state: Webhook.State, status: Int?) async throws {
    let receiver = Receiver { _ in reply }
    defer { receiver.stop() }
    let place = "http://127.0.0.1:\(receiver.port)"
    try await Self.withStore(calling: place) { store, id in
      let webhook = try await Self.attempt(Self.settings(place, timeout: 0.5), store, id)
      #expect(webhook.state == state && webhook.status == status, "\(webhook)")
      #expect((webhook.error == nil) == (state == .delivered))
    }
  }

  @Test func rejectsHostNoLongerAllowed() async throws {
    let receiver = Receiver { _ in .status(200) }
    defer { receiver.stop() }
    try await Self.withStore(calling: "http://127.0.0.1:\(receiver.port)") { store, id in
      let webhook = try await Self.attempt(Self.settings("hooks.example.com"), store, id)
      #expect(webhook.state == .failed && webhook.error?.contains("webhooks.allow") == true)
      #expect(receiver.taken.isEmpty)
    }
  }

  @Test func retriesUntilPeriodEnds() async throws {
    let gone = Receiver { _ in .cut }
    gone.stop()
    let place = "http://127.0.0.1:\(gone.port)"
    try await Self.withStore(calling: place) { store, id in
      let waiting = try await Self.attempt(Self.settings(place), store, id, backoff: 10)
      #expect(waiting.state == .waiting && waiting.error?.contains("No response") == true)
      #expect(try #require(waiting.nextAttemptAt) > waiting.updatedAt)
      _ = try await store.retryWebhook(jobID: id)
      #expect(try await Self.attempt(Self.settings(place, retryFor: 0), store, id).state == .failed)
    }
  }

  @Test func serviceRetriesUntilAccepted() async throws {
    let receiver = Receiver { $0 < 3 ? [.cut, .status(503), .silence(seconds: 1)][$0] : .status(200) }
    defer { receiver.stop() }
    let place = "http://127.0.0.1:\(receiver.port)"
    try await Self.withStore(calling: place) { store, id in
      let delivery = try Self.delivery(Self.settings(place, timeout: 0.5), store)
      let service = Task { try await delivery.run() }
      #expect(try await receiver.taken(atLeast: 4).count == 4)
      for _ in 0..<500 where try await store.webhook(jobID: id)?.state == .waiting {
        try await Task.sleep(for: .milliseconds(10))
      }
      service.cancel()
      try await service.value
      let webhook = try #require(try await store.webhook(jobID: id))
      #expect(webhook.state == .delivered && webhook.attempts == 4)
      #expect(Set(receiver.taken.compactMap { $0.header("webhook-id") }) == [id])
      let outcomes = delivery.figures.samples.map { [$0.labels["outcome"]: $0.value] }
      #expect(outcomes == [["delivered": .counter(1)], ["failed": .counter(3)]])
    }
  }

  @Test func hangingReceiverLeavesRoomForOthers() async throws {
    let (hanging, good) = (Receiver { _ in .silence(seconds: 60) }, Receiver { _ in .status(200) })
    defer {
      hanging.stop()
      good.stop()
    }
    let places = [hanging, good].map { "http://127.0.0.1:\($0.port)" }
    try await Self.withStore(calling: places[0]) { store, id in
      // Two spellings of the hanging one, all due before the good one.
      for number in 0..<60 {
        let host = number % 3 == 0 ? "someone@127.0.0.1" : "127.0.0.1"
        try await Self.end(in: store, calling: "http://\(host):\(hanging.port)/\(number)")
      }
      let last = try await Self.end(in: store, calling: places[1] + "/hook")
      let delivery = try Self.delivery(Self.settings(places.joined(separator: " "), timeout: 60), store)
      let service = Task { try await delivery.run() }
      #expect(try await good.taken(atLeast: 1).compactMap { $0.header("webhook-id") } == [last])
      try await Task.sleep(for: .milliseconds(2500))
      #expect(hanging.taken.count == 8, "no more than its part of the places")
      service.cancel()
      try await service.value
      let all = try await store.webhooks(WebhookFilter(), limit: 100, cursor: nil).items
      #expect(all.count == 62 && all.filter { $0.state == .delivered }.map(\.jobID) == [last])
      #expect(all.allSatisfy { $0.state == .delivered || ($0.state == .waiting && $0.attempts == 0) })
    }
  }

  @Test func attemptsToHangingReceiversBeginTogether() async throws {
    let receivers = (0..<4).map { _ in Receiver { _ in .silence(seconds: 60) } }
    defer { receivers.forEach { $0.stop() } }
    let places = receivers.map { "http://127.0.0.1:\($0.port)" }
    try await Self.withStore(calling: places[0]) { store, _ in
      for number in 1..<40 { try await Self.end(in: store, calling: places[number % 4]) }
      let delivery = try Self.delivery(Self.settings(places.joined(separator: " "), timeout: 60), store)
      let service = Task { try await delivery.run() }
      let begun = ContinuousClock.now
      while receivers.map(\.taken.count).reduce(0, +) < 32, .now - begun < .seconds(6) {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(receivers.map(\.taken.count) == [8, 8, 8, 8])
      service.cancel()
      try await service.value
    }
  }

  @Test func stopInterruptsAttemptAndReleasesWebhook() async throws {
    let receiver = Receiver { _ in .silence(seconds: 60) }
    defer { receiver.stop() }
    let place = "http://127.0.0.1:\(receiver.port)"
    try await Self.withStore(calling: place) { store, id in
      let delivery = try Self.delivery(Self.settings(place, timeout: 60), store)
      let service = Task { try await delivery.run() }
      #expect(try await receiver.taken(atLeast: 1).count == 1)
      service.cancel()
      try await service.value
      let webhook = try #require(try await store.webhook(jobID: id))
      #expect(webhook.state == .waiting && webhook.attempts == 0)
      #expect(try await store.claimWebhooks(limit: 1, lease: 60).count == 1, "it is due immediately")
    }
  }

  @Test func pausesGrowWithJitter() {
    for (attempt, seconds) in [(1, 5.0), (2, 10), (5, 80), (12, 10_240), (13, 14_400), (1_000_000, 14_400)] {
      let pauses = (0..<50).map { _ in WebhookDelivery.backoff(attempt) }
      #expect(pauses.allSatisfy { (seconds * 0.5...seconds * 1.5).contains($0) } && Set(pauses).count > 1)
    }
  }
}
