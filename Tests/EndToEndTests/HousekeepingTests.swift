import Foundation
import Testing

/// Retention with the real executable: a start deletes all expired data, also after a long downtime, and nothing else.
@Suite(.serialized) struct HousekeepingTests {
  private static let day: TimeInterval = 86_400
  /// Enough rows for several batches.
  private static let jobsOfAnAge = 1_000

  /// Makes `count` copies of an ended job with photos, ended `days` ago; returns their ids.
  private static func age(_ id: String, days: Double, count: Int, in data: URL) throws -> [String] {
    let ended = Int((Date().timeIntervalSince1970 - days * day) * 1_000_000)
    let ids = (0..<count).map { _ in UUID().uuidString.lowercased() }
    let columns = "state, progress, message, photo_bytes, persist, annotate, reading, saved"
    let rows = ids.map { copy in
      """
      INSERT INTO jobs (id, created_at, updated_at, ended_at, photo, \(columns))
      SELECT '\(copy)', \(ended), \(ended), \(ended), '\(copy.prefix(2))/\(copy).jpg', \(columns)
      FROM jobs WHERE id = '\(id)';
      """
    }
    let script = data.appendingPathComponent("age.sql")
    try Data(("BEGIN;\n" + rows.joined(separator: "\n") + "\nCOMMIT;\n").utf8).write(to: script)
    defer { try? FileManager.default.removeItem(at: script) }
    _ = try CrashTests.sqlite(data, ".read '\(script.path)'")
    for copy in ids { try Data([1]).write(to: photo(of: copy, in: data)) }
    return ids
  }

  private static func photo(of id: String, in data: URL) -> URL {
    data.appendingPathComponent("photos/\(id.prefix(2))/\(id).jpg")
  }

  private static func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

  private static func photosKept(_ ids: [String], in data: URL) -> Int { ids.count { exists(photo(of: $0, in: data)) } }

  private static func makeReport(_ name: String, days: Double, in data: URL) throws -> URL {
    let folder = data.appendingPathComponent("reports")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent(name)
    try Data([1]).write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -days * day)], ofItemAtPath: file.path)
    return file
  }

  @Test func removesExpiredDataAfterLongDowntime() async throws {
    let first = try RunningServer()
    let data = first.data
    let result = try await first.scan(BadInputTests.picture())
    let fresh = try #require(result.json["job_id"] as? String)
    #expect(result.json["status"] as? String == "completed")
    first.stop()

    let withoutPhoto = try Self.age(fresh, days: 31, count: Self.jobsOfAnAge, in: data)
    let kept = try Self.age(fresh, days: 29, count: 10, in: data)
    let gone = try Self.age(fresh, days: 91, count: Self.jobsOfAnAge, in: data)
    let oldReport = try Self.makeReport("evaluation-old.csv", days: 91, in: data)
    let newReport = try Self.makeReport("evaluation-new.csv", days: 89, in: data)
    for (name, days) in [("old", 91.0), ("new", 89.0)] {
      let ended = Int((Date().timeIntervalSince1970 - days * Self.day) * 1_000_000)
      _ = try CrashTests.sqlite(
        data,
        "INSERT INTO tasks (id, kind, state, message, created_at, updated_at, ended_at, parameters) "
          + "VALUES ('\(name)', 'evaluation', 'failed', 'Done', \(ended), \(ended), \(ended), '{}')")
    }

    let second = try RunningServer(data: data)
    // It serves requests meanwhile.
    #expect(try await second.scan(BadInputTests.picture()).json["status"] as? String == "completed")
    let isTidy = try await CrashTests.eventually {
      Self.photosKept(withoutPhoto + gone, in: data) == 0 && !Self.exists(oldReport)
    }
    #expect(isTidy, "\(Self.photosKept(withoutPhoto, in: data)) and \(Self.photosKept(gone, in: data)) photos are left")
    #expect(try CrashTests.sqlite(data, "SELECT count(*) FROM jobs") == "\(Self.jobsOfAnAge + 12)")
    for id in gone.prefix(3) { #expect(try await second.get("/result/\(id)").status == 404) }
    for id in withoutPhoto.prefix(3) + kept {
      #expect(try await second.get("/result/\(id)").json["status"] as? String == "completed")
    }
    #expect(Self.photosKept(kept + [fresh], in: data) == kept.count + 1)
    #expect(Self.exists(newReport))
    #expect(try await second.get("/tasks/old").status == 404)
    #expect(try await second.get("/tasks/new").status == 200)
    #expect(try CrashTests.sqlite(data, "SELECT count(*) FROM blob_removals") == "0")
    #expect(try CrashTests.sqlite(data, "PRAGMA integrity_check") == "ok")
  }

  /// Replaces the database of a stopped server.
  private static func put(_ database: URL, into data: URL) throws {
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(at: data.appendingPathComponent("serialscan.sqlite" + ending))
    }
    try FileManager.default.copyItem(at: database, to: data.appendingPathComponent("serialscan.sqlite"))
  }

  @Test func keepsOrphanedPhotosForRetention() async throws {
    let first = try RunningServer()
    let data = first.data
    let (older, right) = (data.appendingPathComponent("older.copy"), data.appendingPathComponent("right.copy"))
    _ = try await first.scan(BadInputTests.picture())
    _ = try CrashTests.sqlite(data, "VACUUM INTO '\(older.path)'")
    let id = try #require(try await first.scan(BadInputTests.picture()).json["job_id"] as? String)
    first.stop()
    _ = try CrashTests.sqlite(data, "VACUUM INTO '\(right.path)'")
    func setAge(days: Double) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -days * Self.day)],
        ofItemAtPath: Self.photo(of: id, in: data).path)
    }

    try setAge(days: 29)
    try Self.put(older, into: data)
    let mistaken = try RunningServer(data: data)
    #expect(try await mistaken.get("/result/\(id)").status == 404)
    #expect(try await CrashTests.eventually { mistaken.logText.contains("photos have no job") })
    mistaken.stop()
    #expect(Self.exists(Self.photo(of: id, in: data)))

    try Self.put(right, into: data)
    let again = try RunningServer(data: data)
    #expect(try await again.get("/result/\(id)/photo").status == 200)
    again.stop()

    try setAge(days: 31)
    try Self.put(older, into: data)
    let last = try RunningServer(data: data)
    #expect(try await CrashTests.eventually { !Self.exists(Self.photo(of: id, in: data)) })
    last.stop()
  }
}
