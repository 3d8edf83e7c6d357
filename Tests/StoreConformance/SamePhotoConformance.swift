import Foundation
import JobStore
import ScanModel
import Testing

/// What is saved from photos that are sent again, and what of it people confirm, change and delete.
public struct SamePhotoConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("A resent photo adds no read, and confirming either job confirms the one row") {
        try await $0.resentPhotoAddsNoRead()
      },
      Check("A resent photo takes over its confirmation, and the replaced serial is not saved again") {
        try await $0.resentPhotoTakesOverConfirmation()
      },
      Check("A resent photo takes over its review") { try await $0.resentPhotoTakesOverReview() },
      Check("A resent photo of several serials saves none that a person replaced") {
        try await $0.resentPhotoSavesNoReplacedSerial()
      },
      Check("A person's serial holds for the same photo in every batch, whichever comes first, but not for other keys")
      {
        try await $0.confirmationHoldsInEveryBatch()
      },
      Check("A deleted serial is forgotten by all jobs of its photo, whichever of them saved it") {
        try await $0.deletionConcernsAllJobsOfPhoto()
      },
      Check("A photo is known after the job that saved its serial was deleted or expired, alone or with others") {
        try await $0.photoIsKnownAfterItsJobIsGone()
      },
      Check("Where retention deletes a photo's first job, the latest takes its place, and its batch keeps its counts") {
        try await $0.retentionPassesPhotoOn()
      },
      Check("A replaced serial is not saved again after the last confirmed one was deleted") {
        try await $0.deletionKeepsOtherConfirmations()
      },
      Check("A photo has each serial once, whichever of its jobs saved it") { try await $0.photoHasSerialOnce() },
      Check("Changing a saved serial confirms its job") { try await $0.changingSerialConfirmsJob() },
    ]
  }

  /// Ends a job of the photo `hash`, and returns it.
  private func send(
    _ reading: Reading, hash: String = "aa", key: String? = nil, batch: String? = nil, persist: Bool = true,
    part: PhotoPart? = nil, to store: Stores.Store
  ) async throws -> Job {
    var job = newJob(persist: persist)
    (job.photoHash, job.request.origin.keyID, job.request.batchID) = (hash, key, batch)
    (job.request.part, job.request.everySerial) = (part, reading.isOfEverySerial == true)
    _ = try await store.enqueue(job)
    let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
    return try await store.finish(claimed.claim, with: .read(reading, save: persist && reading.verdict == .accepted))
  }

  private func uncertain(_ serial: String) -> Reading {
    var uncertain = reading(serial, confidence: 0.7)
    uncertain.verdict = .uncertain
    return uncertain
  }

  private func serials(of store: Stores.Store) async throws -> [String] {
    try await store.serials(SerialQuery(sort: .serial, ascending: true)).items.map(\.serial)
  }

  func resentPhotoAddsNoRead() async throws {
    try await stores.withStore { store, _ in
      let read = reading("C02XL0THJHCC")
      let first = try await send(read, key: "k", to: store)
      let again = try await send(read, key: "k", to: store)
      let third = try await send(read, key: "k", to: store)
      #expect(first.duplicateOf == nil)
      #expect([again, third].allSatisfy { $0.duplicateOf == first.id && $0.savedToDatabase })
      #expect(try await store.serialCount(SerialFilter()) == 1)
      // Another key, another photo or another part is not a duplicate.
      for other in [
        try await send(read, key: "other", to: store), try await send(read, to: store),
        try await send(read, hash: "bb", key: "k", to: store),
        try await send(read, key: "k", part: PhotoPart(left: 0, top: 0, right: 1, bottom: 0.5), to: store),
      ] { #expect(other.duplicateOf == nil) }
      #expect(try await store.serialCount(SerialFilter()) == 5)
      // One confirmation corrects the one row, and all jobs of the photo are confirmed.
      guard case .saved(let saved, true) = try await store.confirm(job: again.id, serial: "C02G414GMD6N", isValid: true)
      else { throw StoreError.unavailable("not saved") }
      #expect(saved.jobID == first.id)
      for job in [first, again, third] {
        #expect(try await store.job(id: job.id)?.confirmedSerial == "C02G414GMD6N")
      }
      guard case .saved(let same, _) = try await store.confirm(job: third.id, serial: "C02G414GMD6M", isValid: true)
      else { throw StoreError.unavailable("not saved") }
      #expect(same.id == saved.id)
      #expect(try await store.serialCount(SerialFilter()) == 5)
      #expect(try await store.device(serial: "C02G414GMD6M", keyID: nil)?.timesSeen == 1)
      // All of its jobs show the row's deletion.
      _ = try await store.deleteSerial(id: saved.id)
      for job in [first, again] {
        let left = try await store.job(id: job.id)
        #expect(left?.savedToDatabase == false && left?.confirmedSerial == nil)
      }
      // Without the first, the others are not duplicates.
      _ = try await store.deleteJob(id: first.id, alsoSerial: false)
      #expect(try await store.job(id: again.id)?.duplicateOf == nil)
      // A serial that only the second job found is saved.
      let unread = try await send(reading(nil), hash: "cc", to: store)
      #expect(try await send(reading("F2LXK1ABCD"), hash: "cc", to: store).duplicateOf == unread.id)
      #expect(try await store.device(serial: "F2LXK1ABCD", keyID: nil)?.timesSeen == 1)
    }
  }

  func resentPhotoTakesOverConfirmation() async throws {
    try await stores.withStore { store, _ in
      let first = try await send(reading("C02XL0THJHCC"), to: store)
      _ = try await store.confirm(job: first.id, serial: "C02XL0THJHCD", isValid: true)
      let again = try await send(reading("C02XL0THJHCC"), to: store)
      #expect(again.duplicateOf == first.id && again.confirmedSerial == "C02XL0THJHCD" && again.savedToDatabase)
      #expect(try await store.job(id: again.id) == again)
      #expect(try await serials(of: store) == ["C02XL0THJHCD"])
      // A read that needed review, and a photo that could not be read.
      for (number, outcome) in [JobOutcome.read(uncertain("C02G414GMD6N"), save: false), .failed(.noSerial)]
        .enumerated()
      {
        let hash = "b\(number)"
        var job = newJob()
        job.photoHash = hash
        _ = try await store.enqueue(job)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: outcome)
        _ = try await store.confirm(job: job.id, serial: "C02G414GMD6\(number)", isValid: true)
        let resent = try await send(uncertain("C02G414GMD6N"), hash: hash, to: store)
        #expect(resent.duplicateOf == job.id && resent.savedToDatabase)
        #expect(resent.confirmedSerial == "C02G414GMD6\(number)")
      }
      let toReview = JobFilter(verdict: .uncertain, isConfirmed: false, isReviewed: false)
      #expect(try await store.jobs(toReview, limit: 10, cursor: nil).items.isEmpty)
      #expect(try await serials(of: store) == ["C02G414GMD60", "C02G414GMD61", "C02XL0THJHCD"])
      // The first job's deletion leaves the confirmation with the next one.
      try await store.deleteJob(id: first.id, alsoSerial: false)
      let third = try await send(reading("C02XL0THJHCC"), to: store)
      #expect(third.duplicateOf == again.id && third.confirmedSerial == "C02XL0THJHCD")
      #expect(try await serials(of: store).count == 3)
    }
  }

  func resentPhotoTakesOverReview() async throws {
    try await stores.withStore { store, _ in
      let first = try await send(uncertain("C02XL0THJHCC"), to: store)
      #expect(try await store.review(job: first.id, as: .noSerial) == .done)
      let again = try await send(uncertain("C02XL0THJHCC"), to: store)
      #expect(again.review == .noSerial && !again.savedToDatabase)
      // The person said that there is none.
      let accepted = try await send(reading("C02XL0THJHCC"), to: store)
      #expect(accepted.review == .noSerial && !accepted.savedToDatabase)
      #expect(try await serials(of: store).isEmpty)
      #expect(try await store.review(job: again.id, as: nil) == .done)
      #expect(try await send(uncertain("C02XL0THJHCC"), to: store).review == nil)
    }
  }

  func resentPhotoSavesNoReplacedSerial() async throws {
    try await stores.withStore { store, _ in
      let read = ["C02XL0THJHCC", "C07WK3B4PLJ9", "C07WK3K7PLJ9"]
      var whole = reading(read[0])
      whole.isOfEverySerial = true
      whole.serials = read.enumerated().map { index, serial in
        SerialRead(
          serial: serial, confidence: 0.99, method: "tesseract", strategy: "text", isValid: true,
          verdict: index == 2 ? .uncertain : .accepted)
      }
      let first = try await send(whole, to: store)
      _ = try await store.confirm(job: first.id, serial: "C07WK3B5PLJ9", replacing: read[1], isValid: true)
      _ = try await store.confirm(job: first.id, serial: "C07WK3K8PLJ9", replacing: read[2], isValid: true)
      let known = [read[0], "C07WK3B5PLJ9", "C07WK3K8PLJ9"]
      // The third is read with more confidence now, and a fourth for the first time.
      whole.serials[2].verdict = .accepted
      whole.serials.append(
        SerialRead(
          serial: "F2LXK1ABCD", confidence: 0.99, method: "tesseract", strategy: "text", isValid: true,
          verdict: .accepted))
      let again = try await send(whole, to: store)
      #expect(again.duplicateOf == first.id && again.confirmedSerial == "C07WK3K8PLJ9")
      #expect(try await serials(of: store) == known + ["F2LXK1ABCD"])
    }
  }

  func confirmationHoldsInEveryBatch() async throws {
    try await stores.withStore { store, _ in
      let batches = (0..<3).map { _ in UUID().uuidString.lowercased() }
      for id in batches { _ = try await store.addBatch(id: id, name: id, keyID: nil) }
      func saved(in batch: String?) async throws -> [SavedSerial] {
        try await store.serials(SerialQuery()).items.filter { $0.batchID == batch && $0.keyID == "k" }
      }
      let first = try await send(reading("C02XL0THJHCC"), key: "k", batch: batches[0], to: store)
      let second = try await send(reading("C02XL0THJHCC"), key: "k", batch: batches[1], to: store)
      let alien = try await send(reading("C02XL0THJHCC"), key: "other", to: store)
      #expect(second.duplicateOf == nil && second.savedToDatabase)
      _ = try await store.confirm(job: second.id, serial: "C02XL0THJHCD", isValid: true)
      let unsaved = try await send(reading("C02XL0THJHCC"), key: "k", persist: false, to: store)
      #expect(unsaved.confirmedSerial == nil && !unsaved.savedToDatabase)
      let third = try await send(reading("C02XL0THJHCC"), key: "k", batch: batches[2], to: store)
      for job in [first, second, third] {
        let job = try #require(try await store.job(id: job.id))
        #expect(job.duplicateOf == nil && job.confirmedSerial == "C02XL0THJHCD" && job.savedToDatabase)
      }
      for batch in batches {
        let rows = try await saved(in: batch)
        #expect(rows.map(\.serial) == ["C02XL0THJHCD"] && rows.allSatisfy { $0.confirmedAt != nil })
        #expect(rows.map(\.method) == ["person"])
        #expect(try await store.batch(id: batch)?.tally == BatchTally(confirmed: 1, devices: 1))
      }
      #expect(try await saved(in: nil).isEmpty)
      #expect(try await store.job(id: alien.id)?.confirmedSerial == nil)
      let foreign = try await send(reading("C02XL0THJHCC"), key: "third", batch: batches[0], to: store)
      #expect(foreign.confirmedSerial == nil && foreign.savedToDatabase)
      // A review holds in every batch too.
      let blank = try await send(uncertain("C02G414GMD6N"), hash: "bb", key: "k", to: store)
      let other = try await send(uncertain("C02G414GMD6N"), hash: "bb", key: "k", batch: batches[0], to: store)
      #expect(try await store.review(job: blank.id, as: .retake) == .done)
      #expect(try await store.job(id: other.id)?.review == .retake)
      #expect(
        try await send(uncertain("C02G414GMD6N"), hash: "bb", key: "k", batch: batches[1], to: store).review == .retake)
    }
  }

  /// Sends a photo without a serial, and twice again with one, which the second job saves. Returns the jobs' ids.
  private func sendThrice(hash: String, _ serial: String, to store: Stores.Store) async throws -> [String] {
    var ids = [try await send(reading(nil), hash: hash, to: store).id]
    for _ in 0..<2 {
      let again = try await send(reading(serial), hash: hash, to: store)
      #expect(again.duplicateOf == ids[0] && again.savedToDatabase)
      ids.append(again.id)
    }
    #expect(try await serials(of: store).filter { $0 == serial }.count == 1)
    return ids
  }

  func deletionConcernsAllJobsOfPhoto() async throws {
    try await stores.withStore { store, _ in
      func expectUnsaved(_ ids: [String], _ comment: Comment) async throws {
        for id in ids {
          guard let job = try await store.job(id: id) else { continue }
          #expect(!job.savedToDatabase && job.confirmedSerial == nil, comment)
        }
        #expect(try await serials(of: store).isEmpty, comment)
      }
      for isConfirmed in [false, true] {
        for (number, delete) in [
          "the serial", "the device", "the job that saved it",
        ].enumerated() {
          let serial = "C02XL0THJHC\(number)"
          let ids = try await sendThrice(hash: "\(delete), \(isConfirmed)", serial, to: store)
          if isConfirmed { _ = try await store.confirm(job: ids[2], serial: serial, isValid: true) }
          let row = try #require(try await store.serials(SerialQuery()).items.first)
          #expect(row.jobID == ids[1])
          switch number {
          case 0: _ = try await store.deleteSerial(id: row.id)
          case 1: _ = try await store.deleteDevice(serial: serial)
          default: _ = try await store.deleteJob(id: ids[1], alsoSerial: true)
          }
          try await expectUnsaved(ids, "\(delete), confirmed: \(isConfirmed)")
        }
      }
      // A review stays.
      let first = try await send(uncertain("C02G414GMD6N"), hash: "bb", to: store)
      let again = try await send(uncertain("C02G414GMD6N"), hash: "bb", to: store)
      #expect(try await store.review(job: again.id, as: .retake) == .done)
      try await store.deleteJob(id: first.id, alsoSerial: true)
      #expect(try await store.job(id: again.id)?.review == .retake)
    }
  }

  func photoIsKnownAfterItsJobIsGone() async throws {
    try await stores.withStore { store, time in
      for isConfirmed in [false, true] {
        let serial = isConfirmed ? "C02XL0THJHCD" : "C02XL0THJHCC"
        /// Expects that the photo is recognised, and that its serial belongs to the job.
        func expectKnown(_ hash: String, as job: String, _ comment: Comment) async throws {
          let again = try await send(reading(serial), hash: hash, to: store)
          #expect(again.duplicateOf == job && again.savedToDatabase, comment)
          #expect(again.confirmedSerial == (isConfirmed ? serial : nil), comment)
          let rows = try await store.serials(SerialQuery()).items
          #expect(rows.map(\.jobID) == [job], comment)
          for row in rows { try await store.deleteSerial(id: row.id) }
        }
        let deleted = try await sendThrice(hash: "deleted, \(isConfirmed)", serial, to: store)
        if isConfirmed { _ = try await store.confirm(job: deleted[1], serial: serial, isValid: true) }
        try await store.deleteJob(id: deleted[1], alsoSerial: false)
        try await expectKnown("deleted, \(isConfirmed)", as: deleted[0], "deleted, confirmed: \(isConfirmed)")

        try await time.pass(1)
        let hash = "expired, \(isConfirmed)"
        let first = try await send(reading(nil), hash: hash, to: store)
        let second = try await send(reading(serial), hash: hash, to: store)
        if isConfirmed { _ = try await store.confirm(job: second.id, serial: serial, isValid: true) }
        try await time.pass(60)
        let third = try await send(reading(serial), hash: hash, to: store)
        #expect(third.duplicateOf == first.id)
        let later = Date(microseconds: try await store.now()) - 30
        #expect(try await store.pruneJobs(endedBefore: later, limit: 100) >= 2)
        for id in [first.id, second.id] { #expect(try await store.job(id: id) == nil) }
        try await expectKnown(hash, as: third.id, "expired, confirmed: \(isConfirmed)")
      }
    }
  }

  func retentionPassesPhotoOn() async throws {
    try await stores.withStore { store, time in
      let batch = UUID().uuidString.lowercased()
      _ = try await store.addBatch(id: batch, name: "Lot 14", keyID: nil)
      var ids: [String] = []
      for _ in 0..<4 {
        ids.append(try await send(reading("C02XL0THJHCC"), batch: batch, to: store).id)
        try await time.pass(10)
      }
      func firsts() async throws -> [String?] {
        var firsts: [String?] = []
        for id in ids { firsts.append(try await store.job(id: id)?.duplicateOf) }
        return firsts
      }
      #expect(try await firsts() == [nil, ids[0], ids[0], ids[0]])
      let tally = try await store.batch(id: batch)?.tally
      #expect(tally == BatchTally(accepted: 1, duplicates: 3, devices: 1))
      // Also where later jobs go first, one by one.
      for left in [[nil, ids[3], ids[3], nil], [nil, nil, ids[3], nil], [nil, nil, nil, nil]] {
        let later = Date(microseconds: try await store.now())
        #expect(try await store.pruneJobs(endedBefore: later, limit: 1) == 1)
        #expect(try await firsts() == left)
        #expect(try await store.batch(id: batch)?.tally == tally)
        #expect(try await store.serials(SerialQuery()).items.map(\.jobID) == [ids[3]])
      }
      #expect(try await store.pruneJobs(endedBefore: Date(microseconds: store.now()), limit: 10) == 1)
      #expect(try await store.batch(id: batch)?.tally == tally)
    }
  }

  func deletionKeepsOtherConfirmations() async throws {
    try await stores.withStore { store, _ in
      let read = ["C02XL0THJHCC", "C07WK3B4PLJ9", "C07WK3K7PLJ9"]
      let first = try await send(readingOfAll(read), to: store)
      _ = try await store.confirm(job: first.id, serial: "C07WK3B5PLJ9", replacing: read[1], isValid: true)
      _ = try await store.confirm(job: first.id, serial: "C07WK3K8PLJ9", replacing: read[2], isValid: true)
      let last = try #require(try await store.serials(SerialQuery()).items.first { $0.serial == "C07WK3K8PLJ9" })
      try await store.deleteSerial(id: last.id)
      #expect(try await store.job(id: first.id)?.confirmedSerial == "C07WK3B5PLJ9")
      let again = try await send(readingOfAll(read), to: store)
      #expect(again.duplicateOf == first.id && again.confirmedSerial == "C07WK3B5PLJ9")
      #expect(try await serials(of: store) == [read[0], "C07WK3B5PLJ9"])
    }
  }

  func photoHasSerialOnce() async throws {
    try await stores.withStore { store, _ in
      _ = try await send(reading("C02XL0THJHCC"), to: store)
      let again = try await send(reading("C02XL0THJHCD"), to: store)
      let rows = try await store.serials(SerialQuery()).items
      let wrong = try #require(rows.first { $0.serial == "C02XL0THJHCD" })
      #expect(rows.count == 2 && wrong.jobID == again.id)
      await #expect(throws: StoreError.serialTaken) {
        try await store.changeSerial(id: wrong.id, SerialChange(serial: ("C02XL0THJHCC", true)))
      }
      _ = try await store.confirm(job: again.id, serial: "C02XL0THJHCC", isValid: true)
      #expect(try await serials(of: store) == ["C02XL0THJHCC"])
    }
  }

  /// A reading of every serial of a photo, all accepted.
  private func readingOfAll(_ serials: [String]) -> Reading {
    var whole = reading(serials[0])
    whole.isOfEverySerial = true
    whole.serials = serials.map {
      SerialRead(
        serial: $0, confidence: 0.99, method: "tesseract", strategy: "text", isValid: true, verdict: .accepted)
    }
    return whole
  }

  func changingSerialConfirmsJob() async throws {
    try await stores.withStore { store, _ in
      let batch = UUID().uuidString.lowercased()
      _ = try await store.addBatch(id: batch, name: "Lot 14", keyID: nil)
      let first = try await send(reading("C02XL0THJHCC"), batch: batch, to: store)
      let again = try await send(reading("C02XL0THJHCC"), batch: batch, to: store)
      let row = try #require(try await store.serials(SerialQuery()).items.first)
      _ = try await store.changeSerial(id: row.id, SerialChange(notes: "desk 5"))
      #expect(try await store.job(id: first.id)?.confirmedSerial == nil)
      let changed = try await store.changeSerial(id: row.id, SerialChange(serial: ("C02XL0THJHCD", true)))
      #expect(changed?.confirmedAt != nil)
      for id in [first.id, again.id] { #expect(try await store.job(id: id)?.confirmedSerial == "C02XL0THJHCD") }
      #expect(
        try await store.batch(id: batch)?.tally == BatchTally(confirmed: 1, duplicates: 1, devices: 1))
      let third = try await send(reading("C02XL0THJHCC"), batch: batch, to: store)
      #expect(third.confirmedSerial == "C02XL0THJHCD")
      #expect(try await serials(of: store) == ["C02XL0THJHCD"])
    }
  }
}
