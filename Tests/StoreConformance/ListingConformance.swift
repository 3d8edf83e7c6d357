import Foundation
import JobStore
import ScanModel
import Testing

/// Lists of jobs, figures of the queue, cancelling, deleting, and what retention takes away.
public struct ListingConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Jobs are listed latest first, of all states or one, each once by cursor") { try await $0.lists() },
      Check("Ended jobs are found in the order of their ends, of all keys or one, each once by its place") {
        try await $0.ends()
      },
      Check("The queue's status tells the longest wait, and the wait from measured readings") { try await $0.status() },
      Check("Verdicts are counted by the hour and the day, and stay when their jobs go") { try await $0.verdicts() },
      Check("A waiting job can be cancelled, one that is read or has ended can't") { try await $0.cancel() },
      Check("Who was cancelled or deleted is ahead of nobody") { try await $0.places() },
      Check("Deleting a job takes its claim and photo; the serial stays unless asked for") { try await $0.delete() },
      Check("Retention takes photos, then jobs, in batches, and only of jobs that ended before the date") {
        try await $0.retention()
      },
      Check("Where photos take too many bytes the oldest go, and never one whose job has not ended") {
        try await $0.retentionOfBytes()
      },
    ]
  }

  /// Jobs are listed latest first, of all states or one, each once by cursor.
  func lists() async throws {
    try await stores.withStore { store, _ in
      let jobs = (0..<25).map { _ in newJob() }
      for job in jobs { _ = try await store.enqueue(job) }
      for _ in 0..<5 {
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: false))
      }
      for (state, expected) in [(nil, jobs), (.completed, Array(jobs.prefix(5))), (.queued, Array(jobs.dropFirst(5)))]
        as [(Job.State?, [NewJob])]
      {
        var ids: [String] = []
        var cursor: String?
        repeat {
          let page = try await store.jobs(in: state, limit: 10, cursor: cursor)
          ids += page.items.map(\.id)
          cursor = page.nextCursor
        } while cursor != nil
        #expect(ids == expected.reversed().map(\.id))
      }
      await #expect(throws: InvalidCursor()) { try await store.jobs(in: nil, limit: 10, cursor: "nonsense") }
    }
  }

  /// Ended jobs are found in the order of their ends, of all keys or one, each once by its place.
  func ends() async throws {
    try await stores.withStore { store, _ in
      let start = try await store.now()
      let jobs = (0..<7).map { number in
        var job = newJob()
        job.request.origin.keyID = number % 2 == 0 ? "even" : "odd"
        return job
      }
      for job in jobs { _ = try await store.enqueue(job) }
      for _ in 0..<6 {
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: false))
      }
      for (key, expected) in [(nil, [0, 1, 2, 3, 4, 5]), ("odd", [1, 3, 5]), ("none", [])] as [(String?, [Int])] {
        var found: [String] = []
        var position = EndPosition(time: start)
        while true {
          let some = try await store.endedJobs(after: position, keyID: key, limit: 2)
          found += some.map(\.job.id)
          guard let last = some.last else { break }
          position = last.position
        }
        #expect(found == expected.map { jobs[$0].id })
      }
      #expect(try await store.endedJobs(after: EndPosition(time: store.now() + 1), keyID: nil, limit: 2).isEmpty)
    }
  }

  /// The queue's status tells the longest wait, and the wait from measured readings.
  func status() async throws {
    try await stores.withStore { store, time in
      #expect(try await store.queueStatus().estimatedWait == nil)
      let first = newJob()
      _ = try await store.enqueue(first)
      let acceptedAt = try await store.job(id: first.id)?.createdAt
      try await time.pass(30)
      _ = try await store.enqueue(newJob())
      #expect(try await store.queueStatus().oldestWaiting == acceptedAt)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await time.pass(2)
      try await store.finish(claimed.claim, with: .read(reading(nil), save: true))
      let status = try await store.queueStatus()
      #expect(status.counts.filter { $0.value != 0 } == [.queued: 1, .failed: 1])
      #expect(status.throughput == Throughput(secondsPerReading: 2, workers: 1))
      #expect(status.estimatedWait == 4)
    }
  }

  /// Verdicts are counted by the hour and the day, and stay when their jobs go.
  func verdicts() async throws {
    try await stores.withStore { store, time in
      #expect(try await store.verdictStatistics(days: 366) == VerdictStatistics([], days: 1, thisHour: 0))
      var uncertain = reading("C02XL0THJHCC", confidence: 0.6)
      uncertain.verdict = .uncertain
      for outcome in [JobOutcome.read(reading("C02XL0THJHCC"), save: true), .read(uncertain, save: true)] {
        try await end(with: outcome, in: store)
      }
      // Tried again in vain, then read: one end.
      _ = try await store.enqueue(newJob())
      let first = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await store.giveBack(first.claim, delay: 0, countsAsAttempt: true)
      let second = try #require(try await store.claimNext(worker: "w", lease: 10))
      let ended = try await store.finish(second.claim, with: .read(reading("C02XL0THJHCC"), save: false))
      let now = try await store.verdictStatistics(days: 1)
      #expect(Array(now.byDay.values) == [VerdictCounts(accepted: 2, uncertain: 1)])
      #expect(Array(now.byHour.values) == [VerdictCounts(accepted: 2, uncertain: 1)])
      let name = ended.updatedAt.ISO8601Format()
      #expect(Array(now.byDay.keys) == [String(name.prefix(10))])
      #expect(Array(now.byHour.keys) == [name.prefix(13) + ":00:00Z"])

      try await time.pass(86_400)
      try await end(with: .read(reading(nil), save: true), in: store)
      let waiting = newJob()
      _ = try await store.enqueue(waiting)
      _ = try await store.cancel(id: waiting.id, because: JobError(code: .cancelled, detail: "No longer wanted."))
      let today = VerdictCounts(refused: 2)
      #expect(try await Array(store.verdictStatistics(days: 1).byDay.values) == [today])
      let later = try await store.verdictStatistics(days: 2)
      #expect(Array(later.byHour.values) == [today], "a day ago is too long ago")
      #expect(later.byDay.count == 2)
      #expect(later.byDay[String(name.prefix(10))] == VerdictCounts(accepted: 2, uncertain: 1))

      #expect(try await store.pruneJobs(endedBefore: ended.updatedAt + 172_800, limit: 100) == 5)
      #expect(try await store.verdictStatistics(days: 2) == later)
    }
  }

  private func end(with outcome: JobOutcome, in store: Stores.Store) async throws {
    _ = try await store.enqueue(newJob())
    let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
    try await store.finish(claimed.claim, with: outcome)
  }

  /// A waiting job can be cancelled, one that is read or has ended can't.
  func cancel() async throws {
    try await stores.withStore { store, _ in
      let (first, second) = (newJob(), newJob())
      _ = try await store.enqueue(first)
      _ = try await store.enqueue(second)
      _ = try await store.claimNext(worker: "w", lease: 10)
      let why = JobError(code: .cancelled, detail: "The client hung up.")
      #expect(try await store.cancel(id: first.id, because: why)?.state == .processing)
      let waiting = Task { try await store.waitForEnd(id: second.id, timeout: .seconds(60)) }
      #expect(try await store.cancel(id: second.id, because: why)?.error == why)
      #expect(try await waiting.value?.error == why)
      #expect(try await store.claimNext(worker: "w", lease: 10) == nil)
      #expect(try await store.cancel(id: "unknown", because: why) == nil)
    }
  }

  /// Who was cancelled or deleted is ahead of nobody.
  func places() async throws {
    try await stores.withStore { store, _ in
      let jobs = (0..<3).map { _ in newJob() }
      for (index, job) in jobs.enumerated() { #expect(try await store.enqueue(job).queuePosition == index + 1) }
      _ = try await store.cancel(id: jobs[0].id, because: JobError(code: .cancelled, detail: "No longer wanted."))
      #expect(try await store.enqueue(newJob()).queuePosition == 3)
      _ = try await store.deleteJob(id: jobs[1].id, alsoSerial: false)
      #expect(try await store.enqueue(newJob()).queuePosition == 3)
    }
  }

  /// Deleting a job takes its claim and photo; the serial stays unless asked for.
  func delete() async throws {
    for alsoSerial in [true, false] {
      try await stores.withStore { store, _ in
        let new = newJob()
        _ = try await store.enqueue(new)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
        #expect(try await store.deleteJob(id: new.id, alsoSerial: alsoSerial) == .job)
        #expect(try await store.job(id: new.id) == nil)
        #expect(try await store.serialCount(SerialFilter()) == (alsoSerial ? 0 : 1))
        #expect(try await store.blobs.open(BlobName(.photo, new.request.photo)) == nil)
        #expect(try await store.deleteJob(id: new.id, alsoSerial: alsoSerial) == nil)

        let read = newJob()
        _ = try await store.enqueue(read)
        let held = try #require(try await store.claimNext(worker: "w", lease: 10))
        let waiting = Task { try await store.waitForEnd(id: read.id, timeout: .seconds(60)) }
        try await store.deleteJob(id: read.id, alsoSerial: false)
        #expect(try await waiting.value.map { $0.error?.code == .jobDeleted } ?? true)
        await #expect(throws: StoreError.claimLost(jobID: read.id)) {
          try await store.finish(held.claim, with: .read(reading("C02XL0THJHCC"), save: true))
        }
      }
    }
  }

  /// Retention takes photos, then jobs, in batches, and only of jobs that ended before the date.
  func retention() async throws {
    try await stores.withStore { store, time in
      var photos: [String] = []
      var start = Date.distantPast
      for number in 0..<10 {
        let new = newJob(key: UUID().uuidString, digest: "d")
        photos.append(new.request.photo)
        _ = try await store.enqueue(new)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        let ended = try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
        if number == 0 { start = ended.updatedAt }
        try await time.pass(10)
      }
      let waiting = newJob()
      _ = try await store.enqueue(waiting)
      // Jobs ended at 0, 10, ..., 90 seconds.
      #expect(try await store.prunePhotos(endedBefore: start + 65, limit: 4) == 4)
      #expect(try await kept(photos, in: store) == Array(photos[4...]))
      #expect(try await store.prunePhotos(endedBefore: start + 65, limit: 4) == 3)
      #expect(try await store.prunePhotos(endedBefore: start + 65, limit: 4) == 0)
      #expect(try await kept(photos, in: store) == Array(photos[7...]))
      #expect(try await store.pruneJobs(endedBefore: start + 1000, limit: 6) == 6)
      #expect(try await store.pruneJobs(endedBefore: start + 1000, limit: 6) == 4)
      #expect(try await store.pruneJobs(endedBefore: start + 1000, limit: 6) == 0)
      #expect(try await kept(photos, in: store) == [])
      #expect(try await kept([waiting.request.photo], in: store) == [waiting.request.photo])
      #expect(try await store.job(id: waiting.id)?.state == .queued)
      #expect(try await store.serialCount(SerialFilter()) == 10)
    }
  }

  /// Where photos take too many bytes those of the jobs that ended first go, and never one whose job has not ended.
  func retentionOfBytes() async throws {
    try await stores.withStore { store, time in
      var photos: [String] = []
      for _ in 0..<10 {
        var new = newJob()
        new.request.photoBytes = 1_000
        photos.append(new.request.photo)
        _ = try await store.enqueue(new)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        _ = try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
        try await time.pass(10)
      }
      var waiting = newJob()
      waiting.request.photoBytes = 5_000
      _ = try await store.enqueue(waiting)
      #expect(try await store.prunePhotos(beyond: 15_000, limit: 100) == 0)
      #expect(try await store.prunePhotos(beyond: 14_999, limit: 100) == 1)
      #expect(try await kept(photos, in: store) == Array(photos[1...]))
      #expect(try await store.prunePhotos(beyond: 9_500, limit: 3) == 3)
      #expect(try await store.prunePhotos(beyond: 9_500, limit: 3) == 2)
      #expect(try await kept(photos, in: store) == Array(photos[6...]))
      // What waits is more than the bound by itself.
      #expect(try await store.prunePhotos(beyond: 100, limit: 100) == 4)
      #expect(try await store.prunePhotos(beyond: 100, limit: 100) == 0)
      #expect(try await kept([waiting.request.photo], in: store) == [waiting.request.photo])
      let held = try #require(try await store.claimNext(worker: "w", lease: 10))
      #expect(try await store.prunePhotos(beyond: 100, limit: 100) == 0)
      #expect(try await kept([waiting.request.photo], in: store) == [waiting.request.photo])
      _ = try await store.finish(held.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      #expect(try await store.prunePhotos(beyond: 100, limit: 100) == 1)
      #expect(try await store.serialCount(SerialFilter()) == 11)
    }
  }

  /// Those of the photos that are still there.
  private func kept(_ photos: [String], in store: Stores.Store) async throws -> [String] {
    var kept: [String] = []
    for photo in photos where try await store.blobs.open(BlobName(.photo, photo)) != nil { kept.append(photo) }
    return kept
  }
}
