import Foundation
import GRDB
import JobStore
import SQLiteStore
import ScanModel
import StoreConformance
import Testing

/// Confirmations, changes and deletions of reads, and their history.
@Suite struct CorrectionsTests {
  private func readJob(_ serial: String?, save: Bool = true, in store: SQLiteJobStore) async throws -> Job {
    var job = newJob()
    job.request.filename = "bench-7.jpg"
    _ = try await store.enqueue(job)
    let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
    let outcome = serial.map { JobOutcome.read(reading($0), save: save) } ?? .failed(.noSerial)
    return try await store.finish(claimed.claim, with: outcome)
  }

  @Test func confirmingUnsavedReadSavesItWithItsPhoto() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let job = try await readJob("C02XL0THJHCC", save: false, in: store)
      let confirmed = try await store.confirm(job: job.id, serial: "C02XL0THJHCC", isValid: true)
      guard case .saved(let saved, let isCorrected) = confirmed else { throw StoreError.unavailable("not saved") }
      #expect(!isCorrected && saved.confidence == 0.98 && saved.method == "tesseract" && saved.jobID == job.id)
      #expect(saved.filename == "bench-7.jpg" && saved.verdict == .accepted && saved.confirmedAt != nil)
      #expect(try await store.job(id: job.id)?.confirmedSerial == "C02XL0THJHCC")
      #expect(try await store.job(id: job.id)?.savedToDatabase == true)
      #expect(try await store.earlierStates(ofSerial: saved.id).isEmpty)
    }
  }

  @Test func correctionUpdatesItsRowAndKeepsHistory() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite", options: .init(isServer: true))
      let job = try await readJob("C02XL0THJHCC", in: store)
      _ = try await store.job(id: job.id)
      for serial in ["C02XL0THJHCD", "C02XL0THJHCD", "BAD"] {
        let confirmed = try await store.confirm(job: job.id, serial: serial, isValid: serial != "BAD")
        guard case .saved(let saved, let isCorrected) = confirmed else { throw StoreError.unavailable("not saved") }
        #expect(isCorrected && saved.serial == serial && saved.method == "person" && saved.confidence == 1)
        #expect(try await store.job(id: job.id)?.confirmedSerial == serial, "visible immediately")
      }
      let all = try await store.serials(SerialQuery()).items
      #expect(all.count == 1)
      let history = try await store.earlierStates(ofSerial: try #require(all.first).id)
      #expect(history.map(\.serial) == ["C02XL0THJHCD", "C02XL0THJHCC"])
      #expect(history.map(\.change) == [.confirmed, .confirmed])
      let figures = try await store.serialStatistics(days: 3)
      #expect(figures.total == 1 && figures.valid == 0 && figures.meanConfidence == 1)
      #expect(try await store.serialCount(SerialFilter(search: "HJHCC")) == 0)
      #expect(try await store.serialCount(SerialFilter(search: "bench-7")) == 1)
      #expect(try await store.serialCount(SerialFilter(search: "BAD")) == 1)
    }
  }

  @Test func confirmsEndedJobsWhateverTheirVerdict() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let failed = try await readJob(nil, in: store)
      #expect(failed.verdict == .refused)
      let confirmed = try await store.confirm(job: failed.id, serial: "C02XL0THJHCC", isValid: true)
      guard case .saved(let saved, true) = confirmed else { throw StoreError.unavailable("not saved") }
      #expect(saved.verdict == .refused && saved.confidence == 1)
      let waiting = newJob()
      _ = try await store.enqueue(waiting)
      #expect(try await store.confirm(job: waiting.id, serial: "C02XL0THJHCC", isValid: true) == .notEnded)
      #expect(try await store.confirm(job: "nothing", serial: "C02XL0THJHCC", isValid: true) == nil)
    }
  }

  @Test func listsJobsByVerdictAndConfirmation() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let read = try await readJob("C02XL0THJHCC", in: store)
      let failed = try await readJob(nil, in: store)
      _ = try await store.enqueue(newJob())
      for verdict in Reading.Verdict.allCases {
        let listed = try await store.jobs(JobFilter(verdict: verdict), limit: 10, cursor: nil).items
        #expect(listed.allSatisfy { $0.verdict == verdict })
        #expect(listed.count == (verdict == .uncertain ? 0 : 1), "\(verdict)")
      }
      _ = try await store.confirm(job: failed.id, serial: "C02XL0THJHCC", isValid: true)
      #expect(try await store.jobs(JobFilter(isConfirmed: true), limit: 9, cursor: nil).items.map(\.id) == [failed.id])
      let open = try await store.jobs(JobFilter(verdict: .accepted, isConfirmed: false), limit: 9, cursor: nil).items
      #expect(open.map(\.id) == [read.id])
    }
  }

  @Test func changesOnlyNamedFieldsAndDeletionUnconfirmsJob() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let job = try await readJob("C02XL0THJHCC", in: store)
      _ = try await store.confirm(job: job.id, serial: "C02XL0THJHCC", isValid: true)
      let id = try #require(try await store.serials(SerialQuery()).items.first).id
      let noted = try #require(try await store.changeSerial(id: id, SerialChange(deviceType: "iMac", notes: "desk 5")))
      #expect(noted.serial == "C02XL0THJHCC" && noted.deviceType == "iMac" && noted.notes == "desk 5")
      #expect(try await store.serialStatistics(days: 3).byDeviceType == ["iMac": 1])
      let changed = try await store.changeSerial(id: id, SerialChange(serial: ("C02XL0THJHCD", true), notes: ""))
      #expect(changed?.serial == "C02XL0THJHCD" && changed?.notes == nil && changed?.deviceType == "iMac")
      #expect(try await store.job(id: job.id)?.confirmedSerial == "C02XL0THJHCD")
      #expect(try await store.deleteSerial(id: id)?.id == id)
      #expect(try await store.deleteSerial(id: id) == nil)
      #expect(try await store.changeSerial(id: id, SerialChange(notes: "x")) == nil)
      let left = try #require(try await store.job(id: job.id))
      #expect(left.confirmedSerial == nil && !left.savedToDatabase)
      #expect(try await store.earlierStates(ofSerial: id).isEmpty)
      #expect(try await store.serialStatistics(days: 3).total == 0)
    }
  }

  @Test func reportsEarlierReadOfSerial() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let readAt = Date(timeIntervalSince1970: 1_700_000_000)
      let first = try await store.save(
        NewSerial(serial: "C02XL0THJHCC", confidence: 1, source: .ios, isValid: true, readAt: readAt))
      let job = try await readJob("C02XL0THJHCC", in: store)
      let serials = try await store.serials(SerialQuery()).items
      #expect(serials.map(\.seenBefore) == [readAt, nil] && serials.last?.id == first.id)
      let asked = [
        ReadInQuestion(serial: "C02XL0THJHCC", jobID: job.id, readAt: job.createdAt),
        ReadInQuestion(serial: "OTHER", jobID: job.id, readAt: job.createdAt),
        ReadInQuestion(serial: "C02XL0THJHCC", jobID: nil, readAt: readAt),
      ]
      #expect(try await store.earlierReads(asked) == [readAt, nil, nil])
    }
  }

  @Test func migrationDeletesHistoryOfDeletedSerials() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let queue = try DatabaseQueue(path: path)
      try await queue.writeWithoutTransaction { database in
        try Migration.apply(Migration.all.filter { $0.number < 8 }, to: database, path: path)
        try database.execute(
          sql: """
            INSERT INTO serials (id, created_at, serial, confidence, source, valid) VALUES (1, 1, 'KEPT', 1, 'ios', 1);
            INSERT INTO serial_changes (serial_id, changed_at, change, serial, device_type, confidence)
            VALUES (1, 1, 'changed', 'BEFORE', '', 1), (2, 1, 'changed', 'GONE', '', 1), (2, 2, 'deleted', 'GONE', '', 1)
            """)
      }
      try queue.close()
      let store = try SQLiteJobStore(path: path)
      #expect(try await store.earlierStates(ofSerial: 1).map(\.serial) == ["BEFORE"])
      #expect(try await store.earlierStates(ofSerial: 2).isEmpty)
      #expect(try await store.deleteSerial(id: 1) != nil)
      #expect(try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM serial_changes") } == 0)
    }
  }

  @Test func migrationKeepsReadsWithVerdictAndSearchIndex() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let queue = try DatabaseQueue(path: path)
      try await queue.writeWithoutTransaction { database in
        try Migration.apply(Array(Migration.all.prefix(3)), to: database, path: path)
        try database.execute(
          sql: """
            INSERT INTO jobs (id, state, message, created_at, updated_at, photo, photo_bytes, persist, annotate, reading)
            VALUES ('j', 'completed', '', 1, 1, 'p', 1, 1, 0, '{"verdict":"uncertain"}');
            INSERT INTO serials (created_at, serial, confidence, source, valid, job_id)
            VALUES (1, 'C02XL0THJHCC', 0.5, 'scan', 1, 'j'), (2, 'C02XL0THJHCC', 0.5, 'ios', 1, NULL)
            """)
      }
      try queue.close()
      let store = try SQLiteJobStore(path: path)
      let serials = try await store.serials(SerialQuery(filter: SerialFilter(search: "THJH"))).items
      #expect(serials.map(\.verdict) == [nil, .uncertain] && serials.first?.seenBefore != nil)
      #expect(try await store.deleteSerial(id: 1) != nil)
      #expect(try await store.serialCount(SerialFilter(search: "THJH")) == 1)
    }
  }
}
