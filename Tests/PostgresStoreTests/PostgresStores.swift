import Foundation
import JobStore
import MigratedDatabase
import PostgresClient
import PostgresStore
import StoreConformance
import TestCluster
import Testing

/// Stores in databases of their own, which are dropped afterwards; photos in rows.
struct PostgresStores: TestedStores {
  func withStore(
    limits: QueueLimits, _ body: @Sendable (PostgresStore, any TestTime) async throws -> Void
  ) async throws {
    try await withFreshStore(.init(limits: limits, isServer: true, connections: 4), body)
  }
}

/// The same stores, with photos in a folder.
struct PostgresFolderStores: TestedStores {
  func withStore(
    limits: QueueLimits, _ body: @Sendable (PostgresStore, any TestTime) async throws -> Void
  ) async throws {
    var options = PostgresStore.Options(limits: limits, isServer: true, connections: 4)
    let folder = freshFolder()
    options.photosFolder = folder
    try await withFreshStore(options, body)
    try FileManager.default.removeItem(atPath: folder)
  }
}

private func freshFolder() -> String { NSTemporaryDirectory() + "photos-" + UUID().uuidString }

private func withFreshStore(
  _ options: PostgresStore.Options, _ body: @Sendable (PostgresStore, any TestTime) async throws -> Void
) async throws {
  try await withFreshDatabase { address in
    var options = options
    options.temporaryFolder = freshFolder()
    let store = try PostgresStore(address: address, options: options)
    let time = DatabaseTime(address: address)
    try await time.stop()
    do {
      try await body(store, time)
    } catch {
      try await store.close()
      throw error
    }
    try await store.close()
    try FileManager.default.removeItem(atPath: options.temporaryFolder)
  }
}

/// Runs `body` with the address of a database without rows, which is dropped afterwards.
///
/// - Parameter isOtherStore: Whether it has an identity of its own, which takes longer; all others are copies of one.
func withFreshDatabase(isOtherStore: Bool = false, _ body: (String) async throws -> Void) async throws {
  let address = try await isOtherStore ? TestCluster.makeDatabase() : TestCluster.makeMigratedDatabase()
  try await body(address)
  try TestCluster.dropDatabase(at: address)
}

/// A clock that moves only when advanced: replaces the database's own clock, in this database only.
struct DatabaseTime: TestTime {
  let address: String

  /// Stops the clock after the store's first heartbeat.
  func stop() async throws {
    let connection = try PostgresConnection(to: PostgresAddress(address))
    while try connection.run("SELECT 1 FROM servers").count == 0 { try await Task.sleep(for: .milliseconds(10)) }
    try connection.runScript(
      """
      BEGIN;
      CREATE TABLE stopped_clock AS SELECT store_now() AS at;
      CREATE OR REPLACE FUNCTION store_now() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT at FROM stopped_clock';
      UPDATE servers SET since = store_now(), beat_at = store_now();
      COMMIT
      """)
  }

  /// Advances the clock. Machines with a heartbeat until now keep it.
  func pass(_ seconds: TimeInterval) async throws {
    let connection = try PostgresConnection(to: PostgresAddress(address))
    try connection.transaction { connection in
      let passed = PostgresValue.integer(Int64(seconds * 1_000_000))
      try connection.run("UPDATE stopped_clock SET at = at + $1", [passed])
      try connection.run("UPDATE servers SET beat_at = beat_at + $1", [passed])
    }
  }

  /// Does nothing: no machine's clock is used.
  func setWallClock(by seconds: TimeInterval) async throws {}
}
