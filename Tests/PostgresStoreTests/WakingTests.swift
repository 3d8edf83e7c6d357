import JobStore
import PostgresClient
import PostgresStore
import StoreConformance
import TestCluster
import Testing

/// Waking workers and followers of other machines.
@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct WakingTests {
  @Test func arrivalWakesOneWorkerOfAllMachines() async throws {
    try await withMachines(workers: [0, 1, 1, 1]) { stores, _ in
      let waiting = stores[1...].map { store in Task { try await Self.wait(at: store) } }
      try await Self.awaitHeartbeats()
      for _ in 1...3 {
        let new = newJob()
        _ = try await stores[0].enqueue(new)
        while try await stores[0].job(id: new.id)?.state == .queued { try await Task.sleep(for: .milliseconds(5)) }
      }
      for task in waiting { #expect(try await task.value != nil) }
      #expect(stores.map(\.changes.spuriousWakeups).reduce(0, +) == 0)
    }
  }

  @Test(arguments: [false, true]) func followerReceivesJobsOfOtherMachines(isDeaf: Bool) async throws {
    try await withMachines(workers: [0, 1]) { stores, connection in
      try await Self.awaitHeartbeats()
      var changes = stores[0].changes { _ in true }.makeAsyncIterator()
      for _ in 1...3 {
        let new = newJob()
        _ = try await stores[1].enqueue(new)
        let claimed = try #require(try await Self.wait(at: stores[1]))
        // The end of the previous job may be announced twice.
        var job = await changes.next()?.advanced
        while let other = job, other.id != new.id { job = await changes.next()?.advanced }
        #expect(job?.state == .processing)
        if isDeaf {
          // As by a machine that dies before it announces the end.
          try connection.run(
            "UPDATE jobs SET state = 'failed', ended_at = store_now(), lease_until = NULL, holder = NULL WHERE id = $1",
            [.text(new.id)])
        } else {
          try await stores[1].finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: false))
        }
        while let other = job, other.id != new.id || !other.state.isEnd { job = await changes.next()?.advanced }
        #expect(job?.state.isEnd == true)
      }
    }
  }

  @Test func followerReceivesDecisionsOfOtherMachines() async throws {
    try await withMachines(workers: [0, 1]) { stores, _ in
      try await Self.awaitHeartbeats()
      let new = newJob()
      _ = try await stores[1].enqueue(new)
      let claimed = try #require(try await Self.wait(at: stores[1]))
      try await stores[1].finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      // The end of this job may be announced twice.
      var changes = stores[0].changes { $0.advanced == nil }.makeAsyncIterator()
      _ = try await stores[1].confirm(job: new.id, serial: "C02XL0THJHC1", isValid: true)
      #expect(await changes.next()?.changed?.confirmedSerial == "C02XL0THJHC1")
      try await stores[1].deleteJob(id: new.id, alsoSerial: true)
      #expect(await changes.next() == .deleted(DeletedJob(id: new.id, keyID: nil, batchID: nil)))
    }
  }

  @Test func machineWithoutIdleWorkerForwardsArrival() async throws {
    // The machine that reports an idle worker has none; the machine that has one reports none.
    try await withMachines(workers: [0, 1, 0]) { stores, _ in
      let waiting = Task { try await Self.wait(at: stores[2]) }
      try await Self.awaitHeartbeats()
      let new = newJob()
      _ = try await stores[0].enqueue(new)
      #expect(try await waiting.value?.job.id == new.id)
    }
  }

  @Test func arrivalAtIdleMachineNotifiesNoOther() async throws {
    try await withMachines(workers: [1, 1]) { stores, _ in
      let near = Task { try await Self.wait(at: stores[0]) }
      let far = Task { try await Self.wait(at: stores[1], .seconds(4)) }
      try await Self.awaitHeartbeats()
      let new = newJob()
      _ = try await stores[0].enqueue(new)
      #expect(try await near.value?.job.id == new.id)
      #expect(try await far.value == nil)
      #expect(stores[1].changes.spuriousWakeups == 0)
    }
  }

  @Test func pollingFindsArrivalSentToDeadMachine() async throws {
    try await withMachines(workers: [0, 0]) { stores, connection in
      // It has a heartbeat, and receives nothing.
      try connection.run(
        """
        INSERT INTO servers (id, name, since, beat_at, workers, hears)
        VALUES ('dead', 'dead', 0, store_now() + 60000000, 5, true)
        """)
      try await Self.awaitHeartbeats()
      let new = newJob()
      _ = try await stores[0].enqueue(new)
      // A worker polls every second.
      var claimed: ClaimedJob?
      while claimed == nil { claimed = try await Self.wait(at: stores[1], .seconds(1)) }
      #expect(claimed?.job.id == new.id)
    }
  }

  private static func wait(at store: PostgresStore, _ timeout: Duration = .seconds(600)) async throws -> ClaimedJob? {
    try await store.claimNext(worker: "w", lease: 600, waiting: timeout)
  }

  @Test func deafMachineIsNeverTheOnlyOneNotified() async throws {
    let cluster = try #require(TestCluster.address)
    // Notifications stay within one database: as behind a pooler that accepts LISTEN and delivers nothing.
    try await withMachines(workers: [1, 7, 3], listening: [1: cluster]) { stores, connection in
      try await Self.awaitHeartbeats()
      let hearing = try connection.run("SELECT workers FROM servers WHERE hears ORDER BY workers").rows
      #expect(try hearing.map { try $0.count("workers") } == [1, 3])
      let asked: [PostgresValue] = [.text("somebody"), .integer(60_000_000)]
      let idle = try connection.run(PostgresStore.idleStatement, asked).rows
      #expect(try idle.map { try $0.count("idle") }.sorted() == [1, 3])
      // It finds the job by polling every second.
      let new = newJob()
      _ = try await stores[0].enqueue(new)
      #expect(try await Self.wait(at: stores[1], .seconds(1))?.job.id == new.id)
    }
  }

  @Test func ownNotificationProvesHearing() throws {
    var proof = HearingProof()
    var now = ContinuousClock.now
    func notification(after pause: Duration = .zero) -> String? {
      now += pause
      return proof.wordToTell(at: now)
    }
    #expect(notification() == nil && !proof.isHearing)
    proof.connected(at: now)
    let first = try #require(notification())
    #expect(notification() == nil, "once a second at most")
    proof.heard("another")
    #expect(!proof.isHearing)
    var pauses: [Duration] = []
    for _ in 0..<9 {
      let before = now
      while notification() == nil { now += .seconds(1) }
      pauses.append(now - before)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    proof.heard(first)
    #expect(!proof.isHearing, "an old notification")
    proof.heard(try #require(notification(after: .seconds(60))))
    #expect(proof.isHearing)
    #expect(notification(after: .seconds(600)) == nil)
    proof.disconnected()
    #expect(!proof.isHearing)
  }

  /// Waits until each machine has received its own notification and sent two heartbeats, so that it knows the others.
  private static func awaitHeartbeats() async throws {
    try await Task.sleep(for: .milliseconds(3_500))
  }

  /// Runs `body` with stores of machines with so many workers, on one database; `listening` has where each one listens.
  private func withMachines(
    workers: [Int], listening: [Int: String] = [:],
    _ body: ([PostgresStore], PostgresConnection) async throws -> Void
  ) async throws {
    try await withFreshDatabase { address in
      let stores = try workers.enumerated().map { index, workers in
        var options = PostgresStore.Options(isServer: true, connections: 2)
        options.workers = workers
        options.listenAddress = listening[index]
        return try PostgresStore(address: address, options: options)
      }
      try await body(stores, try PostgresConnection(to: PostgresAddress(address)))
      for store in stores { try await store.close() }
    }
  }
}
