import JobStore
import SQLiteStore
import StoreConformance
import Testing

/// What every store promises, held against SQLite, and the queue's part against the store that forgets.
@Suite struct ConformanceTests {
  @Test(arguments: JobConformance<SQLiteStores>.checks)
  func jobs(check: Check<JobConformance<SQLiteStores>>) async throws {
    try await check.hold(against: SQLiteStores())
  }

  @Test(arguments: JobConformance<InMemoryStores>.checks)
  func jobsInMemory(check: Check<JobConformance<InMemoryStores>>) async throws {
    try await check.hold(against: InMemoryStores())
  }

  @Test(arguments: ListingConformance<SQLiteStores>.checks)
  func listing(check: Check<ListingConformance<SQLiteStores>>) async throws {
    try await check.hold(against: SQLiteStores())
  }

  @Test(arguments: SerialConformance<SQLiteStores>.checks)
  func serials(check: Check<SerialConformance<SQLiteStores>>) async throws {
    try await check.hold(against: SQLiteStores())
  }

  @Test(arguments: PhotoConformance<SQLiteStores>.checks)
  func photos(check: Check<PhotoConformance<SQLiteStores>>) async throws {
    try await check.hold(against: SQLiteStores())
  }

  @Test(arguments: KeyConformance<SQLiteStores>.checks)
  func keys(check: Check<KeyConformance<SQLiteStores>>) async throws {
    try await check.hold(against: SQLiteStores())
  }

  @Test(arguments: TaskConformance<SQLiteStores>.checks)
  func tasks(check: Check<TaskConformance<SQLiteStores>>) async throws {
    try await check.hold(against: SQLiteStores())
  }
}
