import JobStore
import PostgresClient
import PostgresStore
import StoreConformance
import Testing

/// Who is woken for a photo that arrived at another machine.
@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct WakingTests {
  @Test func anArrivalWakesOneWorkerOfAllMachines() async throws {
    try await withMachines(workers: [0, 1, 1, 1]) { stores, _ in
      let waiting = stores[1...].map { store in Task { try await Self.wait(at: store) } }
      try await Self.letBeat()
      for _ in 1...3 {
        let new = newJob()
        _ = try await stores[0].enqueue(new)
        while try await stores[0].job(id: new.id)?.state == .queued { try await Task.sleep(for: .milliseconds(5)) }
      }
      for task in waiting { #expect(try await task.value != nil) }
      #expect(stores.map(\.changes.vainWakings).reduce(0, +) == 0)
    }
  }

  @Test func whoHasNobodyIdlePassesAnArrivalOn() async throws {
    // The one that says that it has a worker has nobody waiting; the one where somebody waits tells of none.
    try await withMachines(workers: [0, 1, 0]) { stores, _ in
      let waiting = Task { try await Self.wait(at: stores[2]) }
      try await Self.letBeat()
      let new = newJob()
      _ = try await stores[0].enqueue(new)
      #expect(try await waiting.value?.job.id == new.id)
    }
  }

  @Test func anArrivalWhereAWorkerIsIdleIsToldToNobodyElse() async throws {
    try await withMachines(workers: [1, 1]) { stores, _ in
      let near = Task { try await Self.wait(at: stores[0]) }
      let far = Task { try await Self.wait(at: stores[1], .seconds(4)) }
      try await Self.letBeat()
      let new = newJob()
      _ = try await stores[0].enqueue(new)
      #expect(try await near.value?.job.id == new.id)
      #expect(try await far.value == nil)
      #expect(stores[1].changes.vainWakings == 0)
    }
  }

  @Test func anArrivalToldToAMachineThatDiedIsFoundByTheNextLook() async throws {
    try await withMachines(workers: [0, 0]) { stores, connection in
      // It seems to beat, and hears nothing.
      try connection.run(
        """
        INSERT INTO servers (id, name, since, beat_at, workers) VALUES ('dead', 'dead', 0, store_now() + 60000000, 5)
        """)
      try await Self.letBeat()
      let new = newJob()
      _ = try await stores[0].enqueue(new)
      // A worker looks every second.
      var claimed: ClaimedJob?
      while claimed == nil { claimed = try await Self.wait(at: stores[1], .seconds(1)) }
      #expect(claimed?.job.id == new.id)
    }
  }

  private static func wait(at store: PostgresStore, _ timeout: Duration = .seconds(600)) async throws -> ClaimedJob? {
    try await store.claimNext(worker: "w", lease: 600, waiting: timeout)
  }

  /// Lets each machine beat twice, after which it knows of the others.
  private static func letBeat() async throws {
    try await Task.sleep(for: .milliseconds(2_500))
  }

  /// Stores of machines with so many workers, on one database.
  private func withMachines(
    workers: [Int], _ body: ([PostgresStore], PostgresConnection) async throws -> Void
  ) async throws {
    try await withFreshDatabase { address in
      let stores = try workers.map { workers in
        var options = PostgresStore.Options(isServer: true, connections: 2)
        options.workers = workers
        return try PostgresStore(address: address, options: options)
      }
      try await body(stores, try PostgresConnection(to: PostgresAddress(address)))
      for store in stores { try await store.close() }
    }
  }
}
