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
}
