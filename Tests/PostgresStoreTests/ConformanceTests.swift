import Foundation
import JobStore
import PostgresClient
import PostgresStore
import StoreConformance
import TestCluster
import Testing

/// The conformance checks on PostgreSQL.
@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct PostgresConformanceTests {
  @Test(arguments: InsertConformance<PostgresStores>.checks)
  func insert(check: Check<InsertConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: ClaimConformance<PostgresStores>.checks)
  func claim(check: Check<ClaimConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: ListenConformance<PostgresStores>.checks)
  func listen(check: Check<ListenConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: ManyWritersConformance<PostgresStores>.checks)
  func manyWriters(check: Check<ManyWritersConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: SaveConformance<PostgresStores>.checks)
  func save(check: Check<SaveConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: ListConformance<PostgresStores>.checks)
  func list(check: Check<ListConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: SearchConformance<PostgresStores>.checks)
  func search(check: Check<SearchConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: DeviceConformance<PostgresStores>.checks)
  func devices(check: Check<DeviceConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: CorrectConformance<PostgresStores>.checks)
  func correct(check: Check<CorrectConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: SamePhotoConformance<PostgresStores>.checks)
  func samePhoto(check: Check<SamePhotoConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: RemoveConformance<PostgresStores>.checks)
  func remove(check: Check<RemoveConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: PhotoConformance<PostgresStores>.checks)
  func photos(check: Check<PhotoConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: BatchConformance<PostgresStores>.checks)
  func batches(check: Check<BatchConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: KeyConformance<PostgresStores>.checks)
  func keys(check: Check<KeyConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: ModelCodeConformance<PostgresStores>.checks)
  func modelCodes(check: Check<ModelCodeConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: TaskConformance<PostgresStores>.checks)
  func tasks(check: Check<TaskConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test(arguments: PhotoConformance<PostgresFolderStores>.checks)
  func photosInAFolder(check: Check<PhotoConformance<PostgresFolderStores>>) async throws {
    try await check.run(on: PostgresFolderStores())
  }

  @Test(arguments: WebhookConformance<PostgresStores>.checks)
  func webhooks(check: Check<WebhookConformance<PostgresStores>>) async throws {
    try await check.run(on: PostgresStores())
  }

  @Test func keepsJobAwaitedOnAnotherServer() async throws {
    try await withFreshDatabase { address in
      let options = PostgresStore.Options(isServer: true, connections: 2)
      let (one, other) = (
        try PostgresStore(address: address, options: options), try PostgresStore(address: address, options: options)
      )
      let hangUp = JobError(code: .cancelled, detail: "The client hung up.")
      // Sent again to another server with the same key.
      let sentTwice = newJob(priority: 10, key: "k", digest: "aa")
      try await one.enqueue(sentTwice)
      #expect(try await other.enqueue(newJob(priority: 10, key: "k", digest: "aa")).id == sentTwice.id)
      #expect(try await one.cancel(id: sentTwice.id, because: hangUp)?.state == .queued)
      // Requested from another server.
      let asked = newJob(priority: 10)
      try await one.enqueue(asked)
      #expect(try await other.waitForEnd(id: asked.id, timeout: .milliseconds(10))?.state == .queued)
      #expect(try await one.cancel(id: asked.id, because: hangUp)?.state == .queued)
      // Awaited only at its own server.
      let own = newJob(priority: 10, key: "own", digest: "aa")
      try await one.enqueue(own)
      #expect(try await one.enqueue(newJob(priority: 10, key: "own", digest: "aa")).isDuplicate)
      #expect(try await one.waitForEnd(id: own.id, timeout: .milliseconds(10))?.state == .queued)
      #expect(try await one.cancel(id: own.id, because: hangUp)?.error == hangUp)
      try await one.close()
      try await other.close()
    }
  }

  /// Rows without the columns that lists and searches use, as an earlier version running beside this one writes them.
  @Test func maintenanceIndexesRowsOfEarlierVersion() async throws {
    try await withFreshDatabase { address in
      let options = PostgresStore.Options(isServer: true, connections: 2)
      let store = try PostgresStore(address: address, options: options)
      let connection = try PostgresConnection(to: PostgresAddress(address))
      func found(_ search: String) async throws -> Int { try await store.serialCount(SerialFilter(search: search)) }
      try connection.run(
        """
        INSERT INTO serials (created_at, serial, device_type, confidence, source, valid, filename)
        SELECT n, 'C02XL' || lpad(n::text, 4, '0') || 'JHCC', 'ÉCRAN ' || n, 1, 'ios', true, 'a.jpg'
        FROM generate_series(1, 2500) AS n
        """)
      try await store.maintain()
      #expect(try await found("écran 7") == 111)
      #expect(try await store.serials(SerialQuery(filter: .init(deviceType: "écran 2500"))).items.count == 1)
      try connection.run("UPDATE serials SET serial = 'F2LXK1ABCD', valid = true WHERE device_type = 'ÉCRAN 2500'")
      try await store.maintain()
      #expect(try await found("f2lx k1") == 1)
      #expect(try await found("C02XL") == 2499)
      try connection.run("UPDATE serials SET search_text = ''")
      let next = try PostgresStore(address: address, options: options)
      #expect(try await next.serialCount(SerialFilter(search: "C02XL")) == 2499)
      try await next.close()
      try await store.close()
    }
  }

  @Test func permanentlyRejectsValuesPostgresCannotHold() async throws {
    try await PostgresStores().withStore { store, _ in
      // Longer than an index allows, and incompressible.
      let long = "C0C0" + (0..<300).map { _ in UUID().uuidString }.joined()
      for (serial, notes) in [("C02XL0THJHCC", "Session a\0b"), (long, "")] {
        do {
          _ = try await store.save(
            NewSerial(serial: serial, confidence: 1, source: .live, isValid: true, notes: notes))
          Issue.record("saved")
        } catch StoreError.refused(let reason) {
          #expect(!reason.contains("C0C0") && !reason.contains("Session"), "\(reason)")
        }
      }
      #expect(try await store.serialCount(SerialFilter()) == 0)
    }
  }

  @Test func reportsMissingTableBeforeAcceptingPhoto() async throws {
    try await withFreshDatabase { address in
      let store = try PostgresStore(address: address, options: .init(isServer: true, connections: 2))
      let connection = try PostgresConnection(to: PostgresAddress(address))
      try connection.run("ALTER TABLE serials RENAME TO away")
      for _ in 0..<2 {
        do {
          _ = try await store.enqueue(newJob())
          Issue.record("accepted")
        } catch StoreError.lost(let reason) {
          #expect(reason.contains("serials"))
        }
      }
      await #expect(throws: StoreError.self) { try await store.checkWritable() }
      try connection.run("ALTER TABLE away RENAME TO serials")
      try await store.enqueue(newJob())
      try await store.close()
    }
  }

  /// Only responses of this store can be lost in transit; see `NewSerial.saveID`.
  @Test func retriedSaveIsOneRow() async throws {
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
