import Foundation
import JobStore
import PostgresStore
import StoreConformance
import Testing

/// What every store promises, held against PostgreSQL.
@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct PostgresConformanceTests {
  @Test(arguments: JobConformance<PostgresStores>.checks)
  func jobs(check: Check<JobConformance<PostgresStores>>) async throws {
    try await check.hold(against: PostgresStores())
  }

  @Test(arguments: ListingConformance<PostgresStores>.checks)
  func listing(check: Check<ListingConformance<PostgresStores>>) async throws {
    try await check.hold(against: PostgresStores())
  }

  @Test(arguments: SerialConformance<PostgresStores>.checks)
  func serials(check: Check<SerialConformance<PostgresStores>>) async throws {
    try await check.hold(against: PostgresStores())
  }

  @Test(arguments: PhotoConformance<PostgresStores>.checks)
  func photos(check: Check<PhotoConformance<PostgresStores>>) async throws {
    try await check.hold(against: PostgresStores())
  }

  @Test(arguments: PhotoConformance<PostgresFolderStores>.checks)
  func photosInAFolder(check: Check<PhotoConformance<PostgresFolderStores>>) async throws {
    try await check.hold(against: PostgresFolderStores())
  }

  @Test(arguments: KeyConformance<PostgresStores>.checks)
  func keys(check: Check<KeyConformance<PostgresStores>>) async throws {
    try await check.hold(against: PostgresStores())
  }

  @Test(arguments: TaskConformance<PostgresStores>.checks)
  func tasks(check: Check<TaskConformance<PostgresStores>>) async throws {
    try await check.hold(against: PostgresStores())
  }

  /// An answer can be lost on its way from this store alone; see `NewSerial.saveID`.
  @Test func aSerialWhoseSavingIsTriedAgainIsOneRow() async throws {
    try await PostgresStores().withStore { store, _ in
      var serial = NewSerial(serial: "C02XL0THJHCC", confidence: 0.9, source: .live, isValid: true)
      serial.saveID = UUID()
      let first = try await store.save(serial)
      #expect(try await store.save(serial) == first)
      serial.saveID = UUID()
      #expect(try await store.save(serial).id != first.id)
      #expect(try await store.serialCount(SerialFilter()) == 2)
    }
  }
}
