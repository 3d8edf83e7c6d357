import Foundation
import PostgresClient
import Support
import TestCluster
import Testing

/// Connections to the cluster's own database.
enum TestDatabase {
  static let address = TestCluster.address.map { PostgresAddress($0) }

  static func connection(_ times: PostgresTimes = PostgresTimes()) throws -> PostgresConnection {
    try PostgresConnection(to: try #require(address), times: times)
  }

  static func pool(size: Int, _ times: PostgresTimes = PostgresTimes()) throws -> PostgresPool {
    PostgresPool(address: try #require(address), size: size, times: times)
  }
}

@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES"))
struct PostgresConnectionTests {
  @Test(arguments: [
    PostgresValue.text(""), .text("'; DROP TABLE jobs; --"), .text("Gerät\u{1F4F7}\n"), .integer(.max),
    .integer(.min),
    .real(0.1), .real(-.infinity), .real(.leastNonzeroMagnitude), .boolean(true), .boolean(false),
  ])
  func returnsValuesAsSent(_ value: PostgresValue) throws {
    let connection = try TestDatabase.connection()
    switch value {
    case .text(let text): #expect(try connection.run("SELECT $1::text AS v", [value]).first?.text("v") == text)
    case .integer(let number):
      #expect(try connection.run("SELECT $1::bigint AS v", [value]).first?.integer("v") == number)
    case .real(let number):
      #expect(try connection.run("SELECT $1::float8 AS v", [value]).first?.optionalReal("v") == number)
    case .boolean(let flag): #expect(try connection.run("SELECT $1::bool AS v", [value]).first?.flag("v") == flag)
    case .null, .bytes: Issue.record("not among the arguments")
    }
  }

  @Test func returnsBytesAsSent() throws {
    let connection = try TestDatabase.connection()
    for bytes in [[], [0, 1, 255, 92], [UInt8](repeating: 7, count: 1 << 20)] as [[UInt8]] {
      let row = try connection.run("SELECT $1::bytea AS v", [.bytes(bytes)], inBinary: true).first
      #expect(try row?.optionalBytes("v") == bytes)
    }
  }

  @Test func readsNullAsNoValue() throws {
    let row = try #require(try TestDatabase.connection().run("SELECT $1::text AS v, 'x' AS w", [.null]).first)
    #expect(try row.optionalText("v") == nil)
    #expect(throws: PostgresError.self) { try row.text("v") }
    #expect(throws: PostgresError.self) { try row.integer("w") }
    #expect(throws: PostgresError.self) { try row.text("no such column") }
  }

  @Test func rejectsTextWithNULAndContinues() throws {
    let connection = try TestDatabase.connection()
    #expect(throws: PostgresError.unsendable("a text with a NUL in it")) {
      try connection.run("SELECT $1::text", [.text("a\0b")])
    }
    #expect(try connection.run("SELECT 1 AS v").first?.integer("v") == 1)
  }

  @Test func statementOfLostConnectionEnds() throws {
    var times = PostgresTimes()
    times.statement = .milliseconds(500)
    let connection = try TestDatabase.connection(times)
    try connection.run("SET statement_timeout = 0")
    #expect(throws: PostgresError.self) { try connection.run("SELECT pg_sleep(60) AS lost_statement") }
    let other = try TestDatabase.connection()
    var running = 1
    for _ in 0..<100 where running > 0 {
      Thread.sleep(forTimeInterval: 0.1)
      running = try other.run(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(60) AS lost%'"
      ).rows.count
    }
    #expect(running == 0)
  }

  @Test func cancelledReadEndsItsStatement() async throws {
    let pool = try TestDatabase.pool(size: 1)
    defer { pool.close() }
    let read = Task { try await pool.read { try $0.run("SELECT pg_sleep(60) AS cancelled_read").rows.count } }
    try await Task.sleep(for: .seconds(1))
    let began = ContinuousClock.now
    read.cancel()
    await #expect(throws: (any Error).self) { try await read.value }
    // The only connection is free again.
    #expect(try await pool.read { try $0.run("SELECT 1 AS one").rows.count } == 1)
    #expect(.now - began < .seconds(5))
  }

  @Test func errorHasCode() throws {
    let connection = try TestDatabase.connection()
    try connection.run("CREATE TEMPORARY TABLE once (id int PRIMARY KEY)")
    try connection.run("INSERT INTO once VALUES (1)")
    do {
      try connection.run("INSERT INTO once VALUES (1)")
      Issue.record("a second row was inserted")
    } catch let PostgresError.refused(refusal) {
      #expect(refusal.isUniqueViolation)
    }
    #expect(connection.isUsable)
  }

  @Test func failedTransactionIsRolledBack() throws {
    struct Stop: Error {}
    let connection = try TestDatabase.connection()
    try connection.run("CREATE TEMPORARY TABLE kept (id int)")
    #expect(throws: Stop.self) {
      try connection.transaction { connection in
        try connection.run("INSERT INTO kept VALUES (1)")
        throw Stop()
      }
    }
    try connection.transaction { try $0.run("INSERT INTO kept VALUES (2)") }
    #expect(try connection.run("SELECT id FROM kept").rows.map { try $0.integer("id") } == [2])
  }

  @Test func statementTimeoutEndsConnection() throws {
    var times = PostgresTimes()
    let connection = try TestDatabase.connection(times)
    try connection.run("SET statement_timeout = 0")
    times.statement = .milliseconds(200)
    let hasty = try TestDatabase.connection(times)
    try hasty.run("SET statement_timeout = 0")
    #expect(throws: PostgresError.connectionLost("no answer within 0.2 seconds", mayHaveChanged: true)) {
      try hasty.run("SELECT pg_sleep(60)", changes: true)
    }
    #expect(!hasty.isUsable && connection.isUsable)
  }

  @Test func connectingEndsAtItsTimeout() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var name = sockaddr_in(
      sin_family: sa_family_t(AF_INET), sin_port: 0, sin_addr: in_addr(s_addr: UInt32(0x7f00_0001).bigEndian),
      sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    var length = socklen_t(MemoryLayout.size(ofValue: name))
    withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = bind(listener, address, length)
        _ = listen(listener, 1)
        _ = getsockname(listener, address, &length)
      }
    }
    var times = PostgresTimes()
    times.connect = .milliseconds(200)
    let address = PostgresAddress("postgresql://127.0.0.1:\(UInt16(bigEndian: name.sin_port))/x")
    #expect(throws: PostgresError.connectionFailed("no answer within 0.2 seconds")) {
      try PostgresConnection(to: address, times: times)
    }
  }

  @Test func turnsSynchronousCommitOn() throws {
    var address = try #require(TestDatabase.address).connectionString
    address += address.contains("?") ? "&" : "?"
    let connection = try PostgresConnection(
      to: PostgresAddress(address + "options=-csynchronous_commit%3Doff"))
    #expect(try connection.run("SHOW synchronous_commit").first?.text("synchronous_commit") == "on")
  }

  @Test func rejectsDatabaseWithoutSynchronousCommitBehindPooler() throws {
    var address = try #require(TestDatabase.address).connectionString
    address += address.contains("?") ? "&" : "?"
    address += "options=-csynchronous_commit%3Doff"
    let error = #expect(throws: PostgresError.self) {
      try PostgresConnection(to: PostgresAddress(address, isPooled: true))
    }
    #expect(error?.sentence.contains("synchronous_commit is off") == true)
  }

  @Test func masksPasswordInLog() {
    #expect(
      PostgresAddress("postgresql://me:secret@db.example:5433/serials?sslmode=require").masked
        == "postgresql://db.example:5433/serials")
    #expect(PostgresAddress("host=db password=secret").masked == "postgresql")
    #expect(
      PostgresAddress("postgresql://me:secret@one:5433,two/serials?target_session_attrs=read-write").masked
        == "postgresql://one:5433,two/serials")
  }

  @Test func connectsToFirstHostOfRequestedKind() throws {
    let address = try #require(TestDatabase.address?.connectionString)
    let url = try #require(URLComponents(string: address))
    let (port, user, database) = (try #require(url.port), url.user ?? "", url.path)
    // The first host accepts connections and never responds; the second refuses them.
    let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        #expect(bind(silent, place, size) == 0 && listen(silent, 5) == 0 && getsockname(silent, place, &size) == 0)
      }
    }
    let silentPort = UInt16(bigEndian: place.sin_port)
    var times = PostgresTimes()
    times.connect = .seconds(2)
    for hosts in [
      "127.0.0.1:\(silentPort),127.0.0.1:1,127.0.0.1:\(port)", "127.0.0.1:1,127.0.0.1:\(port),127.0.0.1:\(silentPort)",
    ] {
      let several = "postgresql://\(user)@\(hosts)\(database)?target_session_attrs=read-write"
      let connection = try PostgresConnection(to: PostgresAddress(several), times: times)
      #expect(try connection.run("SELECT 1 AS one").first?.integer("one") == 1)
    }
    // One port for all hosts, and a kind that no host has.
    let error = #expect(throws: PostgresError.self) {
      try PostgresConnection(
        to: PostgresAddress(
          "postgresql://\(database)?user=\(user)&host=127.0.0.1,localhost&port=\(port)&target_session_attrs=standby"),
        times: times)
    }
    #expect(error?.sentence.contains("; ") == true, "has the reason of each host: \(error?.sentence ?? "")")
  }
}

@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES"))
struct PostgresPoolTests {
  @Test func opensNoMoreConnectionsThanItsSize() async throws {
    let pool = try TestDatabase.pool(size: 2)
    defer { pool.close() }
    let backends = try await withThrowingTaskGroup(of: Int64.self) { group in
      for _ in 0..<12 {
        group.addTask {
          try await pool.withConnection {
            try $0.run("SELECT pg_backend_pid() AS pid, pg_sleep(0.01)").first?.integer("pid") ?? 0
          }
        }
      }
      return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
    }
    #expect(backends.count == 2)
  }

  @Test func waitingTooLongForConnectionFails() async throws {
    var times = PostgresTimes()
    times.acquire = .milliseconds(50)
    let pool = try TestDatabase.pool(size: 1, times)
    defer { pool.close() }
    // The only connection is busy until all have failed, as if the database did not answer.
    let (isHeld, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let slow = pool.withConnection { connection in
      isHeld.signal()
      mayEnd.wait()
      return try connection.run("SELECT 1").count
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        isHeld.wait()
        continuation.resume()
      }
    }
    for isUrgent in [false, true, false] {
      await #expect(throws: PostgresError.poolExhausted) {
        try await pool.withConnection(isUrgent: isUrgent) { try $0.run("SELECT 1").count }
      }
    }
    mayEnd.signal()
    #expect(try await slow == 1)
    #expect(try await pool.withConnection { try $0.run("SELECT 1").count } == 1)
  }

  @Test func replacesClosedConnectionBeforeUse() async throws {
    let pool = try TestDatabase.pool(size: 1)
    defer { pool.close() }
    let backend: Int64 = try await pool.withConnection { connection in
      try connection.run("SELECT pg_backend_pid() AS pid").first?.integer("pid") ?? 0
    }
    try TestDatabase.connection().run("SELECT pg_terminate_backend($1::int)", [.integer(backend)])
    try await Task.sleep(for: .milliseconds(200))
    let next: Int64 = try await pool.withConnection { connection in
      try connection.run("SELECT pg_backend_pid() AS pid").first?.integer("pid") ?? 0
    }
    #expect(next != backend)
  }

  @Test func preparesOnlyReusedStatements() throws {
    let connection = try TestDatabase.connection()
    _ = try connection.run("SELECT 1 AS once", isReused: false)
    _ = try connection.run("SELECT 1 AS again")
    let result = try connection.run("SELECT statement FROM pg_prepared_statements")
    let prepared = try result.rows.map { try $0.text("statement") }
    #expect(prepared.contains("SELECT 1 AS again") && !prepared.contains("SELECT 1 AS once"), "\(prepared)")
  }

  @Test(arguments: ["40001", "40P01"]) func repeatsTransactionAfterTransientError(_ state: String) async throws {
    let pool = try TestDatabase.pool(size: 1)
    defer { pool.close() }
    let tries = Locked(0)
    try await pool.transaction { connection in
      let number = tries.withLock { tries in
        tries += 1
        return tries
      }
      if number < 3 { try connection.run("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '\(state)'; END $$") }
    }
    #expect(tries.withLock { $0 } == 3)
  }

  @Test func failsImmediatelyDuringOutageAndReconnects() async throws {
    let pool = PostgresPool(address: PostgresAddress("postgresql://127.0.0.1:1/none"), size: 2)
    defer { pool.close() }
    for _ in 0..<50 {
      do {
        try await pool.withConnection { _ = try $0.run("SELECT 1") }
        Issue.record("connected")
      } catch let error as PostgresError {
        #expect(error.isOutage)
      }
    }
  }

  @Test func receivesNotificationsAfterReconnect() async throws {
    let (events, hear) = AsyncStream.makeStream(of: PostgresListener.Event.self)
    let listener = PostgresListener(address: try #require(TestDatabase.address), channels: ["test_channel"]) {
      hear.yield($0)
    }
    defer { listener.stop() }
    let connection = try TestDatabase.connection()
    var connects = 0
    for await event in events {
      switch event {
      case .connected:
        connects += 1
        try connection.run("SELECT pg_notify('test_channel', $1)", [.text("hello \(connects)")])
      case .notification(let channel, let payload):
        #expect(channel == "test_channel" && payload == "hello \(connects)")
        if connects == 2 { return }
        try connection.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()"
        )
      case .disconnected: break
      }
    }
  }
}
