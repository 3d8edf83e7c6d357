import Foundation
import GRDB
import JobStore
import SQLiteStore
import ScanModel
import StoreConformance
import Testing

/// The table of saved serials: its constraints and statistics.
@Suite struct SerialsTests {
  @Test func rejectsSecondRowForJobAndSerial() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let insert =
        "INSERT INTO serials (created_at, serial, confidence, source, valid, job_id) VALUES (1,'A',1,'scan',1,'j')"
      try await store.pool.write { try $0.execute(sql: insert) }
      await #expect(throws: DatabaseError.self) { try await store.pool.write { try $0.execute(sql: insert) } }
    }
  }

  @Test func statisticsMatchRowsAfterDeletion() async throws {
    try await withTemporaryFolder { folder in
      let store = try await filledStore(folder, count: 40)
      try await store.pool.write { try $0.execute(sql: "DELETE FROM serials WHERE id % 7 = 0") }
      let all = try await store.serials(SerialQuery(limit: 1000)).items
      let figures = try await store.serialStatistics(days: 36_500)
      #expect(figures.total == all.count && figures.valid == all.count { $0.isValid })
      let mean = all.map(\.confidence).reduce(0, +) / Double(all.count)
      #expect(abs((figures.meanConfidence ?? 0) - mean) < 1e-9)
      #expect(figures.bySource == Dictionary(grouping: all, by: \.source.rawValue).mapValues(\.count))
      #expect(figures.byDeviceType == Dictionary(grouping: all) { $0.deviceType ?? "" }.mapValues(\.count))
      #expect(
        figures.byDay
          == Dictionary(grouping: all) { String($0.createdAt.ISO8601Format().prefix(10)) }.mapValues(\.count))
      #expect(
        try await store.serialCount(SerialFilter(search: "C02")) == all.count { $0.serial.uppercased().contains("C02") }
      )
    }
  }

  /// Serials of two days, several sources, kinds and confidences.
  private func filledStore(_ folder: String, count: Int) async throws -> SQLiteJobStore {
    let store = try SQLiteJobStore(path: folder + "/s.sqlite")
    let deviceTypes = ["MacBook Pro", "iPhone 15", nil]
    let serials = ["C02XL0THJHCC", "F17ABC123", "c02lower", "DMPXL0"]
    for number in 0..<count {
      let serial = NewSerial(
        serial: serials[number % serials.count], confidence: Double(number % 10) / 10,
        source: SerialSource.allCases[number % 3], isValid: number % 5 != 0,
        deviceType: deviceTypes[number / 3 % deviceTypes.count],
        readAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number / 2) * 1000))
      _ = try await store.save(serial)
    }
    return store
  }
}
