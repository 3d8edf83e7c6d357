import JobStore
import SQLiteStore
import StoreConformance
import Testing

/// The conformance checks on SQLite, and those of the queue on the store in memory.
@Suite struct ConformanceTests {
  @Test(arguments: InsertConformance<SQLiteStores>.checks)
  func insert(check: Check<InsertConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: ClaimConformance<SQLiteStores>.checks)
  func claim(check: Check<ClaimConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: ListenConformance<SQLiteStores>.checks)
  func listen(check: Check<ListenConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: ManyWritersConformance<SQLiteStores>.checks)
  func manyWriters(check: Check<ManyWritersConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: SaveConformance<SQLiteStores>.checks)
  func save(check: Check<SaveConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: ListConformance<SQLiteStores>.checks)
  func list(check: Check<ListConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: SearchConformance<SQLiteStores>.checks)
  func search(check: Check<SearchConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: DeviceConformance<SQLiteStores>.checks)
  func devices(check: Check<DeviceConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: CorrectConformance<SQLiteStores>.checks)
  func correct(check: Check<CorrectConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: SamePhotoConformance<SQLiteStores>.checks)
  func samePhoto(check: Check<SamePhotoConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: RemoveConformance<SQLiteStores>.checks)
  func remove(check: Check<RemoveConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: PhotoConformance<SQLiteStores>.checks)
  func photos(check: Check<PhotoConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: BatchConformance<SQLiteStores>.checks)
  func batches(check: Check<BatchConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: KeyConformance<SQLiteStores>.checks)
  func keys(check: Check<KeyConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: ModelCodeConformance<SQLiteStores>.checks)
  func modelCodes(check: Check<ModelCodeConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: TaskConformance<SQLiteStores>.checks)
  func tasks(check: Check<TaskConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }

  @Test(arguments: InsertConformance<InMemoryStores>.checks)
  func insertInMemory(check: Check<InsertConformance<InMemoryStores>>) async throws {
    try await check.run(on: InMemoryStores())
  }

  @Test(arguments: ClaimConformance<InMemoryStores>.checks)
  func claimInMemory(check: Check<ClaimConformance<InMemoryStores>>) async throws {
    try await check.run(on: InMemoryStores())
  }

  @Test(arguments: ListenConformance<InMemoryStores>.checks)
  func listenInMemory(check: Check<ListenConformance<InMemoryStores>>) async throws {
    try await check.run(on: InMemoryStores())
  }

  @Test(arguments: ManyWritersConformance<InMemoryStores>.checks)
  func manyWritersInMemory(check: Check<ManyWritersConformance<InMemoryStores>>) async throws {
    try await check.run(on: InMemoryStores())
  }

  @Test(arguments: WebhookConformance<SQLiteStores>.checks)
  func webhooks(check: Check<WebhookConformance<SQLiteStores>>) async throws {
    try await check.run(on: SQLiteStores())
  }
}
