import Foundation
import JobStore
import PostgresClient
import PostgresStore
import StoreConformance
import TestCluster
import Testing

/// Jobs that several servers delete at the same time.
@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct PruningTests {
  @Test func concurrentPruningKeepsSerialWithRemainingDuplicate() async throws {
    try await withPhotoSentThreeTimes { store, other, ids in
      // Another server is deleting the first duplicate while this one starts to delete the first job.
      try other.run("BEGIN")
      try other.run("SELECT pg_try_advisory_xact_lock($1)", [.integer(PostgresStore.jobPruningLock)])
      try other.run("DELETE FROM jobs WHERE id = $1", [.text(ids[1])])
      async let pruned = store.pruneJobs(endedBefore: .distantFuture, limit: 1)
      try await Task.sleep(for: .milliseconds(300))
      try other.run("COMMIT")
      if try await pruned == 0 {
        #expect(try await store.pruneJobs(endedBefore: .distantFuture, limit: 1) == 1)
      }
    }
  }

  @Test func concurrentDeletionsKeepSerialWithRemainingDuplicate() async throws {
    try await withPhotoSentThreeTimes { store, other, ids in
      try other.run("BEGIN")
      try other.run("SELECT pg_advisory_xact_lock(hashtextextended('aa', 0))")
      try other.run("DELETE FROM jobs WHERE id = $1", [.text(ids[1])])
      async let deleted = store.deleteJob(id: ids[0], alsoSerial: false)
      try await Task.sleep(for: .milliseconds(300))
      try other.run("COMMIT")
      #expect(try await deleted != nil)
    }
  }

  /// Sends a photo three times, calls `deletion` to delete the first two jobs, and checks that the third one has the
  /// saved serial.
  private func withPhotoSentThreeTimes(
    _ deletion: (_ store: PostgresStore, _ other: PostgresConnection, _ ids: [String]) async throws -> Void
  ) async throws {
    try await withFreshDatabase { address in
      let store = try PostgresStore(address: address, options: .init(isServer: true, connections: 2))
      let ids = try await readPhotoThreeTimes(in: store)
      try await deletion(store, try PostgresConnection(to: PostgresAddress(address)), ids)
      #expect(try await store.job(id: ids[0]) == nil)
      #expect(try await store.job(id: ids[2])?.duplicateOf == nil)
      #expect(try await store.serials(SerialQuery()).items.map(\.jobID) == [ids[2]])
      try await store.close()
    }
  }

  /// Whoever changes a read locks its row, then its device.
  @Test func deletedDeviceWaitsForChangeOfItsRead() async throws {
    try await withFreshDatabase { address in
      let store = try PostgresStore(address: address, options: .init(isServer: true, connections: 2))
      let serial = "C02XL0THJHCC"
      _ = try await store.save(NewSerial(serial: serial, confidence: 1, source: .live, isValid: true))
      let other = try PostgresConnection(to: PostgresAddress(address))
      try other.run("BEGIN")
      try other.run("SELECT id FROM serials FOR UPDATE")
      async let deleted = store.deleteDevice(serial: serial)
      var waiting = 0
      while waiting == 0 {
        try await Task.sleep(for: .milliseconds(5))
        waiting = try other.run("SELECT 1 AS n FROM pg_locks WHERE NOT granted").rows.count
      }
      try other.run("SELECT id FROM devices FOR UPDATE NOWAIT")
      try other.run("COMMIT")
      #expect(try await deleted == 1)
      try await store.close()
    }
  }

  @Test func deletionWaitsForPruning() async throws {
    try await withFreshDatabase { address in
      let store = try PostgresStore(address: address, options: .init(isServer: true, connections: 2))
      let job = newJob()
      _ = try await store.enqueue(job)
      let other = try PostgresConnection(to: PostgresAddress(address))
      try other.run("BEGIN")
      try other.run("SELECT pg_try_advisory_xact_lock($1)", [.integer(PostgresStore.jobPruningLock)])
      async let deleted = store.deleteJob(id: job.id, alsoSerial: false)
      try await Task.sleep(for: .milliseconds(300))
      #expect(try await store.job(id: job.id) != nil)
      try other.run("COMMIT")
      #expect(try await deleted != nil)
      #expect(try await store.job(id: job.id) == nil)
      try await store.close()
    }
  }

  @Test func machineWhoseClockIsAheadKeepsRecentOrphans() async throws {
    try await withFreshDatabase { address in
      let store = try PostgresStore(address: address, options: .init(isServer: true, connections: 2))
      let connection = try PostgresConnection(to: PostgresAddress(address))
      // The database's clock is two hours behind this machine's.
      try connection.runScript(
        """
        CREATE OR REPLACE FUNCTION store_now() RETURNS bigint LANGUAGE sql VOLATILE AS
          'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 7200000000'
        """)
      let job = newJob()
      _ = try await store.enqueue(job)
      try connection.run("DELETE FROM jobs")
      #expect(try await store.removeOrphans(olderThan: 3600) == Orphans())
      #expect(try await store.blobs.bytes(of: BlobName(.photo, job.request.photo), limit: 10) != nil)
      try await store.close()
    }
  }
}
