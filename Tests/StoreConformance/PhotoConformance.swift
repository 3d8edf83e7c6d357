import Foundation
import JobStore
import Testing

/// More bytes than a store writes at once, and not a multiple of that. Made once, since these tests aren't optimised.
private let largePhoto: [UInt8] = (0..<2_500_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

/// Photos and other blobs: a photo is stored and deleted with its job.
public struct PhotoConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("A photo is stored with its job, byte for byte") { try await $0.storesPhotoWithJob() },
      Check("A rejected or repeated job stores no photo") { try await $0.rejectedJobStoresNoPhoto() },
      Check("A staged blob is invisible until it is committed") { try await $0.stagedBlobIsInvisibleUntilCommitted() },
      Check("A blob is replaced, read in parts, listed and deleted") {
        try await $0.replacesReadsListsAndDeletesBlobs()
      },
      Check("An annotation exists once its job has ended, and is deleted with the job") {
        try await $0.annotationIsDeletedWithJob()
      },
      Check("A job deleted while it is read leaves no picture") { try await $0.jobDeletedWhileReadLeavesNoPicture() },
      Check("A thumbnail exists once its job has ended, and is deleted with the photo") {
        try await $0.thumbnailIsDeletedWithPhoto()
      },
      Check("An open blob can be read to its end after it was deleted") {
        try await $0.openBlobIsReadableAfterDeletion()
      },
      Check("Photos without a job are removed by age") { try await $0.removesPhotosWithoutJobByAge() },
    ]
  }

  func storesPhotoWithJob() async throws {
    try await stores.withStore { store, _ in
      let new = newJob()
      try await store.enqueue(new, photo: largePhoto)
      let name = BlobName(.photo, new.request.photo)
      #expect(try await store.blobs.bytes(of: name, limit: .max) == largePhoto)
      #expect(try await store.blobs.bytes(of: name, limit: 1000) == nil)
      #expect(try await store.blobs.list(.photo, after: nil, limit: 10).map(\.name) == [new.request.photo])
    }
  }

  func rejectedJobStoresNoPhoto() async throws {
    try await stores.withStore(limits: QueueLimits(waiting: 1, reserved: 0)) { store, _ in
      let first = newJob(key: "k", digest: "aa")
      try await store.enqueue(first)
      await #expect(throws: StoreError.queueFull(waiting: 1)) { try await store.enqueue(newJob()) }
      #expect(try await store.enqueue(newJob(key: "k", digest: "aa")).isDuplicate)
      await #expect(throws: StoreError.idempotencyConflict(jobID: first.id)) {
        try await store.enqueue(newJob(key: "k", digest: "bb"))
      }
      #expect(try await store.blobs.list(.photo, after: nil, limit: 10).map(\.name) == [first.request.photo])
    }
  }

  func stagedBlobIsInvisibleUntilCommitted() async throws {
    try await stores.withStore { store, _ in
      let name = BlobName(.report, "evaluation-1.csv")
      let staged = try await store.blobs.stage([1, 2])
      try await staged.append([3])
      #expect(try await staged.inspect { try Data(contentsOf: URL(fileURLWithPath: $0)) } == Data([1, 2, 3]))
      #expect(try await store.blobs.open(name) == nil)
      try await store.blobs.commit(staged, as: name)
      #expect(try await store.blobs.bytes(of: name, limit: 10) == [1, 2, 3])
      await staged.discard()
      #expect(try await store.blobs.open(name) != nil)
      let givenUp = try await store.blobs.stage([1])
      await givenUp.discard()
      await #expect(throws: StoreError.self) { try await store.blobs.commit(givenUp, as: BlobName(.report, "no.csv")) }
      #expect(try await store.blobs.list(.report, after: nil, limit: 10).count == 1)
    }
  }

  func replacesReadsListsAndDeletesBlobs() async throws {
    try await stores.withStore { store, _ in
      let blobs = store.blobs
      for number in 0..<7 { try await blobs.store([UInt8(number)], as: BlobName(.report, "report-\(number).csv")) }
      let name = BlobName(.report, "report-3.csv")
      try await blobs.store([1, 2, 3, 4, 5], as: name)
      let open = try #require(try await blobs.open(name))
      #expect(open.size == 5)
      #expect(try await open.read(at: 1, count: 2) == [2, 3])
      #expect(try await open.read(at: 3, count: 100) == [4, 5])
      #expect(try await open.read(at: 5, count: 100) == [])
      var listed: [String] = []
      while true {
        let page = try await blobs.list(.report, after: listed.last, limit: 3)
        if page.isEmpty { break }
        listed += page.map(\.name)
      }
      #expect(listed == (0..<7).map { "report-\($0).csv" })
      try await blobs.delete(name)
      try await blobs.delete(name)
      #expect(try await blobs.open(name) == nil)
      #expect(try await blobs.open(BlobName(.report, "../serialscan.sqlite")) == nil)
      try await blobs.checkWritable()
      #expect(try await blobs.list(.photo, after: nil, limit: 10) == [])
    }
  }

  func annotationIsDeletedWithJob() async throws {
    try await stores.withStore { store, _ in
      var new = newJob()
      new.request.annotate = true
      try await store.enqueue(new)
      let name = BlobName.annotation(ofJob: new.id)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      #expect(try await store.blobs.open(name) == nil)
      try await store.finish(
        claimed.claim, with: .read(reading("C02XL0THJHCC"), save: false),
        pictures: JobPictures(annotation: largePhoto))
      #expect(try await store.blobs.bytes(of: name, limit: .max) == largePhoto)
      try await store.deleteJob(id: new.id, alsoSerial: false)
      #expect(try await store.blobs.open(name) == nil)
      #expect(try await store.blobs.list(.photo, after: nil, limit: 10) == [])
    }
  }

  func jobDeletedWhileReadLeavesNoPicture() async throws {
    try await stores.withStore { store, _ in
      var new = newJob()
      new.request.annotate = true
      try await store.enqueue(new)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await store.deleteJob(id: new.id, alsoSerial: false)
      await #expect(throws: StoreError.claimLost(jobID: new.id)) {
        try await store.finish(
          claimed.claim, with: .read(reading(nil), save: false),
          pictures: JobPictures(annotation: [1, 2, 3], thumbnail: [1, 2]))
      }
      #expect(try await store.blobs.list(.annotation, after: nil, limit: 10) == [])
      #expect(try await store.thumbnail(ofJob: new.id) == nil)
    }
  }

  func thumbnailIsDeletedWithPhoto() async throws {
    try await stores.withStore { store, time in
      let jobs = (0..<5).map { _ in newJob() }
      let jpeg = [UInt8](largePhoto.prefix(8000))
      for (index, job) in jobs.enumerated() {
        try await store.enqueue(job)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        #expect(try await !(store.job(id: job.id)?.hasThumbnail ?? true))
        let outcome = JobOutcome.read(reading(index == 1 ? nil : "C02XL0THJHCC"), save: index != 1)
        let pictures = JobPictures(thumbnail: index == 4 ? nil : jpeg)
        let ended = try await store.finish(claimed.claim, with: outcome, pictures: pictures)
        #expect(ended.hasThumbnail == (index != 4))
        #expect(try await store.job(id: job.id) == ended)
        #expect(try await store.thumbnail(ofJob: job.id) == pictures.thumbnail)
        try await time.pass(10)
      }
      let saved = try await store.serials(SerialQuery(ascending: true)).items
      #expect(saved.map(\.hasThumbnail) == [true, true, true, false])

      try await store.deleteJob(id: jobs[0].id, alsoSerial: false)
      let limit = try #require(try await store.job(id: jobs[1].id)?.updatedAt)
      #expect(try await store.prunePhotos(endedBefore: limit.addingTimeInterval(1), limit: 10) == 1)
      #expect(try await store.prunePhotos(beyond: 1234 * 2, limit: 10) == 1)
      let left = try #require(try await store.job(id: jobs[1].id))
      #expect(!left.hasPhoto && !left.hasThumbnail)
      for (job, isThere) in zip(jobs, [false, false, false, true, false]) {
        #expect(try await (store.thumbnail(ofJob: job.id) != nil) == isThere)
        #expect(try await (store.job(id: job.id)?.hasThumbnail ?? false) == isThere)
      }
      #expect(
        try await store.serials(SerialQuery(ascending: true)).items.map(\.hasThumbnail) == [false, false, true, false])
      try await time.pass(10)
      let later = Date(microseconds: try await store.now())
      #expect(try await store.pruneJobs(endedBefore: later, limit: 10) == 4)
      #expect(try await store.thumbnail(ofJob: jobs[3].id) == nil)
      #expect(try await store.thumbnail(ofJob: "a\0b") == nil)
    }
  }

  func openBlobIsReadableAfterDeletion() async throws {
    try await stores.withStore { store, _ in
      let name = BlobName(.report, "evaluation-1.json")
      try await store.blobs.store(largePhoto, as: name)
      let open = try #require(try await store.blobs.open(name))
      var read = try await open.read(at: 0, count: 10)
      try await store.blobs.delete(name)
      read += try await open.read(at: 10, count: open.size)
      #expect(read == largePhoto)
    }
  }

  func removesPhotosWithoutJobByAge() async throws {
    try await stores.withStore { store, _ in
      let new = newJob()
      try await store.enqueue(new)
      let left = BlobName(.photo, "\(UUID().uuidString.lowercased()).jpg")
      try await store.blobs.store([1], as: left)
      #expect(try await store.removeOrphans(olderThan: 3600) == Orphans())
      #expect(try await store.blobs.open(left) != nil)
      #expect(try await store.removeOrphans(olderThan: -60) == Orphans(removed: 1))
      #expect(try await store.blobs.list(.photo, after: nil, limit: 10).map(\.name) == [new.request.photo])
    }
  }
}
