import Foundation
import PostgresClient
import TestCluster
import Testing

/// Two versions of the program with one PostgreSQL, as during an upgrade of many machines.
@Suite(.serialized, .enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct UpgradeTests {
  private static func status(of server: RunningServer) async throws -> String? {
    try await server.scan(BadInputTests.picture()).json["status"] as? String
  }

  /// The table as `PostgresMigrations` creates it.
  private static let migrations = """
    CREATE TABLE schema_migrations (number int PRIMARY KEY, name text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp(), needs int NOT NULL DEFAULT 0);
    """

  /// A newer version adds columns while a server works: it continues, and this version can start as well.
  @Test func serverWorksWithNewerColumns() async throws {
    try await SharedDatabase.with { database in
      let server = try RunningServer(store: database.address, settings: ["workers=1"])
      #expect(try await Self.status(of: server) == "completed")
      let newer = try PostgresConnection(to: PostgresAddress(database.address))
      try newer.transaction { connection in
        for table in ["jobs", "serials", "tasks", "api_keys", "blobs"] {
          try connection.run("ALTER TABLE \(table) ADD COLUMN of_later text DEFAULT 'x'")
        }
        try connection.run("INSERT INTO schema_migrations (number, name) VALUES (9999, '9999_later.sql')")
      }
      for _ in 0..<3 { #expect(try await Self.status(of: server) == "completed", "\(server.logText)") }
      for path in ["/jobs", "/history", "/stats", "/export", "/health"] {
        #expect(try await server.get(path).status == 200, "\(path)")
      }
      let second = try RunningServer(store: database.address, settings: ["workers=0"])
      #expect(try await Self.status(of: second) == "completed")
      #expect(try RunningServer.run(["keys", "list", "--store", database.address]).status == 0)
      // A migration may exclude older versions.
      try newer.run("UPDATE schema_migrations SET needs = 9999 WHERE number = 9999")
      for command in [["serve", "--port", "0"], ["work"], ["keys", "list"]] {
        let data = ["--data", RunningServer.freshFolder().path, "--store", database.address]
        let run = try RunningServer.run(command + data)
        #expect(run.status == 1 && run.errors.contains("newer version"), "\(run.errors)")
      }
    }
  }

  /// Commands reject a database of the first version; one of several servers migrates it.
  @Test func oneOfSeveralStartingServersMigrates() async throws {
    let first = InterfaceDocumentTests.root.appendingPathComponent("Migrations/postgres/0001_store.sql").path
    try await SharedDatabase.with { database in
      for step in [["-c", Self.migrations], ["-1", "-f", first]] {
        _ = try CrashTests.output(of: SharedDatabase.program("psql"), ["-Xq", database.address] + step)
      }
      let connection = try PostgresConnection(to: PostgresAddress(database.address))
      try connection.run("INSERT INTO schema_migrations (number, name) VALUES (1, '0001_store.sql')")
      let list = try RunningServer.run(["keys", "list", "--store", database.address])
      #expect(list.status == 1 && list.errors.contains("older version"), "\(list.errors)")
      let servers = try await withThrowingTaskGroup(of: RunningServer.self) { group in
        for _ in 0..<3 {
          group.addTask { try RunningServer(store: database.address, settings: ["workers=1"]) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for server in servers { #expect(try await Self.status(of: server) == "completed") }
      let steps = try FileManager.default.contentsOfDirectory(atPath: (first as NSString).deletingLastPathComponent)
      let applied = try database.number("SELECT count(*) AS n FROM schema_migrations")
      #expect(applied == steps.count { $0.hasSuffix(".sql") })
    }
  }
}
