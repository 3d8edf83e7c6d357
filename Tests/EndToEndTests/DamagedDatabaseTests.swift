import Foundation
import Testing

/// A database with arbitrary values in every column is read, listed and exported by one server.
@Suite(.serialized) struct DamagedDatabaseTests {
  /// Values as SQL literals: null, extremes of every type, wrong types, text that is not UTF-8 or contains a NUL.
  private static let extremes = [
    "NULL", "-1", "9223372036854775807", "-9223372036854775808", "1e308", "-1e308", "9e999", "-9e999", "0.5", "''",
    "'none of this'", "'1e308'", "x'00ff'", "CAST(x'ff41c3' AS TEXT)", "CAST(x'410042' AS TEXT)", "zeroblob(70000)",
  ]

  private static let tables = [
    "jobs", "serials", "job_counts", "serial_counts", "blob_removals", "serial_changes", "tasks",
    "verdict_counts", "webhooks", "devices", "device_values", "batches",
  ]
  /// The tables that `openUp` opens.
  private static let opened = tables + ["api_keys"]

  /// Recreates the tables without constraints, and without the triggers that count rows.
  private static func openUp(_ data: URL) throws {
    let triggers = try CrashTests.sqlite(data, "SELECT name FROM sqlite_master WHERE type = 'trigger'")
    for trigger in triggers.split(separator: "\n") { _ = try CrashTests.sqlite(data, "DROP TRIGGER \(trigger)") }
    let version = try #require(Int(try CrashTests.sqlite(data, "PRAGMA schema_version")))
    _ = try CrashTests.sqlite(
      data,
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = replace(replace(replace(sql, 'IS NOT NULL', '<set>'), 'NOT NULL', ''), '<set>',
        'IS NOT NULL') WHERE type = 'table' AND name IN ('\(opened.joined(separator: "', '"))');
      PRAGMA schema_version = \(version + 1);
      """)
  }

  private static func columns(of table: String, in data: URL) throws -> [String] {
    try CrashTests.sqlite(data, "SELECT name FROM pragma_table_info('\(table)')").split(separator: "\n").map(
      String.init)
  }

  /// What reads each table; `{id}` is the id of each damaged row. Lists are read page by page.
  private static let paths = [
    "jobs": ["/jobs?limit=1", "/jobs?status=completed&limit=1", "/queue/status", "/stats", "/result/{id}"],
    "serials": [
      "/history?limit=1", "/history?sort_by=serial&limit=1", "/history?sort_by=confidence&limit=1",
      "/history?sort_by=device_type&sort_order=asc&limit=1", "/export?format=csv", "/export?format=xlsx",
    ],
    "tasks": ["/tasks?limit=1", "/tasks/{id}"],
    "job_counts": ["/stats", "/queue/status", "/metrics"],
    "serial_counts": ["/stats", "/history"],
    "verdict_counts": ["/stats"],
    "devices": ["/devices?limit=1", "/devices?sort_by=serial&limit=1", "/devices?search=c02"],
    "device_values": ["/devices?limit=1"],
    "batches": ["/batches?limit=1", "/batches?open=true&limit=1"],
    "webhooks": ["/webhooks?limit=1", "/webhooks?status=waiting&limit=1"],
  ]

  /// No request ends the server or causes an internal error.
  private static func expectAnswers(
    of server: RunningServer, about change: String, in table: String, ids: [String]
  ) async throws {
    for path in paths[table, default: ["/stats"]] {
      for id in path.contains("{id}") ? ids : [""] {
        var page: String? = path.replacingOccurrences(of: "{id}", with: id)
        // A cursor of damaged values may lead back.
        for _ in 0..<2 * extremes.count {
          guard let address = page else { break }
          let reply = try await server.get(address)
          // A cursor of the longest value does not fit into a request.
          let isAnswer = [200, 404].contains(reply.status) || reply.status == 431 && address.utf8.count > 70_000
          #expect(isAnswer, "\(change): \(address.prefix(200)): \(reply.status) \(reply.detail ?? "")")
          page = (reply.json["next_cursor"] as? String).map { "\(path)&cursor=\($0)" }
        }
      }
    }
    try #require(server.process.isRunning, "\(change)")
  }

  @Test func survivesDamagedValuesInEveryColumn() async throws {
    // A server for each of two cores.
    async let half: Void = Self.survivesDamagedValues(of: ["jobs"])
    try await Self.survivesDamagedValues(of: Self.tables.filter { $0 != "jobs" })
    try await half
  }

  /// The data folder of a server that read one photo, with tables that take any value, and the photo's job.
  private static func openedData() async throws -> (data: URL, id: String) {
    let server = try RunningServer()
    let id = try #require(try await server.scan(BadInputTests.picture()).json["job_id"] as? String)
    server.stop()
    try openUp(server.data)
    return (server.data, id)
  }

  private static func survivesDamagedValues(of tables: [String]) async throws {
    let (data, id) = try await openedData()
    _ = try CrashTests.sqlite(
      data,
      """
      INSERT INTO tasks (id, kind, state, message, created_at, updated_at, ended_at, parameters, result)
      VALUES ('task-0', 'none', 'completed', '', 1, 1, 1, '{}', '{}');
      """)
    let server = try RunningServer(
      data: data, settings: ["retention.results=0", "retention.reports=0", "retention.photos=0"])
    for table in tables {
      let columns = try columns(of: table, in: data)
      for column in columns where !["seq", "id", "hour"].contains(column) {
        // New rows for each column, so that nothing is cached.
        let rows = extremes.map { (id: UUID().uuidString.lowercased(), value: $0) }
        let insertions = rows.enumerated().map { number, row in
          insertion(row.id, of: id, into: table, columns, column, row.value, number: number)
        }
        let count = try CrashTests.sqlite(data, insertions.joined() + "SELECT count(*) FROM \(table)")
        #expect(try #require(Int(count)) >= extremes.count - 1, "\(table).\(column)")
        try await expectAnswers(of: server, about: "\(table).\(column)", in: table, ids: rows.map(\.id))
        _ = try CrashTests.sqlite(data, removal(rows.map(\.id), from: table))
      }
    }
    try await Task.sleep(for: .seconds(3))
    #expect(try await server.scan(BadInputTests.picture()).json["status"] as? String == "completed")
  }

  /// Damaged keys lock the server, so only the command reads them.
  @Test func listsKeysWithDamagedValues() async throws {
    let (data, _) = try await Self.openedData()
    let columns = try Self.columns(of: "api_keys", in: data)
    for column in columns where column != "id" {
      let insertions = Self.extremes.enumerated().map { Self.plain("api_keys", columns, column, $1, number: $0) }
      _ = try CrashTests.sqlite(data, insertions.joined())
      let list = try RunningServer.run(["keys", "list", "--data", data.path])
      #expect(list.status == 0, "api_keys.\(column): \(list.errors)")
    }
  }

  /// Inserts a row with the value in one column. Only their rowid distinguishes keys.
  private static func insertion(
    _ copy: String, of job: String, into table: String, _ all: [String], _ column: String, _ value: String, number: Int
  ) -> String {
    let columns = all.filter { !["seq", "id"].contains($0) }
    let values = columns.map { $0 == column ? value : $0 == "job_id" ? "NULL" : $0 }.joined(separator: ", ")
    let names = columns.joined(separator: ", ")
    let base = [
      "jobs": "INSERT INTO jobs (id, \(names)) SELECT '\(copy)', \(values) FROM jobs WHERE id = '\(job)';",
      "serials": "INSERT INTO serials (\(names)) SELECT \(values) FROM serials WHERE job_id = '\(job)';",
      "tasks": "INSERT INTO tasks (id, \(names)) SELECT '\(copy)', \(values) FROM tasks WHERE id = 'task-0';",
    ]
    return "PRAGMA ignore_check_constraints = ON; "
      + (base[table] ?? plain(table, columns, column, value, number: number))
  }

  /// Inserts a row whose other values are its number, unless a key must not be NULL.
  private static func plain(
    _ table: String, _ columns: [String], _ column: String, _ value: String, number: Int
  ) -> String {
    let values = columns.map { $0 == column ? value : $0 == "hour" ? "unixepoch() / 3600 - \(number)" : "\(number)" }
    return """
      INSERT OR IGNORE INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")));
      """
  }

  private static func removal(_ copies: [String], from table: String) -> String {
    switch table {
    case "jobs", "tasks": "DELETE FROM \(table) WHERE id IN ('\(copies.joined(separator: "', '"))')"
    case "serials": "DELETE FROM serials WHERE id > 1"
    default: "DELETE FROM \(table)"
    }
  }
}
