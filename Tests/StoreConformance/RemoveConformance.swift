import Foundation
import JobStore
import ScanModel
import Testing

/// Cancelling, deleting and retention.
public struct RemoveConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Only a waiting job can be cancelled") { try await $0.cancelsOnlyWaitingJobs() },
      Check("Cancelled and deleted jobs do not count in queue positions") {
        try await $0.cancelledAndDeletedJobsLeaveQueue()
      },
      Check("Deleting a job deletes its claim and photo, and its serial on request") {
        try await $0.deletingJobDeletesItsPhoto()
      },
      Check("Retention deletes photos, then jobs, in batches, if they ended before the date") {
        try await $0.retentionDeletesPhotosThenJobs()
      },
      Check("Photos beyond the byte limit are deleted, oldest first, once their jobs have ended") {
        try await $0.byteLimitDeletesOldestPhotos()
      },
      Check("Deleting a serial deletes its history") { try await $0.deletingSerialDeletesItsHistory() },
      Check("A deletion reports the job of the same photo that keeps its serial") {
        try await $0.deletionReportsKeeperOfSerial()
      },
    ]
  }

  func cancelsOnlyWaitingJobs() async throws {
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

  func cancelledAndDeletedJobsLeaveQueue() async throws {
    try await stores.withStore { store, _ in
      let jobs = (0..<3).map { _ in newJob() }
      for (index, job) in jobs.enumerated() { #expect(try await store.enqueue(job).queuePosition == index + 1) }
      _ = try await store.cancel(id: jobs[0].id, because: JobError(code: .cancelled, detail: "No longer wanted."))
      #expect(try await store.enqueue(newJob()).queuePosition == 3)
      _ = try await store.deleteJob(id: jobs[1].id, alsoSerial: false)
      #expect(try await store.enqueue(newJob()).queuePosition == 3)
    }
  }

  func deletingJobDeletesItsPhoto() async throws {
    for alsoSerial in [true, false] {
      try await stores.withStore { store, _ in
        let new = newJob()
        _ = try await store.enqueue(new)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
        #expect(try await store.deleteJob(id: new.id, alsoSerial: alsoSerial) == .job(serialKeptBy: nil))
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

  func retentionDeletesPhotosThenJobs() async throws {
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

  func byteLimitDeletesOldestPhotos() async throws {
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
      // The waiting photos alone exceed the limit.
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

  func deletingSerialDeletesItsHistory() async throws {
    try await stores.withStore { store, _ in
      for isDeletedWithItsJob in [true, false] {
        let job = newJob()
        _ = try await store.enqueue(job)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
        let id = try #require(try await store.serials(SerialQuery()).items.first).id
        _ = try await store.changeSerial(id: id, SerialChange(serial: ("C02XL0THJHCD", true)))
        #expect(try await store.earlierStates(ofSerial: id).map(\.serial) == ["C02XL0THJHCC"])
        if isDeletedWithItsJob {
          try await store.deleteJob(id: job.id, alsoSerial: true)
        } else {
          try await store.deleteSerial(id: id)
        }
        #expect(try await store.earlierStates(ofSerial: id).isEmpty)
      }
    }
  }

  /// The given photos that still exist.
  private func kept(_ photos: [String], in store: Stores.Store) async throws -> [String] {
    var kept: [String] = []
    for photo in photos where try await store.blobs.open(BlobName(.photo, photo)) != nil { kept.append(photo) }
    return kept
  }

  func deletionReportsKeeperOfSerial() async throws {
    try await stores.withStore { store, _ in
      let ids = try await readPhotoThreeTimes(in: store)
      #expect(try await store.deleteJob(id: ids[1], alsoSerial: true) == .job(serialKeptBy: ids[0]))
      #expect(try await store.deleteJob(id: ids[0], alsoSerial: true) == .job(serialKeptBy: ids[2]))
      #expect(try await store.serialCount(SerialFilter()) == 1)
      #expect(try await store.deleteJob(id: ids[2], alsoSerial: true) == .job(serialKeptBy: nil))
      #expect(try await store.serialCount(SerialFilter()) == 0)
    }
  }
}
