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

  @Test(arguments: KeyAndTaskConformance<PostgresStores>.checks)
  func keysAndTasks(check: Check<KeyAndTaskConformance<PostgresStores>>) async throws {
    try await check.hold(against: PostgresStores())
  }
}
