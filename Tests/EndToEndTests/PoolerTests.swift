import Foundation
import TestCluster
import Testing

/// PgBouncer in transaction mode between the program and PostgreSQL: fewer connections than clients, assigned for each
/// transaction.
@Suite(.serialized, .enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct PoolerTests {
  /// A pooler with three connections, stopped when it is released.
  private final class Pooler {
    private let process = Process()
    private let folder: URL
    /// The address of a database through the pooler.
    let address: String

    init(before database: String) throws {
      var components = try #require(URLComponents(string: database))
      let port = try #require(components.port)
      folder = URL(fileURLWithPath: "/tmp/serialscan-pooler-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let own = try Self.freePort()
      components.port = own
      address = try #require(components.string)
      try Data("\"serialscan\" \"\"\n".utf8).write(to: folder.appendingPathComponent("users"))
      let settings = folder.appendingPathComponent("pgbouncer.ini")
      try Data(
        """
        [databases]
        * = host=127.0.0.1 port=\(port)
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = \(own)
        unix_socket_dir =
        auth_type = trust
        auth_file = \(folder.path)/users
        pool_mode = transaction
        default_pool_size = 3

        """.utf8
      ).write(to: settings)
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      // PgBouncer does not run as root.
      let user = getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : []
      process.arguments = user + ["/usr/sbin/pgbouncer", "-q", settings.path]
      try process.run()
    }

    deinit {
      kill(process.processIdentifier, SIGKILL)
      try? FileManager.default.removeItem(at: folder)
    }

    private static func freePort() throws -> Int {
      let text = try CrashTests.output(
        of: "/usr/bin/env",
        ["python3", "-c", "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"])
      return try #require(Int(text))
    }

    /// Waits until it accepts connections.
    func start() async throws {
      let answers = try await CrashTests.eventually {
        try CrashTests.output(of: SharedDatabase.program("psql"), ["-XAtqc", "SELECT 1", address]) == "1"
      }
      #expect(answers)
    }
  }

  /// Two servers and a worker read a dozen photos, each once.
  private static func expectWork(through pooler: Pooler, _ settings: [String], in database: SharedDatabase) async throws
  {
    let servers = try (0..<2).map { _ in
      try RunningServer(store: pooler.address, settings: ["workers=0"] + settings)
    }
    let worker = try RunningWorker(store: pooler.address, settings: ["workers=2"] + settings)
    let picture = try #require(LabelledPicture.all(in: LabelledPicture.generated).first { !$0.serial.isEmpty })
    let photo = try picture.data
    let ids = try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 0..<12 {
        group.addTask {
          // Distinct photos, since a resent photo is saved once. Bytes after a picture's end are ignored.
          let accepted = try await servers[number % 2].upload(
            photo + Data("\(number)".utf8), headers: ["Idempotency-Key": "photo-\(number)"])
          guard let id = accepted.json["job_id"] as? String else { return nil }
          let reply = try await servers[(number + 1) % 2].get("/result/\(id)?wait=60")
          return reply.json["status"] as? String == "completed" ? id : nil
        }
      }
      return try await group.reduce(into: Set<String>()) { if let id = $1 { $0.insert(id) } }
    }
    #expect(ids.count == 12, "\(servers.map(\.logText)) \(worker.logText)")
    #expect(try database.number("SELECT count(*) AS n FROM serials") == 12)
    #expect(try await servers[0].get("/history").json["total"] as? Int == 12)
    #expect(try await servers[0].upload(photo + Data("3".utf8), headers: ["Idempotency-Key": "photo-3"]).status == 200)
    #expect(try database.number("SELECT count(*) AS n FROM jobs") == 12)
    #expect(worker.stop() == 0)
    for server in servers { #expect(server.stop() == 0) }
  }

  @Test func readsPhotosThroughTransactionPooler() async throws {
    try await SharedDatabase.with { database in
      let pooler = try Pooler(before: database.address)
      try await pooler.start()
      let settings = ["store.listen_url=\(database.address)"]
      try await Self.expectWork(through: pooler, settings, in: database)
      let doctor = ["doctor", "--data", RunningServer.freshFolder().path, "--store", pooler.address]
      let heard = try RunningServer.run(doctor + ["--set", settings[0]])
      #expect(
        heard.output.contains("answers (PostgreSQL") && !heard.output.contains("notifications do not arrive"),
        "\(heard.output)")
      let unheard = try RunningServer.run(doctor)
      #expect(unheard.output.contains("Set store.listen_url"), "\(unheard.output)")
    }
  }

  /// The pooler is not declared in the settings: statements prepared on one connection do not exist on another.
  @Test func undeclaredPoolerLosesNothing() async throws {
    try await SharedDatabase.with { database in
      let pooler = try Pooler(before: database.address)
      try await pooler.start()
      try await Self.expectWork(through: pooler, [], in: database)
    }
  }
}
