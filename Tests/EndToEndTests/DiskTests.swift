import Foundation
import Testing

/// A full or read-only disk, with the real executable on a small file system. Skipped if this user can't mount one.
@Suite(.serialized) struct DiskTests {
  /// A small file system that is unmounted when the value is released.
  final class SmallDisk {
    let folder: URL

    init?(megabytes: Int) {
      folder = RunningServer.freshFolder()
      guard (try? Self.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.path])) == 0 else {
        return nil
      }
    }

    deinit { _ = try? Self.run("umount", ["-l", folder.path]) }

    func remount(_ option: String) -> Bool {
      (try? Self.run("mount", ["-o", "remount,\(option)", folder.path])) == 0
    }

    static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [program] + arguments
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }

    /// Continuous integration skips nothing: it fails on a machine that can't mount.
    static let canMount: Bool = DiskTests.mustRun || SmallDisk(megabytes: 1) != nil
  }

  private static func photos(below folder: URL) -> Int { photos(in: folder.appendingPathComponent("data")) }

  private static func photos(in data: URL) -> Int {
    ["photos", "incoming"].reduce(0) { count, name in
      let all = FileManager.default.enumerator(
        at: data.appendingPathComponent(name), includingPropertiesForKeys: [.isRegularFileKey])
      return count
        + (all?.allObjects as? [URL] ?? []).count {
          (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
        }
    }
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: no right to mount a file system"))
  func fullDiskRejectsPhotosAndRecovers() async throws {
    let disk = try #require(SmallDisk(megabytes: 24))
    let server = try RunningServer(data: disk.folder.appendingPathComponent("data"))
    let picture = try BadInputTests.picture()
    let before = try await server.scan(picture)
    #expect(before.json["status"] as? String == "completed")

    let filler = disk.folder.appendingPathComponent("filler")
    _ = try DiskTests.SmallDisk.run("dd", ["if=/dev/zero", "of=\(filler.path)", "bs=4096", "status=none"])
    let stored = Self.photos(below: disk.folder)
    for _ in 0..<5 {
      let reply = try await server.upload(picture)
      #expect(reply.status == 507 && reply.errorCode == "STORAGE_FULL", "\(reply.json)")
      #expect(reply.json["status_code"] as? Int == 507)
    }
    #expect(Self.photos(below: disk.folder) == stored)
    for format in ["xlsx", "csv"] {
      let reply = try await server.get("/export?format=\(format)")
      #expect(reply.status == 507 && reply.errorCode == "STORAGE_FULL", "\(reply.json)")
    }
    // Earlier results are still available.
    let id = try #require(before.json["job_id"] as? String)
    #expect(try await server.get("/result/\(id)").json["status"] as? String == "completed")

    try FileManager.default.removeItem(at: filler)
    #expect(try await CrashTests.eventually { try await server.upload(picture).status == 200 })
    #expect(try await server.scan(picture).json["status"] as? String == "completed")
    #expect(server.process.isRunning)
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: no right to mount a file system"), arguments: [[], ["--photos"]])
  func backupReportsFullDiskOfItsFile(options: [String]) throws {
    let disk = try #require(SmallDisk(megabytes: 1))
    let filler = disk.folder.appendingPathComponent("filler").path
    _ = try SmallDisk.run("dd", ["if=/dev/zero", "of=\(filler)", "bs=1000k", "count=1", "status=none"])
    let server = try RunningServer(settings: ["workers=0"])
    let file = disk.folder.appendingPathComponent("backup").path
    let run = try RunningServer.run(["backup", file, "--data", server.data.path] + options)
    #expect(run.status == 1 && run.errors.contains("\(file) can't be written: there is too little free"), "\(run)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder.path) == ["filler"])
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: no right to mount a file system"), arguments: ["xlsx", "csv"])
  func exportLeavesTheEarlierFileOnFullDisk(format: String) throws {
    let disk = try #require(SmallDisk(megabytes: 1))
    let file = disk.folder.appendingPathComponent("serials.\(format)")
    try Data("earlier".utf8).write(to: file)
    let server = try RunningServer(settings: ["workers=0"])
    let run = try RunningServer.run(["export", file.path, "--data", server.data.path])
    #expect(run.status == 1 && run.errors.contains("too little free space"), "\(run)")
    #expect(run.errors.split(separator: "\n").count == 1, "\(run)")
    #expect(try String(contentsOf: file, encoding: .utf8) == "earlier")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder.path) == ["serials.\(format)"])
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: no right to mount a file system"))
  func scanReportsFullDiskAndLeavesNoParts() throws {
    let disk = try #require(SmallDisk(megabytes: 1))
    let filler = disk.folder.appendingPathComponent("filler")
    _ = try SmallDisk.run("dd", ["if=/dev/zero", "of=\(filler.path)", "bs=4096", "status=none"])
    let picture = LabelledPicture.generated.appendingPathComponent("etched_clean_1.jpg").path
    for (option, name) in [
      ("--output", "rows.xlsx"), ("--output", "rows.csv"), ("--annotate", "drawn.png"), ("--explain", "how.html"),
    ] {
      let run = try RunningServer.run(["scan", picture, option, disk.folder.appendingPathComponent(name).path])
      #expect(run.status == 1 && run.errors.contains("too little free space"), "\(name): \(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1, "\(name): \(run.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder.path) == ["filler"])
    }
  }

  @Test(.enabled(if: SmallDisk.canMount && !TestStore.isShared, "skipped: no right to mount a file system"))
  func deletingFreesFullDisk() async throws {
    let disk = try #require(SmallDisk(megabytes: 24))
    let data = disk.folder.appendingPathComponent("data")
    let server = try RunningServer(data: data)
    let picture = try BadInputTests.picture()
    var ids: [String] = []
    for _ in 0..<6 { ids.append(try #require(try await server.scan(picture).json["job_id"] as? String)) }
    let serial = try #require(
      (try await server.get("/history").json["items"] as? [[String: Any]])?.first?["id"] as? Int)
    func fill() throws {
      // Twice, since a write in between may have freed space.
      for number in 0..<2 {
        let filler = disk.folder.appendingPathComponent("filler-\(UUID())-\(number)")
        _ = try SmallDisk.run("dd", ["if=/dev/zero", "of=\(filler.path)", "bs=4096", "status=none"])
      }
    }
    try fill()
    #expect(try await server.upload(picture).status == 507)
    #expect(try await server.request("DELETE", "/serials/\(serial)", body: nil).status == 200)
    for (number, id) in ids[..<3].enumerated() {
      if number > 0 { try fill() }
      let reply = try await server.request("DELETE", "/jobs/\(id)", body: nil)
      #expect(reply.status == 200, "\(reply.json)")
      #expect(try await server.get("/result/\(id)").status == 404)
    }
    #expect(Self.photos(below: disk.folder) == 3)
    server.stop()

    // As an earlier version left the disk.
    try FileManager.default.removeItem(at: data.appendingPathComponent("serialscan.sqlite.room"))
    try fill()
    let second = try RunningServer(data: data, settings: ["retention.max_bytes=1", "workers=0"])
    #expect(try await CrashTests.eventually { Self.photos(below: disk.folder) == 0 })
    for id in ids[3...] { #expect(try await second.get("/result/\(id)/photo").errorCode == "PHOTO_GONE") }
    #expect(try CrashTests.sqlite(data, "PRAGMA integrity_check") == "ok")
  }

  /// A bind mount of a folder over itself, which can be made read-only while files are open through the original.
  final class Overlay {
    let folder: URL

    init?(_ folder: URL) {
      self.folder = folder
      guard (try? SmallDisk.run("mount", ["--bind", folder.path, folder.path])) == 0 else { return nil }
    }

    deinit { _ = try? SmallDisk.run("umount", ["-l", folder.path]) }

    func makeReadOnly() -> Bool {
      (try? SmallDisk.run("mount", ["-o", "remount,ro,bind", folder.path])) == 0
    }
  }

  /// Expects that an upload is rejected and leaves nothing, and that /health names the part that can't be written.
  private static func expectRefusal(by server: RunningServer, _ part: String, stored: Int, on disk: URL) async throws {
    let picture = try BadInputTests.picture()
    for path in ["/scan", "/process-serial"] {
      let reply = try await server.upload(picture, to: path)
      #expect(reply.status == 503 && reply.errorCode == "STORAGE_UNAVAILABLE", "\(reply.json)")
      #expect(reply.headers["retry-after"] != nil)
    }
    // /health caches the state of the disk for a second.
    #expect(
      try await CrashTests.eventually {
        let health = try await server.get("/health")
        return health.status == 503 && health.json["status"] as? String == "unhealthy"
          && health.json[part] as? String == "can't be written"
      })
    #expect(try await server.get("/livez").status == 200)
    #expect(Self.photos(below: disk) == stored)
  }

  private static func expectRecovery(of server: RunningServer) async throws {
    #expect(try await server.scan(BadInputTests.picture()).json["status"] as? String == "completed")
    #expect(try await CrashTests.eventually { try await server.get("/health").status == 200 })
    #expect(server.process.isRunning)
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: no right to mount a file system"))
  func rejectsPhotosWhilePhotoFolderIsReadOnly() async throws {
    let disk = try #require(SmallDisk(megabytes: 64))
    let data = disk.folder.appendingPathComponent("data")
    let server = try RunningServer(data: data)
    try await Self.expectRecovery(of: server)
    for name in ["incoming", "photos"] {
      let stored = Self.photos(below: disk.folder)
      var overlay = Overlay(data.appendingPathComponent(name))
      try #require(overlay?.makeReadOnly() == true)
      try await Self.expectRefusal(by: server, "photos", stored: stored, on: disk.folder)
      overlay = nil
      try await Self.expectRecovery(of: server)
    }
  }

  /// The database's files stay open, so their mount can't become read-only: strace makes the server's writes fail
  /// instead.
  @Test(.enabled(if: canTrace, "skipped: strace can't attach to a process here"))
  func reportsReadOnlyDatabaseAndRecovers() async throws {
    let server = try RunningServer()
    try await Self.expectRecovery(of: server)
    let stored = Self.photos(in: server.data)
    let strace = Process()
    strace.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    strace.arguments = [
      "strace", "-f", "-qqq", "-o", "/dev/null", "-p", "\(server.process.processIdentifier)",
      "-e", "trace=pwrite64,ftruncate", "-e", "inject=pwrite64,ftruncate:error=EROFS",
    ]
    try strace.run()
    // Foundation starts strace with SIGTERM blocked; the server runs on when its tracer is killed.
    defer { if strace.isRunning { kill(strace.processIdentifier, SIGKILL) } }
    #expect(try await CrashTests.eventually { try await server.get("/health").status == 503 })
    let picture = try BadInputTests.picture()
    for _ in 0..<3 {
      let reply = try await server.upload(picture)
      #expect(reply.status == 503 && reply.errorCode == "STORAGE_UNAVAILABLE", "\(reply.json)")
    }
    #expect(try await server.get("/health").json["database"] as? String == "can't be written")
    #expect(Self.photos(in: server.data) == stored)
    kill(strace.processIdentifier, SIGKILL)
    strace.waitUntilExit()
    try await Self.expectRecovery(of: server)
    #expect(try CrashTests.sqlite(server.data, "PRAGMA integrity_check") == "ok")
  }

  static let mustRun = ProcessInfo.processInfo.environment["RUN_EVERY_TEST"] != nil

  static let canTrace: Bool = {
    if mustRun { return true }
    guard let sleeping = try? Process.run(URL(fileURLWithPath: "/bin/sleep"), arguments: ["20"]) else { return false }
    defer { sleeping.terminate() }
    let arguments = ["1", "strace", "-qqq", "-o", "/dev/null", "-p", "\(sleeping.processIdentifier)"]
    // 124: strace was still attached when `timeout` ended it.
    return (try? SmallDisk.run("timeout", arguments)) == 124
  }()

  /// The ways in which a database's last program can end.
  enum LastEnd: CaseIterable {
    case killed
    case stopped
    /// A command closes the database and removes its log.
    case command
  }

  /// A disk that fails is often mounted read-only.
  @Test(
    .enabled(if: SmallDisk.canMount && !TestStore.isShared, "skipped: no right to mount a file system"),
    arguments: LastEnd.allCases)
  func readOnlyDataFolderCanBeBackedUp(after end: LastEnd) async throws {
    let disk = try #require(SmallDisk(megabytes: 64))
    let data = disk.folder.appendingPathComponent("data")
    let server = try RunningServer(data: data)
    let job = try #require(try await server.scan(BadInputTests.picture()).json["job_id"] as? String)
    server.send(end == .killed ? SIGKILL : SIGTERM)
    server.process.waitUntilExit()
    if end == .command { _ = try RunningServer.run(["keys", "list", "--data", data.path]) }
    try #require(disk.remount("ro"))
    let doctor = try RunningServer.run(["doctor", "--data", data.path])
    #expect(doctor.status == 1 && doctor.output.contains("is on a read-only disk"), "\(doctor)")
    if end == .command {
      let list = try RunningServer.run(["keys", "list", "--data", data.path])
      #expect(list.status == 1 && list.errors.contains("Read-only file system"), "\(list)")
    }
    let folder = RunningServer.freshFolder()
    let (archive, restored) = (folder.appendingPathComponent("backup.tar"), folder.appendingPathComponent("restored"))
    let backup = try RunningServer.run(["backup", archive.path, "--data", data.path, "--photos"])
    try #require(backup.status == 0, "\(backup.errors)")
    #expect(try RunningServer.run(["restore", archive.path, "--data", restored.path]).status == 0)
    let again = try RunningServer(data: restored)
    #expect(try await again.get("/result/\(job)").json["status"] as? String == "completed")
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: no right to mount a file system"))
  func unwritableDataFolderStopsStart() throws {
    let disk = try #require(SmallDisk(megabytes: 4))
    try #require(disk.remount("ro"))
    let data = disk.folder.appendingPathComponent("data").path
    let run = try RunningServer.run(["serve", "--host", "127.0.0.1", "--port", "0", "--data", data])
    #expect(run.status != 0)
    #expect(run.errors.contains(data), "\(run.errors)")
  }
}
