import Foundation
import JobStore
import Testing

/// Webhooks: claims, retries and lists.
public struct WebhookConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Every end of a job adds its webhook once") { try await $0.everyEndAddsOneWebhook() },
      Check("A webhook has one holder at a time, until its lease expires") {
        try await $0.webhookHasOneHolderUntilLeaseExpires()
      },
      Check("A failed webhook is retried after a delay, and abandoned after its period") {
        try await $0.retriesFailedWebhookWithinPeriod()
      },
      Check("An abandoned webhook can be retried manually, for a full period") {
        try await $0.manualRetryStartsFullPeriod()
      },
      Check("Concurrent claims take each webhook once, the longest due first") {
        try await $0.claimsEachWebhookOnceLongestDueFirst()
      },
      Check("A claim leaves out places, however their addresses continue") {
        try await $0.leavesOutPlaces()
      },
      Check("A webhook is deleted with its job") { try await $0.deletingJobDeletesWebhook() },
      Check("Webhooks are listed newest first, by state and by key") { try await $0.listsWebhooksNewestFirst() },
      Check("Setting the wall clock neither loses nor stops a webhook") {
        try await $0.wallClockDoesNotAffectWebhooks()
      },
    ]
  }

  private static var url: String { "https://hooks.example.com/a?token=1" }

  /// Stores a job, and ends it unless `outcome` is nil.
  @discardableResult
  private func job(
    in store: Stores.Store, calling url: String? = Self.url, keyID: String? = nil,
    outcome: JobOutcome? = .read(reading("C02G414GMD6N"), save: true)
  ) async throws -> String {
    var job = newJob()
    job.callbackURL = url
    job.request.origin = Origin(keyID: keyID)
    try await store.enqueue(job)
    guard let outcome else { return job.id }
    let claimed = try #require(try await store.claimNext(worker: "w", lease: 60))
    try await store.finish(claimed.claim, with: outcome)
    return job.id
  }

  private func claimOne(in store: Stores.Store, lease: TimeInterval = 30) async throws -> ClaimedWebhook? {
    try await store.claimWebhooks(limit: 1, lease: lease).first
  }

  func everyEndAddsOneWebhook() async throws {
    try await stores.withStore { store, time in
      let silent = try await job(in: store, calling: nil)
      #expect(try await store.webhook(jobID: silent) == nil)
      let waiting = try await job(in: store, outcome: nil)
      #expect(try await store.webhook(jobID: waiting) == nil, "the job has not ended")
      let cancelled = try await store.cancel(id: waiting, because: JobError(code: .cancelled, detail: "No."))
      #expect(cancelled?.state == .failed)
      var ended = [waiting]
      ended.append(try await job(in: store))
      ended.append(try await job(in: store, outcome: .read(reading(nil), save: true)))
      ended.append(try await job(in: store, outcome: .failed(JobError(code: .readerCrashed, detail: "It died."))))
      // The rescue ends a job without attempts left.
      let lost = try await job(in: store, outcome: nil)
      _ = try #require(try await store.claimNext(worker: "w", lease: 1))
      try await time.pass(10)
      #expect(try await store.rescueExpired(maxAttempts: 1) == [lost])
      ended.append(lost)
      for id in ended {
        let webhook = try #require(try await store.webhook(jobID: id))
        #expect(webhook.state == .waiting && webhook.url == Self.url && webhook.attempts == 0)
        #expect(webhook.nextAttemptAt == webhook.createdAt && webhook.status == nil && webhook.error == nil)
      }
      let claimed = try await store.claimWebhooks(limit: 100, lease: 30)
      #expect(Set(claimed.map(\.webhook.jobID)) == Set(ended) && claimed.count == ended.count)
      // A later confirmation is not an end.
      for claim in claimed { try await store.endWebhook(claim, with: .delivered(status: 204)) }
      let delivered = try #require(try await store.webhook(jobID: ended[1]))
      #expect(delivered.state == .delivered && delivered.status == 204 && delivered.attempts == 1)
      #expect(delivered.nextAttemptAt == nil)
      #expect(try await store.claimWebhooks(limit: 100, lease: 30).isEmpty)
    }
  }

  func webhookHasOneHolderUntilLeaseExpires() async throws {
    try await stores.withStore { store, time in
      let id = try await job(in: store)
      let slow = try #require(try await claimOne(in: store))
      #expect(slow.webhook.attempts == 1)
      try await time.pass(29)
      #expect(try await claimOne(in: store) == nil)
      try await time.pass(1)
      let quick = try #require(try await claimOne(in: store))
      #expect(quick.webhook.jobID == id && quick.webhook.attempts == 2 && quick.token != slow.token)
      let lost = StoreError.claimLost(jobID: id)
      await #expect(throws: lost) { try await store.endWebhook(slow, with: .delivered(status: 200)) }
      // Interrupted by a stopping server: due immediately, and the attempt does not count.
      try await store.endWebhook(quick, with: .interrupted)
      await #expect(throws: lost) { try await store.endWebhook(quick, with: .delivered(status: 200)) }
      #expect(try await claimOne(in: store)?.webhook.attempts == 2)
    }
  }

  func retriesFailedWebhookWithinPeriod() async throws {
    try await stores.withStore { store, time in
      let id = try await job(in: store)
      func fail(_ delay: TimeInterval, status: Int? = 503) async throws -> Webhook? {
        let claim = try #require(try await claimOne(in: store))
        try await store.endWebhook(
          claim, with: .failed(WebhookFailure(status: status, "It failed."), delay: delay, period: 100))
        return try await store.webhook(jobID: id)
      }
      let first = try #require(try await fail(10))
      #expect(first.state == .waiting && first.status == 503 && first.error == "It failed.")
      #expect(try #require(first.nextAttemptAt).timeIntervalSince(first.updatedAt).rounded() == 10)
      try await time.pass(9)
      #expect(try await claimOne(in: store) == nil)
      try await time.pass(1)
      // If the delay would pass the end of the period, the last attempt is at its end.
      let second = try #require(try await fail(1000, status: nil))
      #expect(second.state == .waiting && second.status == nil)
      #expect(try #require(second.nextAttemptAt).timeIntervalSince(second.createdAt).rounded() == 100)
      try await time.pass(90)
      let last = try #require(try await fail(10))
      #expect(last.state == .failed && last.attempts == 3 && last.nextAttemptAt == nil)
      try await time.pass(1000)
      #expect(try await claimOne(in: store) == nil)
      #expect(try await store.webhookCounts() == [.waiting: 0, .failed: 1])
    }
  }

  func manualRetryStartsFullPeriod() async throws {
    try await stores.withStore { store, time in
      let id = try await job(in: store)
      #expect(try await store.retryWebhook(jobID: "none") == nil)
      let gone = WebhookFailure(status: 410, "Gone.")
      try await store.endWebhook(try #require(try await claimOne(in: store)), with: .refused(gone))
      #expect(try await store.webhook(jobID: id)?.state == .failed)
      try await time.pass(1000)
      #expect(try await store.retryWebhook(jobID: id)?.state == .waiting)
      let again = try #require(try await claimOne(in: store))
      // A retry leaves a claimed webhook with its holder, and restarts its period.
      #expect(try await store.retryWebhook(jobID: id)?.state == .waiting)
      #expect(try await claimOne(in: store) == nil)
      try await store.endWebhook(again, with: .failed(gone, delay: 1, period: 100))
      #expect(try await store.webhook(jobID: id)?.state == .waiting, "the period started again")
      try await time.pass(1)
      try await store.endWebhook(try #require(try await claimOne(in: store)), with: .delivered(status: 200))
      // A delivered webhook is sent again.
      #expect(try await store.retryWebhook(jobID: id)?.state == .waiting)
      #expect(try await claimOne(in: store)?.webhook.jobID == id)
    }
  }

  func claimsEachWebhookOnceLongestDueFirst() async throws {
    try await stores.withStore { store, time in
      var ids: [String] = []
      for _ in 0..<12 {
        ids.append(try await job(in: store))
        try await time.pass(1)
      }
      #expect(try await claimOne(in: store)?.webhook.jobID == ids[0])
      let claimed = try await withThrowingTaskGroup(of: [ClaimedWebhook].self) { group in
        for _ in 0..<6 { group.addTask { try await store.claimWebhooks(limit: 3, lease: 30) } }
        return try await group.reduce(into: [String]()) { $0 += $1.map(\.webhook.jobID) }
      }
      // Concurrent claims may return fewer; a final claim takes the rest.
      let rest = try await store.claimWebhooks(limit: 100, lease: 30).map(\.webhook.jobID)
      #expect((claimed + rest).sorted() == ids.dropFirst().sorted())
    }
  }

  func leavesOutPlaces() async throws {
    try await stores.withStore { store, _ in
      let place = "https://hooks.example.com"
      for end in ["", "/", "?a=1", "/a?token=1"] { try await job(in: store, calling: place + end) }
      let others = ["https://hooks.example.com:8443/", "https://hooks.example.com.au/", "http://hooks.example.com/"]
      for other in others { try await job(in: store, calling: other) }
      let claimed = try await store.claimWebhooks(
        limit: 2, lease: 30, notAt: [place, "https://hooks.example.com:8443"])
      #expect(claimed.map(\.webhook.url) == Array(others.dropFirst()))
      #expect(try await store.claimWebhooks(limit: 10, lease: 30, notAt: [place]).map(\.webhook.url) == [others[0]])
      #expect(try await store.claimWebhooks(limit: 10, lease: 30).count == 4)
    }
  }

  func deletingJobDeletesWebhook() async throws {
    try await stores.withStore { store, time in
      let id = try await job(in: store)
      let claim = try #require(try await claimOne(in: store))
      _ = try await store.deleteJob(id: id, alsoSerial: false)
      #expect(try await store.webhook(jobID: id) == nil)
      await #expect(throws: StoreError.claimLost(jobID: id)) {
        try await store.endWebhook(claim, with: .delivered(status: 200))
      }
      let old = try await job(in: store)
      try await time.pass(100)
      let ended = try #require(try await store.job(id: old)).updatedAt
      #expect(try await store.pruneJobs(endedBefore: ended + 1, limit: 10) == 1)
      #expect(try await store.webhooks(WebhookFilter(), limit: 10, cursor: nil).items.isEmpty)
      #expect(try await store.claimWebhooks(limit: 10, lease: 30).isEmpty)
    }
  }

  func listsWebhooksNewestFirst() async throws {
    try await stores.withStore { store, _ in
      var ids: [String] = []
      for number in 0..<5 { ids.append(try await job(in: store, keyID: number < 2 ? "a" : nil)) }
      let first = try await store.webhooks(WebhookFilter(), limit: 3, cursor: nil)
      let second = try await store.webhooks(WebhookFilter(), limit: 3, cursor: first.nextCursor)
      #expect((first.items + second.items).map(\.jobID) == ids.reversed())
      #expect(first.nextCursor != nil && second.nextCursor == nil)
      let own = try await store.webhooks(WebhookFilter(keyID: "a"), limit: 10, cursor: nil)
      #expect(own.items.map(\.jobID) == [ids[1], ids[0]] && own.items.allSatisfy { $0.keyID == "a" })
      try await store.endWebhook(try #require(try await claimOne(in: store)), with: .delivered(status: 200))
      let waiting = try await store.webhooks(WebhookFilter(state: .waiting, keyID: "a"), limit: 10, cursor: nil)
      #expect(waiting.items.map(\.jobID) == [ids[1]])
      #expect(try await store.webhookCounts() == [.waiting: 4, .failed: 0])
      let foreign = Cursor(value: .integer(1), number: 1, order: "jobs").text
      await #expect(throws: InvalidCursor.self) {
        try await store.webhooks(WebhookFilter(), limit: 10, cursor: foreign)
      }
    }
  }

  func wallClockDoesNotAffectWebhooks() async throws {
    try await stores.withStore { store, time in
      let id = try await job(in: store)
      try await time.setWallClock(by: -365 * 86_400)
      let claim = try #require(try await claimOne(in: store))
      #expect(claim.webhook.jobID == id)
      try await store.endWebhook(
        claim, with: .failed(WebhookFailure(status: 500, "It failed."), delay: 5, period: 1e9))
      #expect(try await store.webhook(jobID: id)?.state == .waiting)
      try await time.pass(5)
      #expect(try await claimOne(in: store)?.webhook.attempts == 2)
    }
  }
}
