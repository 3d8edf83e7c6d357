import JobStore
import PostgresClient
import PostgresStore
import StoreConformance
import TestCluster
import Testing

/// The list of machines that serve or read for a database.
@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct MachinesTests {
  @Test func listsMachinesWithWorkersAndReads() async throws {
    try await withFreshDatabase { address in
      var options = PostgresStore.Options(isServer: true, connections: 2)
      (options.workers, options.version) = (3, "2.0.0")
      let worker = try PostgresStore(address: address, options: options)
      (options.workers, options.version) = (0, "2.0.1")
      let server = try PostgresStore(address: address, options: options)
      let connection = try PostgresConnection(to: PostgresAddress(address))
      while try connection.run("SELECT 1 FROM servers").count < 2 { try await Task.sleep(for: .milliseconds(10)) }
      // Two machines of an older program, one of which stopped long ago.
      try connection.runScript(
        """
        INSERT INTO servers (id, name, since, beat_at) VALUES
          ('old', 'older program', 0, store_now()), ('gone', 'gone', 0, store_now() - 61000000)
        """)
      for _ in 0..<2 { _ = try await server.enqueue(newJob()) }
      _ = try #require(try await worker.claimNext(worker: "w", lease: 600))

      let machines = try await server.queueStatus().machines
      #expect(machines.count == 3)
      let newer = machines.filter { $0.name == Machine.thisName }.sorted { ($0.workers ?? 0) > ($1.workers ?? 0) }
      #expect(newer.map(\.workers) == [3, 0] && newer.map(\.reading) == [1, 0])
      #expect(newer.map(\.version) == ["2.0.0", "2.0.1"])
      let old = try #require(machines.first { $0.name == "older program" })
      #expect(old.workers == nil && old.version == nil && old.reading == 0)

      try await worker.close()
      #expect(try await server.queueStatus().machines.count == 2, "a stopping machine deregisters")
      try await server.close()
    }
  }
}
