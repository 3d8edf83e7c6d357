import Foundation
import JobStore
import ScanModel
import Testing

/// Confirmations, corrections and reviews of reads.
public struct CorrectConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("A job of several serials saves each accepted one once, and each is confirmed separately") {
        try await $0.savesAndConfirmsEachSerialOfJob()
      },
      Check("A correction is attributed to a person; changing back restores the reader's method and confidence") {
        try await $0.correctionsSetMethodAndConfidence()
      },
      Check("A review removes a job from those that need one, until it is withdrawn or a serial confirmed") {
        try await $0.reviewRemovesJobFromNeedsReview()
      },
    ]
  }

  func savesAndConfirmsEachSerialOfJob() async throws {
    try await stores.withStore { store, _ in
      let serials = ["C02XL0THJHCC", "C07WK3B4PLJ9", "C07WK3K7PLJ9"]
      var whole = reading(serials[0])
      whole.isOfEverySerial = true
      whole.serials = serials.enumerated().map { index, serial in
        SerialRead(
          serial: serial, confidence: index == 2 ? 0.9 : 0.99, method: "tesseract", strategy: "text", isValid: true,
          verdict: index == 2 ? .uncertain : .accepted)
      }
      let job = newJob()
      _ = try await store.enqueue(job)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await store.finish(claimed.claim, with: .read(whole, save: true))
      func saved() async throws -> [String: SavedSerial] {
        let items = try await store.serials(SerialQuery()).items
        return Dictionary(items.map { ($0.serial, $0) }, uniquingKeysWith: { first, _ in first })
      }
      #expect(try await Set(saved().keys) == Set(serials.prefix(2)))
      func confirm(
        _ serial: String, replacing replaced: String?
      ) async throws -> (saved: SavedSerial, isCorrected: Bool) {
        let confirmed = try await store.confirm(job: job.id, serial: serial, replacing: replaced, isValid: true)
        guard case .saved(let saved, let isCorrected) = confirmed else { throw StoreError.unavailable("not saved") }
        return (saved, isCorrected)
      }
      // The uncertain one, as it was read.
      let third = try await confirm(serials[2], replacing: serials[2])
      #expect(!third.isCorrected && third.saved.confidence == 0.9 && third.saved.verdict == .uncertain)
      // The second, corrected.
      let second = try await confirm("C07WK3B5PLJ9", replacing: serials[1])
      #expect(second.isCorrected)
      #expect(try await Set(saved().keys) == [serials[0], "C07WK3B5PLJ9", serials[2]])
      // Without `replacing`, the confirmation means the top serial, or the row that has this serial already.
      let top = try await confirm("C02XL0THJHCD", replacing: nil)
      #expect(top.isCorrected)
      #expect(try await Set(saved().keys) == ["C02XL0THJHCD", "C07WK3B5PLJ9", serials[2]])
      // Confirming the serial of another row of the job merges the two.
      _ = try await confirm(serials[2], replacing: "C07WK3B5PLJ9")
      #expect(try await Set(saved().keys) == ["C02XL0THJHCD", serials[2]])
      #expect(try await store.earlierStates(ofSerial: second.saved.id).contains { $0.serial == "C07WK3B5PLJ9" })
      #expect(try await store.serialCount(SerialFilter(search: "PLJ9")) == 1)
      #expect(try await store.serialCount(SerialFilter(search: "THJHCC")) == 0)
      let unknown = try await store.confirm(
        job: job.id, serial: "C02G414GMD6N", replacing: "C02G414GMD6P", isValid: true)
      #expect(unknown == .unknownSerial)
      await #expect(throws: StoreError.serialTaken) {
        try await store.changeSerial(id: top.saved.id, SerialChange(serial: (serials[2], true)))
      }
      // The job counts as saved while at least one of its serials is.
      try await store.deleteSerial(id: top.saved.id)
      #expect(try await store.job(id: job.id)?.savedToDatabase == true)
      for row in try await saved().values { try await store.deleteSerial(id: row.id) }
      #expect(try await store.job(id: job.id)?.savedToDatabase == false)
    }
  }

  func reviewRemovesJobFromNeedsReview() async throws {
    try await stores.withStore { store, _ in
      #expect(try await store.review(job: UUID().uuidString.lowercased(), as: .retake) == nil)
      let jobs = (0..<3).map { _ in newJob() }
      for job in jobs { _ = try await store.enqueue(job) }
      #expect(try await store.review(job: jobs[2].id, as: .retake) == .notEnded)
      #expect(try await store.review(job: jobs[2].id, as: nil) == .done, "withdrawing no review changes nothing")
      for job in jobs {
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        var doubtful = reading("C02XL0THJHCC")
        if job.id != jobs[2].id { doubtful.verdict = .uncertain }
        try await store.finish(claimed.claim, with: .read(doubtful, save: job.id == jobs[2].id))
      }
      func ids(_ filter: JobFilter) async throws -> [String] {
        try await store.jobs(filter, limit: 10, cursor: nil).items.map(\.id)
      }
      let toReview = JobFilter(verdict: .uncertain, isConfirmed: false, isReviewed: false)
      #expect(try await ids(toReview) == [jobs[1].id, jobs[0].id])
      // A job with a saved serial can't be reviewed.
      #expect(try await store.review(job: jobs[2].id, as: .noSerial) == .serialSaved)
      let before = try #require(try await store.job(id: jobs[0].id)).updatedAt
      for review in [Review.noSerial, .retake, .retake] {
        #expect(try await store.review(job: jobs[0].id, as: review) == .done)
        let job = try #require(try await store.job(id: jobs[0].id))
        #expect(job.review == review && job.updatedAt > before)
      }
      #expect(try await ids(toReview) == [jobs[1].id])
      #expect(try await ids(JobFilter(isReviewed: true)) == [jobs[0].id])
      #expect(try await ids(JobFilter(verdict: .uncertain, isConfirmed: false)).count == 2, "reviewed or not")
      #expect(try await store.review(job: jobs[0].id, as: nil) == .done)
      #expect(try await ids(toReview).count == 2)
      #expect(try await store.job(id: jobs[0].id)?.review == nil)
      // A confirmation replaces a review.
      #expect(try await store.review(job: jobs[0].id, as: .noSerial) == .done)
      guard case .saved(let saved, _) = try await store.confirm(job: jobs[0].id, serial: "C02XL0THJHCC", isValid: true)
      else { throw StoreError.unavailable("not saved") }
      #expect(try await store.job(id: jobs[0].id)?.review == nil)
      #expect(try await ids(JobFilter(isReviewed: true)).isEmpty)
      #expect(try await store.review(job: jobs[0].id, as: .retake) == .serialSaved)
      // Without its serial the photo needs review again.
      try await store.deleteSerial(id: saved.id)
      #expect(try await ids(toReview).count == 2)
      #expect(try await store.review(job: jobs[0].id, as: .retake) == .done)
      try await store.deleteJob(id: jobs[0].id, alsoSerial: false)
      #expect(try await store.review(job: jobs[0].id, as: .retake) == nil)
    }
  }

  func correctionsSetMethodAndConfidence() async throws {
    try await stores.withStore { store, _ in
      _ = try await store.enqueue(newJob())
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      let id = try #require(try await store.serials(SerialQuery()).items.first).id
      func change(_ serial: String?, notes: String? = nil) async throws -> SavedSerial {
        try #require(
          try await store.changeSerial(id: id, SerialChange(serial: serial.map { ($0, true) }, notes: notes)))
      }
      for same in [try await change(nil, notes: "desk"), try await change("C02XL0THJHCC")] {
        #expect(same.method == "tesseract" && same.confidence == 0.98)
      }
      for _ in 0..<2 {
        let corrected = try await change("C02XL0THJHCD")
        #expect(corrected.method == "person" && corrected.confidence == 1)
      }
      let back = try await change("C02XL0THJHCC")
      #expect(back.method == "tesseract" && back.confidence == 0.98)

      // Lists and searches use the changed values.
      _ = try await store.changeSerial(id: id, SerialChange(deviceType: "Écran МОСКВА"))
      for (search, count) in [("écran", 1), ("москва", 1), ("macbook", 0), ("jhcc", 1), ("jhcd", 0)] {
        #expect(try await store.serialCount(SerialFilter(search: search)) == count, "\(search)")
      }
      #expect(try await store.serialCount(SerialFilter(deviceType: "ÉCRAN москва")) == 1)

      let typed = try await store.save(
        NewSerial(serial: "F2LXK1ABCD", confidence: 0.5, source: .ios, isValid: true, method: "device"))
      let changed = try await store.changeSerial(id: typed.id, SerialChange(serial: ("F2LXK1ABCE", true)))
      #expect(changed?.method == "person" && changed?.confidence == 1)
      let mean = try #require(try await store.serialStatistics(days: 30_000).meanConfidence)
      #expect(abs(mean - 0.99) < 1e-9)
    }
  }
}
