import Foundation
import JobStore
import PostgresClient
import PostgresStore
import StoreConformance
import TestCluster
import Testing

/// Rescue of jobs whose machine died or whose claim's response was lost.
@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct PostgresRescueTests {
  @Test func rescuesJobsOfServerWithoutHeartbeat() async throws {
    try await withHeldJob { store, connection, id in
      try connection.run("UPDATE servers SET beat_at = store_now() - 2900000 WHERE id = 'other'")
      #expect(try await store.rescueExpired(maxAttempts: 1) == [])
      try connection.run("UPDATE servers SET beat_at = store_now() - 3100000 WHERE id = 'other'")
      #expect(try await store.rescueExpired(maxAttempts: 1) == [id])
      let job = try #require(try await store.job(id: id))
      #expect(job.state == .queued && job.attempts == 0, "a machine's death does not count as an attempt")
    }
  }

  @Test func reconnectedServerWaitsBeforeRescuing() async throws {
    try await withHeldJob { store, connection, id in
      try connection.run("UPDATE servers SET beat_at = store_now() - 60000000 WHERE id = 'other'")
      try connection.run("UPDATE servers SET since = store_now() - 2900000 WHERE id <> 'other'")
      #expect(try await store.rescueExpired(maxAttempts: 1) == [])
      // The lease of a job may have run out for the same reason.
      try connection.run("UPDATE jobs SET lease_until = store_now() - 1")
      #expect(try await store.rescueExpired(maxAttempts: 1) == [])
      try connection.run("UPDATE servers SET since = store_now() - 3100000 WHERE id <> 'other'")
      #expect(try await store.rescueExpired(maxAttempts: 1) == [id])
    }
  }

  @Test func nextClaimResumesClaimWithLostReply() async throws {
    try await withFreshDatabase { address in
      var options = PostgresStore.Options(isServer: true, connections: 2)
      options.statementTimeout = .milliseconds(300)
      let store = try PostgresStore(address: address, options: options)
      let new = newJob()
      _ = try await store.enqueue(new)
      // The database responds only after the client has disconnected.
      let connection = try PostgresConnection(to: PostgresAddress(address))
      try connection.runScript(
        """
        CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_sleep(0.6); RETURN NEW; END';
        CREATE TRIGGER dawdle BEFORE UPDATE OF token ON jobs FOR EACH ROW EXECUTE FUNCTION dawdle()
        """)
      await #expect(throws: StoreError.self) { try await store.claimNext(worker: "w", lease: 600) }
      let isClaimed = "SELECT 1 FROM jobs WHERE state = 'processing'"
      while try connection.run(isClaimed).count == 0 { try await Task.sleep(for: .milliseconds(20)) }
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 600))
      #expect(claimed.job.id == new.id && claimed.job.attempts == 1)
      try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      #expect(try await store.claimNext(worker: "w", lease: 600) == nil)
      try await store.close()
    }
  }

  @Test func finishReturnsEndThatIsCommittedDuringItsRetry() async throws {
    try await withFreshDatabase { address in
      var options = PostgresStore.Options(isServer: true, connections: 2)
      options.statementTimeout = .milliseconds(300)
      let store = try PostgresStore(address: address, options: options)
      _ = try await store.enqueue(newJob())
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 600))
      // The first commit takes until the retry, half a second after the client disconnects, waits for the job's row. The
      // database allows a commit one second.
      let connection = try PostgresConnection(to: PostgresAddress(address))
      try connection.runScript(
        """
        CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_sleep(0.93); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER dawdle AFTER UPDATE OF state ON jobs DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (NEW.state = 'completed') EXECUTE FUNCTION dawdle()
        """)
      let ended = try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      #expect(ended.state == .completed && ended.savedToDatabase)
      #expect(try await store.serialCount(SerialFilter()) == 1)
      await #expect(throws: StoreError.claimLost(jobID: claimed.job.id)) {
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      }
      try await store.close()
    }
  }

  /// Runs `body` with a store whose clock is stopped, and the id of a job held by a server named `other`.
  private func withHeldJob(
    _ body: @Sendable (PostgresStore, PostgresConnection, String) async throws -> Void
  ) async throws {
    try await withFreshDatabase { address in
      let store = try PostgresStore(address: address, options: .init(isServer: true, connections: 2))
      try await DatabaseTime(address: address).stop()
      let new = newJob()
      _ = try await store.enqueue(new)
      _ = try await store.claimNext(worker: "w", lease: 600)
      let connection = try PostgresConnection(to: PostgresAddress(address))
      try connection.runScript(
        """
        UPDATE servers SET since = since - 60000000;
        INSERT INTO servers (id, name, since, beat_at) VALUES ('other', 'other', 0, store_now());
        UPDATE jobs SET holder = 'other'
        """)
      try await body(store, connection, new.id)
      try await store.close()
    }
  }
}
