import Foundation
import JobStore
import ScanModel
import Testing

/// Batches: their changes, their jobs and serials, and their tallies.
public struct BatchConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("A batch is created once, renamed, ended and reopened") {
        try await $0.createsRenamesEndsAndReopensBatch()
      },
      Check("Names of open batches are unique, ignoring case") { try await $0.openBatchNamesAreUnique() },
      Check("Batches are listed newest first, by state, each once across pages") {
        try await $0.listsBatchesNewestFirst()
      },
      Check("Jobs and serials are listed and counted by batch") { try await $0.listsAndCountsByBatch() },
      Check("An ended or unknown batch accepts no jobs and no serials") {
        try await $0.rejectsJobsAndSerialsForClosedBatch()
      },
      Check("A request repeated after the batch ended returns its first result") {
        try await $0.repeatedRequestReturnsFirstResult()
      },
      Check("The tally follows reads, confirmations, corrections and deletions") {
        try await $0.tallyFollowsReadsAndCorrections()
      },
      Check("A resent photo counts only as a duplicate, even after its first job expired") {
        try await $0.countsResentPhotoAsDuplicate()
      },
      Check("Retention keeps the counts of the jobs it deletes") { try await $0.retentionKeepsTally() },
      Check("Deleting a batch keeps its jobs and serials, including those being read") {
        try await $0.deletingBatchKeepsJobsAndSerials()
      },
      Check("Concurrent writers keep the tally exact") { try await $0.concurrentWritersKeepTallyExact() },
      Check("Statistics of a batch count only its serials and jobs") { try await $0.statisticsCountOnlyTheBatch() },
    ]
  }

  func createsRenamesEndsAndReopensBatch() async throws {
    try await stores.withStore { store, time in
      let id = newID()
      let made = try await store.addBatch(id: id, name: "Lot 14, Monday", keyID: "k")
      #expect(made == Batch(id: id, name: "Lot 14, Monday", createdAt: made.createdAt, keyID: "k"))
      #expect(try await store.addBatch(id: id, name: "Lot 14, Monday", keyID: "k") == made)
      #expect(try await store.batch(id: id) == made)
      #expect(try await store.hasBatch(id: id))
      #expect(try await !store.hasBatch(id: newID()))
      #expect(try await store.changeBatch(id: id, BatchChange()) == made)
      #expect(try await store.changeBatch(id: id, BatchChange(name: "Lot 15"))?.name == "Lot 15")
      try await time.pass(60)
      let ended = try #require(try await store.changeBatch(id: id, BatchChange(isEnded: true)))
      #expect(try #require(ended.endedAt).timeIntervalSince(ended.createdAt) >= 60)
      try await time.pass(60)
      #expect(try await store.changeBatch(id: id, BatchChange(name: "Lot 16", isEnded: true))?.endedAt == ended.endedAt)
      let open = try #require(try await store.changeBatch(id: id, BatchChange(isEnded: false)))
      #expect(open.endedAt == nil && open.name == "Lot 16")
      #expect(try await store.batch(id: newID()) == nil)
      #expect(try await store.changeBatch(id: newID(), BatchChange(name: "x")) == nil)
      #expect(try await store.batch(id: "a\0b") == nil)
    }
  }

  func openBatchNamesAreUnique() async throws {
    try await stores.withStore { store, _ in
      let (first, second) = (newID(), newID())
      _ = try await store.addBatch(id: first, name: "École 5", keyID: nil)
      await #expect(throws: BatchError.nameTaken("ÉCOLE 5")) {
        try await store.addBatch(id: second, name: "ÉCOLE 5", keyID: nil)
      }
      _ = try await store.addBatch(id: second, name: "Other", keyID: nil)
      await #expect(throws: BatchError.nameTaken("école 5")) {
        try await store.changeBatch(id: second, BatchChange(name: "école 5"))
      }
      _ = try await store.changeBatch(id: first, BatchChange(isEnded: true))
      #expect(try await store.changeBatch(id: second, BatchChange(name: "école 5"))?.name == "école 5")
      await #expect(throws: BatchError.nameTaken("École 5")) {
        try await store.changeBatch(id: first, BatchChange(isEnded: false))
      }
      #expect(try await store.batch(id: first)?.endedAt != nil)
    }
  }

  func listsBatchesNewestFirst() async throws {
    try await stores.withStore { store, _ in
      let ids = (0..<9).map { _ in newID() }
      for (number, id) in ids.enumerated() {
        _ = try await store.addBatch(id: id, name: "Lot \(number)", keyID: nil)
        if number % 3 == 0 { _ = try await store.changeBatch(id: id, BatchChange(isEnded: true)) }
        try await enqueue(number, into: id, in: store)
      }
      for (areOpen, expected) in [
        (nil, [8, 7, 6, 5, 4, 3, 2, 1, 0]), (true, [8, 7, 5, 4, 2, 1]), (false, [6, 3, 0]),
      ]
        as [(Bool?, [Int])]
      {
        var found: [Batch] = []
        var cursor: String?
        repeat {
          let page = try await store.batches(areOpen: areOpen, limit: 2, cursor: cursor)
          found += page.items
          cursor = page.nextCursor
        } while cursor != nil
        #expect(found.map(\.id) == expected.map { ids[$0] })
        #expect(found.map(\.tally.waiting) == expected.map { $0 % 3 == 0 ? 0 : $0 })
      }
      await #expect(throws: InvalidCursor()) { try await store.batches(areOpen: nil, limit: 10, cursor: "nonsense") }
    }
  }

  /// Stores jobs in a batch, unless it has ended.
  private func enqueue(_ count: Int, into batch: String, in store: Stores.Store) async throws {
    for _ in 0..<count {
      do { try await store.enqueue(newJob(in: batch)) } catch is BatchError {}
    }
  }

  func listsAndCountsByBatch() async throws {
    try await stores.withStore { store, _ in
      let (mine, other) = (newID(), newID())
      for (id, name) in [(mine, "Mine"), (other, "Other")] {
        _ = try await store.addBatch(id: id, name: name, keyID: nil)
      }
      let jobs = [newJob(in: mine), newJob(in: other), newJob(), newJob(in: mine)]
      let start = try await store.now()
      for (job, serial) in zip(jobs, ["C02XL0THJHC1", "C02XL0THJHC2", "C02XL0THJHC3", nil]) {
        try await end(job, with: .read(reading(serial), save: serial != nil), in: store)
      }
      #expect(try await store.job(id: jobs[0].id)?.request.batchID == mine)
      let listed = try await store.jobs(JobFilter(batchID: mine), limit: 10, cursor: nil).items
      #expect(listed.map(\.id) == [jobs[3].id, jobs[0].id])
      let failed = try await store.jobs(JobFilter(state: .failed, batchID: mine), limit: 10, cursor: nil).items
      #expect(failed.map(\.id) == [jobs[3].id])
      let ended = try await store.endedJobs(
        after: EndPosition(time: start), keyID: nil, batchID: mine, limit: 10)
      #expect(ended.map(\.job.id) == [jobs[0].id, jobs[3].id])

      let typed = try await store.save(
        NewSerial(serial: "C02XL0THJHC4", confidence: 1, source: .ios, isValid: true, batchID: mine))
      #expect(typed.batchID == mine)
      for sort in SerialQuery.Sort.allCases {
        let page = try await store.serials(
          SerialQuery(filter: SerialFilter(batchID: mine), sort: sort, ascending: true))
        #expect(Set(page.items.map(\.serial)) == ["C02XL0THJHC1", "C02XL0THJHC4"])
        #expect(page.items.allSatisfy { $0.batchID == mine })
      }
      #expect(try await store.serialCount(SerialFilter(batchID: mine)) == 2)
      #expect(try await store.serialCount(SerialFilter(search: "HC4", batchID: other)) == 0)
    }
  }

  func rejectsJobsAndSerialsForClosedBatch() async throws {
    try await stores.withStore { store, _ in
      let (ended, unknown) = (newID(), newID())
      _ = try await store.addBatch(id: ended, name: "Lot 14", keyID: nil)
      _ = try await store.changeBatch(id: ended, BatchChange(isEnded: true))
      for (id, error) in [(ended, BatchError.ended(name: "Lot 14")), (unknown, .notFound(id: unknown))] {
        await #expect(throws: error) { try await store.enqueue(newJob(in: id)) }
        for key in [nil, SaveKey(name: "k \(id)", request: "r")] {
          await #expect(throws: error) {
            try await store.save(
              NewSerial(serial: "C02XL0THJHCC", confidence: 1, source: .ios, isValid: true, key: key, batchID: id))
          }
        }
      }
      #expect(try await store.blobs.list(.photo, after: nil, limit: 10) == [])
      #expect(try await store.serialCount(SerialFilter()) == 0)
      #expect(try await store.queueStatus().waiting == 0)
    }
  }

  func repeatedRequestReturnsFirstResult() async throws {
    try await stores.withStore { store, _ in
      let batch = newID()
      _ = try await store.addBatch(id: batch, name: "Lot 14", keyID: nil)
      var job = newJob(key: "k", digest: "d")
      job.request.batchID = batch
      let serial = NewSerial(
        serial: "C02XL0THJHCC", confidence: 1, source: .ios, isValid: true, key: SaveKey(name: "s", request: "r"),
        batchID: batch)
      _ = try await store.enqueue(job)
      let saved = try await store.save(serial)
      _ = try await store.changeBatch(id: batch, BatchChange(isEnded: true))
      var again = newJob(key: "k", digest: "d")
      again.request.batchID = batch
      let known = try await store.enqueue(again)
      #expect(known.isDuplicate && known.id == job.id)
      #expect(try await store.save(serial).id == saved.id)
      var other = serial
      other.key?.request = "other"
      await #expect(throws: StoreError.saveConflict(serialID: saved.id)) { try await store.save(other) }
    }
  }

  func tallyFollowsReadsAndCorrections() async throws {
    try await stores.withStore { store, _ in
      let batch = newID()
      _ = try await store.addBatch(id: batch, name: "Lot 14", keyID: nil)
      func tally() async throws -> BatchTally? { try await store.batch(id: batch)?.tally }
      let jobs = (0..<6).map { _ in newJob(in: batch) }
      for job in jobs { try await store.enqueue(job) }
      #expect(try await tally() == BatchTally(waiting: 6))
      var uncertain = reading("C02XL0THJHC2", confidence: 0.6)
      uncertain.verdict = .uncertain
      let damaged = JobOutcome.failed(JobError(code: .damagedImage, detail: "It is damaged."))
      for outcome in [
        .read(reading("C02XL0THJHC1"), save: true), .read(reading("C02XL0THJHC1"), save: true),
        .read(uncertain, save: false), .read(reading(nil), save: false), damaged,
      ] as [JobOutcome] {
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: outcome)
      }
      let read = BatchTally(waiting: 1, accepted: 2, needsReview: 1, noSerial: 2, duplicates: 1, devices: 1)
      #expect(try await tally() == read && read.photos == 6)

      for (number, serial) in [(2, "C02XL0THJHC2"), (3, "C02XL0THJHC3"), (0, "C02XL0THJHC1")] {
        _ = try await store.confirm(job: jobs[number].id, serial: serial, isValid: true)
      }
      #expect(
        try await tally()
          == BatchTally(waiting: 1, accepted: 1, noSerial: 1, confirmed: 3, duplicates: 1, devices: 3))
      let row = try #require(
        try await store.serials(SerialQuery(filter: SerialFilter(search: "C02XL0THJHC3"))).items.first)
      #expect(row.batchID == batch)
      _ = try await store.changeSerial(id: row.id, SerialChange(serial: ("C02XL0THJHC2", true)))
      #expect(try await tally()?.devices == 2)
      #expect(try await tally()?.duplicates == 2)
      try await store.deleteSerial(id: row.id)
      let after = BatchTally(waiting: 1, accepted: 1, noSerial: 2, confirmed: 2, duplicates: 1, devices: 2)
      #expect(try await tally() == after)

      try await store.deleteJob(id: jobs[0].id, alsoSerial: true)
      try await store.deleteJob(id: jobs[1].id, alsoSerial: false)
      _ = try await store.cancel(id: jobs[5].id, because: JobError(code: .cancelled, detail: "No longer wanted."))
      #expect(try await tally() == BatchTally(noSerial: 3, confirmed: 1, devices: 2))
    }
  }

  func countsResentPhotoAsDuplicate() async throws {
    try await stores.withStore { store, time in
      let batch = newID()
      _ = try await store.addBatch(id: batch, name: "Lot 14", keyID: nil)
      var jobs: [NewJob] = []
      for hash in ["a", "a", "b", "a"] {
        var job = newJob(in: batch)
        job.photoHash = hash
        jobs.append(job)
        try await end(job, with: .read(reading("C02XL0THJH\(hash.uppercased())1"), save: true), in: store)
      }
      #expect(try await store.job(id: jobs[3].id)?.duplicateOf == jobs[0].id)
      func tally() async throws -> BatchTally? { try await store.batch(id: batch)?.tally }
      #expect(try await tally() == BatchTally(accepted: 2, duplicates: 2, devices: 2))
      _ = try await store.confirm(job: jobs[1].id, serial: "C02XL0THJHA1", isValid: true)
      let all = BatchTally(accepted: 1, confirmed: 1, duplicates: 2, devices: 2)
      #expect(try await tally() == all)
      // The first job represents the resent ones until it is deleted.
      try await store.deleteJob(id: jobs[0].id, alsoSerial: false)
      #expect(try await tally() == BatchTally(accepted: 1, confirmed: 1, duplicates: 1, devices: 2))
      try await time.pass(10)
      #expect(try await store.pruneJobs(endedBefore: Date(microseconds: store.now()), limit: 10) == 3)
      let left = try await tally()
      #expect(left?.photos == 2 && left?.duplicates == 1 && left?.devices == 2)
    }
  }

  func retentionKeepsTally() async throws {
    try await stores.withStore { store, time in
      let (batch, other) = (newID(), newID())
      for id in [batch, other] { _ = try await store.addBatch(id: id, name: "Lot \(id)", keyID: nil) }
      let jobs = [newJob(in: batch), newJob(in: batch), newJob(in: batch), newJob(in: other), newJob()]
      for (job, serial) in zip(jobs, ["C02XL0THJHC1", "C02XL0THJHC1", nil, "C02XL0THJHC2", "C02XL0THJHC3"]) {
        try await end(job, with: .read(reading(serial), save: serial != nil), in: store)
      }
      _ = try await store.confirm(job: jobs[1].id, serial: "C02XL0THJHC1", isValid: true)
      let before = try await store.batch(id: batch)?.tally
      #expect(before == BatchTally(accepted: 1, noSerial: 1, confirmed: 1, duplicates: 1, devices: 1))
      try await time.pass(10)
      let later = Date(microseconds: try await store.now())
      #expect(try await store.pruneJobs(endedBefore: later, limit: 2) == 2)
      #expect(try await store.batch(id: batch)?.tally == before)
      #expect(try await store.pruneJobs(endedBefore: later, limit: 10) == 3)
      #expect(try await store.batch(id: batch)?.tally == before)
      #expect(try await store.batch(id: other)?.tally == BatchTally(accepted: 1, devices: 1))
      try await store.enqueue(newJob(in: batch))
      #expect(try await store.batch(id: batch)?.tally.photos == 4)
    }
  }

  func deletingBatchKeepsJobsAndSerials() async throws {
    try await stores.withStore { store, _ in
      let batch = newID()
      _ = try await store.addBatch(id: batch, name: "Lot 14", keyID: nil)
      let jobs = (0..<3).map { _ in newJob(in: batch) }
      try await end(jobs[0], with: .read(reading("C02XL0THJHC1"), save: true), in: store)
      #expect(try await store.job(id: jobs[0].id)?.request.batchID == batch)
      for job in jobs[1...] { try await store.enqueue(job) }
      let held = try #require(try await store.claimNext(worker: "w", lease: 10))
      #expect(try await store.deleteBatch(id: batch))
      #expect(try await !store.deleteBatch(id: batch))
      #expect(try await store.batch(id: batch) == nil)
      try await store.finish(held.claim, with: .read(reading("C02XL0THJHC2"), save: true))
      for job in jobs { #expect(try await store.job(id: job.id)?.request.batchID == nil) }
      let serials = try await store.serials(SerialQuery()).items
      #expect(serials.count == 2 && serials.allSatisfy { $0.batchID == nil })
      #expect(try await store.jobs(JobFilter(batchID: batch), limit: 10, cursor: nil).items.isEmpty)
      await #expect(throws: BatchError.notFound(id: batch)) { try await store.enqueue(newJob(in: batch)) }
    }
  }

  func concurrentWritersKeepTallyExact() async throws {
    try await stores.withStore { store, _ in
      let batch = newID()
      _ = try await store.addBatch(id: batch, name: "Lot 14", keyID: nil)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<6 {
          group.addTask {
            for number in 0..<8 {
              try await store.enqueue(newJob(in: batch))
              let claimed = try await claim(from: store)
              let serial = number % 4 == 3 ? nil : "C02XL0THJ\(writer)\(number % 4)A"
              let ended = try await store.finish(claimed.claim, with: .read(reading(serial), save: serial != nil))
              if number == 7 {
                _ = try await store.confirm(job: ended.id, serial: "C02XL0THJ\(writer)9A", isValid: true)
              }
              if number == 6 { try await store.deleteJob(id: ended.id, alsoSerial: true) }
              _ = try await store.batch(id: batch)
            }
          }
        }
        try await group.waitForAll()
      }
      // Of each writer's eight photos, two had no serial, of which one was confirmed, and one of the others was deleted.
      let tally = try #require(try await store.batch(id: batch)?.tally)
      #expect(tally == BatchTally(accepted: 30, noSerial: 6, confirmed: 6, duplicates: 12, devices: 24))
    }
  }

  func statisticsCountOnlyTheBatch() async throws {
    try await stores.withStore { store, _ in
      let batch = newID()
      _ = try await store.addBatch(id: batch, name: "Lot 14", keyID: nil)
      try await end(newJob(), with: .read(reading("C02XL0THJHC1"), save: true), in: store)
      try await end(newJob(in: batch), with: .read(reading("C02XL0THJHC2", confidence: 0.5), save: true), in: store)
      try await end(newJob(in: batch), with: .read(reading(nil), save: false), in: store)
      try await store.enqueue(newJob(in: batch))
      _ = try await store.save(
        NewSerial(serial: "F17ABC123", confidence: 1, source: .ios, isValid: false, deviceType: "iPad", batchID: batch))
      let figures = try await store.serialStatistics(days: 2, batchID: batch)
      #expect(figures.total == 2 && figures.valid == 1 && figures.meanConfidence == 0.75)
      #expect(figures.bySource == ["scan": 1, "ios": 1])
      #expect(figures.byDeviceType == ["MacBook Pro": 1, "iPad": 1])
      #expect(figures.byDay.values.reduce(0, +) == 2)
      #expect(try await store.serialStatistics(days: 2).total == 3)
      let verdicts = try await store.verdictStatistics(days: 1, batchID: batch)
      #expect(Array(verdicts.byDay.values) == [VerdictCounts(accepted: 1, refused: 1)])
      #expect(try await store.jobStates(inBatch: batch) == [.queued: 1, .completed: 1, .failed: 1])
    }
  }

  /// Claims a job, retrying while other writers claim the only visible one.
  private func claim(from store: Stores.Store) async throws -> ClaimedJob {
    while true {
      if let claimed = try await store.claimNext(worker: "w", lease: 60) { return claimed }
    }
  }

  private func newID() -> String { UUID().uuidString.lowercased() }

  private func newJob(in batch: String) -> NewJob {
    var job = newJob()
    job.request.batchID = batch
    return job
  }

  private func newJob(key: String? = nil, digest: String? = nil) -> NewJob {
    StoreConformance.newJob(key: key, digest: digest)
  }

  private func end(_ job: NewJob, with outcome: JobOutcome, in store: Stores.Store) async throws {
    try await store.enqueue(job)
    let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
    try await store.finish(claimed.claim, with: outcome)
  }
}
