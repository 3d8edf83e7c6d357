import Foundation
import Testing

/// Backups of a running server, restored and compared.
@Suite(.serialized) struct BackupTests {
  /// Uploads photos until cancelled; returns the accepted ids.
  private static func load(_ server: RunningServer, until isOver: @Sendable () -> Bool) async throws -> [String] {
    let picture = try BadInputTests.picture()
    var accepted: [String] = []
    while !isOver() {
      let reply = try await server.upload(picture)
      if reply.status == 200, let id = reply.json["job_id"] as? String { accepted.append(id) }
    }
    return accepted
  }

  private static func backup(_ server: RunningServer, to file: URL, photos: Bool) throws {
    let flags = photos ? ["--photos"] : []
    let run = try RunningServer.run(["backup", file.path, "--data", server.data.path] + flags)
    #expect(run.status == 0, "\(run.errors)")
  }

  /// A digest of every photo of the database.
  private static func photos(in data: URL) throws -> String {
    try CrashTests.output(
      of: "/bin/sh", ["-c", "cd '\(data.path)/photos' && find . -type f | sort | xargs cat | sha256sum"])
  }

  @Test func backupUnderLoadRestores() async throws {
    let server = try RunningServer()
    for _ in 0..<3 { _ = try await server.scan(BadInputTests.picture()) }
    let folder = RunningServer.freshFolder()
    let archive = folder.appendingPathComponent("backup.tar")
    let flag = folder.appendingPathComponent("over")
    async let uploads = Self.load(server) { FileManager.default.fileExists(atPath: flag.path) }
    try await Task.sleep(for: .milliseconds(200))
    for _ in 0..<3 { try Self.backup(server, to: archive, photos: true) }
    try Data().write(to: flag)
    let accepted = try await uploads
    #expect(!accepted.isEmpty)
    #expect(server.process.isRunning)
    let mode = try FileManager.default.attributesOfItem(atPath: archive.path)[.posixPermissions] as? NSNumber
    #expect(mode == 0o600)

    let data = folder.appendingPathComponent("restored")
    let restored = try RunningServer.run(["restore", archive.path, "--data", data.path])
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try RunningServer.run(["doctor", "--data", data.path]).status == 0)
    // Each job of the copy exists on the server, and has its photo.
    let jobs = try CrashTests.sqlite(data, "SELECT id FROM jobs").split(separator: "\n").map(String.init)
    #expect(jobs.count >= 3)
    for job in jobs {
      #expect(try CrashTests.sqlite(server.data, "SELECT count(*) FROM jobs WHERE id = '\(job)'") == "1")
      let photo = try CrashTests.sqlite(data, "SELECT substr(id, 1, 2) || '/' || photo FROM jobs WHERE id = '\(job)'")
      let bytes = try Data(contentsOf: data.appendingPathComponent("photos/\(photo)"))
      #expect(bytes == (try Data(contentsOf: server.data.appendingPathComponent("photos/\(photo)"))))
    }
    // Its waiting photos are read.
    let second = try RunningServer(data: data)
    for job in jobs {
      #expect(try await second.get("/result/\(job)?wait=60").json["status"] as? String == "completed")
    }
  }

  @Test func backupOfIdleServerRestoresIdentically() async throws {
    let server = try RunningServer()
    for _ in 0..<2 { _ = try await server.scan(BadInputTests.picture()) }
    let folder = RunningServer.freshFolder()
    let archive = folder.appendingPathComponent("backup.tar")
    try Self.backup(server, to: archive, photos: true)
    let data = folder.appendingPathComponent("restored")
    #expect(try RunningServer.run(["restore", archive.path, "--data", data.path]).status == 0)
    for table in ["jobs", "serials", "job_counts", "serial_counts", "verdict_counts", "tasks", "api_keys", "webhooks"] {
      let statement = "SELECT * FROM \(table)"
      #expect(try CrashTests.sqlite(data, statement) == CrashTests.sqlite(server.data, statement))
    }
    #expect(try Self.photos(in: data) == Self.photos(in: server.data))
  }

  @Test func backupWithoutPhotosRestores() async throws {
    let server = try RunningServer(settings: ["workers=0"])
    let folder = RunningServer.freshFolder()
    for hasJob in [false, true] {
      if hasJob {
        // A job whose photo was deleted.
        let id = try #require(try await server.upload(BadInputTests.picture()).json["job_id"] as? String)
        try FileManager.default.removeItem(atPath: "\(server.data.path)/photos/\(id.prefix(2))/\(id).jpg")
      }
      let archive = folder.appendingPathComponent("backup-\(hasJob).tar")
      try Self.backup(server, to: archive, photos: true)
      let data = folder.appendingPathComponent("restored-\(hasJob)")
      let restored = try RunningServer.run(["restore", archive.path, "--data", data.path])
      #expect(restored.status == 0, "\(restored.errors)")
      #expect(try CrashTests.sqlite(data, "SELECT count(*) FROM jobs") == (hasJob ? "1" : "0"))
      #expect(try RunningServer(data: data).stop() == 0)
    }
  }

  /// Archives with a link instead of a file, or beside the files.
  @Test(arguments: [
    "ln -s elsewhere photos", "ln -s \"$PWD/foreign\" photos", "mkdir -p photos; ln -s ../../foreign photos/aa",
    "mkdir -p photos/aa; ln -s \"$PWD/foreign/b.jpg\" photos/aa/aab.jpg",
    "mkdir -p photos/aa; mkfifo photos/aa/aab.jpg",
    "mkdir -p photos/aa; ln serialscan.sqlite photos/aa/aab.jpg",
    "mv serialscan.sqlite elsewhere; ln -s elsewhere serialscan.sqlite; mkdir photos",
  ])
  func restoreRejectsLinks(making: String) throws {
    let server = try RunningServer(settings: ["workers=0"])
    let folder = RunningServer.freshFolder()
    try Self.backup(server, to: folder.appendingPathComponent("serialscan.sqlite"), photos: false)
    server.stop()
    let script = """
      cd '\(folder.path)' && mkdir foreign && echo foreign > foreign/b.jpg && \(making)
      tar -cf backup.tar serialscan.sqlite photos $(ls -d elsewhere 2>/dev/null)
      """
    _ = try CrashTests.output(of: "/bin/sh", ["-c", script])
    let data = folder.appendingPathComponent("restored")
    let restored = try RunningServer.run(
      ["restore", folder.appendingPathComponent("backup.tar").path, "--data", data.path])
    #expect(restored.status == 1, "\(making)")
    #expect(!restored.errors.isEmpty && !FileManager.default.fileExists(atPath: data.path))
    #expect(FileManager.default.fileExists(atPath: folder.path + "/foreign/b.jpg"))
  }

  @Test(arguments: ["no archive", ""])
  func restoreNamesFileThatIsNoBackup(contents: String) throws {
    let file = RunningServer.freshFolder().appendingPathComponent("photos.zip")
    try Data(contents.utf8).write(to: file)
    let data = file.deletingLastPathComponent().appendingPathComponent("data").path
    let run = try RunningServer.run(["restore", file.path, "--data", data])
    #expect(run.status == 1 && run.errors.contains("\(file.path) can't be restored: it is not a backup"), "\(run)")
    #expect(!FileManager.default.fileExists(atPath: data))
  }

  @Test func everyCommandReportsDamagedDatabase() throws {
    let data = RunningServer.freshFolder()
    let database = data.appendingPathComponent("serialscan.sqlite")
    try Data("not a database".utf8).write(to: database)
    let backup = RunningServer.freshFolder().appendingPathComponent("backup").path
    for command in [
      ["serve", "--port", "0"], ["keys", "list"], ["models", "list"], ["export", backup + ".csv"], ["backup", backup],
      ["backup", backup, "--photos"], ["doctor"],
    ] {
      let run = try RunningServer.run(command + ["--data", data.path])
      let text = run.output + run.errors
      #expect(run.status == 1 && text.contains("\(database.path) is damaged: "), "\(command): \(run)")
      #expect(text.contains("`serialscan restore`") && !text.contains("has free space"), "\(command): \(run)")
    }
    #expect(!FileManager.default.fileExists(atPath: backup))
  }

  @Test func restoreOverwritesNothingAndBackupStaysOutOfDataFolder() async throws {
    let server = try RunningServer()
    _ = try await server.scan(BadInputTests.picture())
    let file = RunningServer.freshFolder().appendingPathComponent("backup.sqlite")
    try Self.backup(server, to: file, photos: false)
    let before = try CrashTests.sqlite(server.data, "SELECT * FROM jobs")
    let over = try RunningServer.run(["restore", file.path, "--data", server.data.path])
    #expect(over.status == 1 && over.errors.contains("overwrites nothing"))
    let inside = server.data.appendingPathComponent("serialscan.sqlite").path
    #expect(try RunningServer.run(["backup", inside, "--data", server.data.path]).status == 1)
    #expect(try CrashTests.sqlite(server.data, "SELECT * FROM jobs") == before)
    let torn = file.deletingLastPathComponent().appendingPathComponent("torn.sqlite")
    try Data(contentsOf: file).prefix(40_000).write(to: torn)
    let data = file.deletingLastPathComponent().appendingPathComponent("data")
    let refused = try RunningServer.run(["restore", torn.path, "--data", data.path])
    #expect(refused.status == 1 && refused.errors.contains("\(torn.path) is damaged: "), "\(refused)")
    #expect(refused.errors.contains("an earlier backup") && !refused.errors.contains("restoring"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: data.path))
    // The existing files stay, and nothing is added.
    let kept = file.deletingLastPathComponent().appendingPathComponent("kept")
    try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: kept.appendingPathComponent("notes.txt"))
    #expect(try RunningServer.run(["restore", torn.path, "--data", kept.path]).status == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path) == ["notes.txt"])
    // Nor is a file deleted that is in the folder's place.
    let notes = kept.appendingPathComponent("notes.txt")
    #expect(try RunningServer.run(["restore", file.path, "--data", notes.path]).status == 1)
    #expect(try String(contentsOf: notes, encoding: .utf8) == "mine")
    let deep = file.deletingLastPathComponent().appendingPathComponent("new")
    #expect(try RunningServer.run(["restore", torn.path, "--data", deep.path + "/deep/er"]).status == 1)
    #expect(!FileManager.default.fileExists(atPath: deep.path))
  }
}
