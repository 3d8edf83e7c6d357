import Foundation
import GRDB
import JobStore
import SQLiteStore
import StoreConformance
import Testing

/// Migrations: embedded completely, applied once and in order, safe to interrupt; newer databases are rejected.
@Suite struct MigrationTests {
  @Test func embedsEveryMigrationInOrder() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Migrations").standardizedFileURL
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sql") }
      .sorted()
    #expect(Migration.all.map(\.name) == names)
    #expect(Migration.all.map(\.number) == Array(1...names.count))
    for migration in Migration.all {
      #expect(try migration.sql == String(contentsOf: folder.appendingPathComponent(migration.name), encoding: .utf8))
    }
  }

  @Test func appliesEachMigrationOnce() async throws {
    try await withTemporaryFolder { folder in
      for _ in 0..<2 {
        let store = try SQLiteJobStore(path: folder + "/s.sqlite")
        let applied = try await store.pool.read {
          try String.fetchAll($0, sql: "SELECT name FROM schema_migrations ORDER BY number")
        }
        #expect(applied == Migration.all.map(\.name))
        try store.close()
      }
    }
  }

  @Test func failedMigrationLeavesNothingAndIsRepeated() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let queue = try DatabaseQueue(path: path)
      let good = try #require(Migration(name: "0001_a.sql", sql: "CREATE TABLE a (x);"))
      let bad = try #require(Migration(name: "0002_b.sql", sql: "CREATE TABLE b (x); INSERT INTO missing VALUES (1);"))
      let mended = try #require(Migration(name: "0002_b.sql", sql: "CREATE TABLE b (x);"))
      try queue.writeWithoutTransaction { (database) throws -> Void in
        #expect(throws: DatabaseError.self) { try Migration.apply([good, bad], to: database, path: path) }
        #expect(try database.tableExists("a"))
        #expect(try !database.tableExists("b"))
        try Migration.apply([good, mended], to: database, path: path)
        #expect(try database.tableExists("b"))
      }
    }
  }

  @Test func countsEarlierVerdictsDespiteDamagedRows() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let queue = try DatabaseQueue(path: path)
      let hour = Int64(Date().timeIntervalSince1970) / 3600
      try await queue.writeWithoutTransaction { (database) throws -> Void in
        try Migration.apply(Migration.all.filter { $0.number < 7 }, to: database, path: path)
        for (ended, reading) in [
          ("\(hour * 3_600_000_000)", "'{\"verdict\":\"accepted\"}'"), ("\(hour * 3_600_000_000 + 1)", "NULL"),
          ("\((hour - 1) * 3_600_000_000)", "'{\"verdict\":\"uncertain\"}'"), ("9e999", "'broken'"), ("'abc'", "x'00'"),
          ("NULL", "NULL"),
        ] {
          try database.execute(
            sql: """
              INSERT INTO jobs (id, state, message, created_at, updated_at, ended_at, photo, photo_bytes, persist, annotate,
                reading) VALUES (hex(randomblob(8)), 'completed', '', 1, 1, \(ended), '', 0, 0, 0, \(reading))
              """)
        }
      }
      try queue.close()
      let store = try SQLiteJobStore(path: path)
      let figures = try await store.verdictStatistics(days: 2)
      #expect(figures.byHour.count == 2)
      #expect(Set(figures.byHour.values.map { [$0.accepted, $0.uncertain, $0.refused] }) == [[1, 0, 1], [0, 1, 0]])
      try store.close()
    }
  }

  @Test func keepsJobsOfSerialsAndAllowsSeveralPerJob() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let queue = try DatabaseQueue(path: path)
      try await queue.writeWithoutTransaction { (database) throws -> Void in
        try Migration.apply(Migration.all.filter { $0.number < 9 }, to: database, path: path)
        for (serial, job) in [("A", "'one'"), ("A", "'two'"), ("B", "NULL"), ("B", "NULL")] {
          try database.execute(
            sql:
              "INSERT INTO serials (created_at, serial, confidence, source, valid, job_id) VALUES (1, ?, 1, 'scan', 1, \(job))",
            arguments: [serial])
        }
      }
      try queue.close()
      let store = try SQLiteJobStore(path: path)
      #expect(try await store.serials(SerialQuery(sort: .serial)).items.compactMap(\.jobID).sorted() == ["one", "two"])
      let insertion =
        "INSERT INTO serials (created_at, serial, confidence, source, valid, job_id) VALUES (1, ?, 1, 'scan', 1, 'one')"
      try await store.pool.write { try $0.execute(sql: insertion, arguments: ["B"]) }
      await #expect(throws: DatabaseError.self) {
        try await store.pool.write { try $0.execute(sql: insertion, arguments: ["A"]) }
      }
      try store.close()
    }
  }

  @Test func findsAndSortsSerialsSavedBeforeFolding() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let queue = try DatabaseQueue(path: path)
      let step = try #require(Migration.all.first { $0.name.contains("folded_texts") })
      try await queue.writeWithoutTransaction { (database) throws -> Void in
        try Migration.apply(Migration.all.filter { $0.number < step.number }, to: database, path: path)
        for type in ["Москва", "ÉCRAN", "alpha"] {
          try database.execute(
            sql: """
              INSERT INTO serials (created_at, serial, device_type, confidence, source, valid, filename)
              VALUES (1, 'C02XL0THJHCC', ?, 1, 'scan', 1, 'Foto Ä.jpg')
              """, arguments: [type])
        }
      }
      try queue.close()
      let store = try SQLiteJobStore(path: path)
      let sorted = try await store.serials(SerialQuery(sort: .deviceType, ascending: true)).items
      #expect(sorted.map(\.deviceType) == ["alpha", "ÉCRAN", "Москва"])
      for (search, count) in [("МОСК", 1), ("écran", 1), ("foto ä", 3), ("xl0th", 3), ("l0th-jh", 3)] {
        #expect(try await store.serialCount(SerialFilter(search: search)) == count, "\(search)")
      }
      try store.close()
    }
  }

  @Test func rejectsNewerAndChangedDatabases() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let known = Migration.all.count
      let store = try SQLiteJobStore(path: path)
      try await store.pool.write {
        try $0.execute(sql: "INSERT INTO schema_migrations VALUES (99, '0099_later.sql', 'x', 0)")
      }
      try store.close()
      let newer = StoreOpenError.newerDatabase(path: path, found: 99, known: known)
      #expect(throws: newer) { try SQLiteJobStore(path: path) }
      #expect(newer.description.contains("newer version"))
      let queue = try DatabaseQueue(path: path)
      try await queue.write {
        try $0.execute(sql: "DELETE FROM schema_migrations WHERE number = 99")
        try $0.execute(sql: "UPDATE schema_migrations SET checksum = 'other' WHERE number = 1")
      }
      try queue.close()
      #expect(throws: StoreOpenError.changedMigration(path: path, name: Migration.all[0].name)) {
        try SQLiteJobStore(path: path)
      }
      #expect(throws: StoreOpenError.self) { try SQLiteJobStore(path: "/proc/nowhere/s.sqlite") }
    }
  }
}
