import Foundation
import TestCluster
import Testing

/// Several machines with one PostgreSQL, as processes with separate folders.
@Suite(.serialized, .enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct SharedStoreTests {
  private static func picture() throws -> LabelledPicture {
    try #require(
      LabelledPicture.all(in: LabelledPicture.generated).first {
        !$0.serial.isEmpty && $0.description.contains("clean")
      })
  }

  private static func top(of reply: Reply) -> String? {
    let results = reply.json["results"] as? [String: Any]
    return (results?["top_result"] as? [String: Any])?["serial"] as? String
  }

  @Test func machinesShareUploadReadAndResult() async throws {
    try await SharedDatabase.with { database in
      let takes = try RunningServer(store: database.address, settings: ["workers=0"])
      let tells = try RunningServer(store: database.address, settings: ["workers=0"])
      #expect(try await takes.get("/health").json["status"] as? String == "healthy")
      let picture = try Self.picture()
      let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
      let accepted = try await takes.upload(
        picture.data, fields: ["debug": "true"],
        headers: ["X-Request-ID": "sender-1", "traceparent": "00-\(trace)-00f067aa0ba902b7-01"])
      #expect(accepted.status == 200, "\(accepted.json)")
      let id = try #require(accepted.json["job_id"] as? String)
      async let held = tells.get("/result/\(id)?wait=60")
      let worker = try RunningWorker(store: database.address)
      let reply = try await held
      #expect(reply.json["status"] as? String == "completed", "\(reply.json) \(worker.logText)")
      #expect(Self.top(of: reply) == picture.serial)
      #expect(try await tells.get("/result/\(id)/photo").body == picture.data)
      #expect(try await tells.get("/result/\(id)/image").status == 200)
      let explanation = try await tells.get("/result/\(id)/explanation")
      #expect(explanation.status == 200 && String(decoding: explanation.body, as: UTF8.self).contains(picture.serial))
      #expect(try database.number("SELECT count(*) AS n FROM serials WHERE job_id = '\(id)'") == 1)
      // These machines keep only temporary files.
      #expect(takes.filesBesidesDatabase().isEmpty && tells.filesBesidesDatabase().isEmpty)
      #expect(worker.stop() == 0)
      #expect(takes.stop() == 0)
      #expect(tells.stop() == 0)
      // The log of the machine that read the photo has the ids of the request and its trace.
      let end = try #require(worker.logText.split(separator: "\n").first { $0.contains("job ended") })
      for name in ["job=\(id)", "request=sender-1", "trace=\(trace)", "status=completed", "verdict=accepted"] {
        #expect(end.contains(name), "\(end)")
      }
      #expect(!worker.logText.contains(picture.serial))
    }
  }

  @Test func eventsReportEndsOfOtherServers() async throws {
    try await SharedDatabase.with { database in
      let servers = try (0..<2).map { _ in try RunningServer(store: database.address, settings: ["workers=0"]) }
      let worker = try RunningWorker(store: database.address)
      let picture = try Self.picture()
      let id = try #require(try await servers[0].upload(picture.data).json["job_id"] as? String)
      #expect(try await servers[0].get("/result/\(id)?wait=60").json["status"] as? String == "completed")
      // `0-0-` precedes all ends; the stream also ends when its server stops.
      async let told = InterfaceDocumentTests.run(
        "curl -s -m 60 -N -H 'Last-Event-ID: 0-0-' \(servers[1].address)/events", [:])
      try await Task.sleep(for: .seconds(2))
      let next = try #require(try await servers[0].upload(picture.data).json["job_id"] as? String)
      #expect(try await servers[0].get("/result/\(next)?wait=60").json["status"] as? String == "completed")
      try await Task.sleep(for: .seconds(2))
      #expect(servers[1].stop() == 0)
      let text = try await told
      for job in [id, next] {
        let ends = text.components(separatedBy: "\n\n").filter { $0.hasPrefix("event: ended") && $0.contains(job) }
        #expect(ends.count == 1, "\(text)")
      }
      worker.stop()
    }
  }

  @Test func killedWorkersJobMovesToAnother() async throws {
    try await SharedDatabase.with { database in
      let server = try RunningServer(store: database.address, settings: ["workers=0"])
      let picture = try Self.picture()
      var ids: [String] = []
      let first = try RunningWorker(store: database.address, settings: ["workers=2"])
      // Distinct photos, since a resent photo is saved once. Bytes after a picture's end are ignored.
      for number in 0..<8 {
        let photo = try picture.data + Data("\(number)".utf8)
        ids.append(try #require(try await server.upload(photo).json["job_id"] as? String))
      }
      #expect(
        try await CrashTests.eventually {
          try database.number("SELECT count(*) AS n FROM jobs WHERE state = 'processing'") > 0
        })
      first.send(SIGKILL)
      let second = try RunningWorker(store: database.address)
      for id in ids {
        #expect(try await server.get("/result/\(id)?wait=60").json["status"] as? String == "completed")
      }
      #expect(try database.number("SELECT count(*) AS n FROM serials") == ids.count)
      second.stop()
    }
  }

  @Test func revokedKeyIsRejectedByAllServersWithinASecond() async throws {
    try await SharedDatabase.with { database in
      let servers = try (0..<2).map { _ in try RunningServer(store: database.address, settings: ["workers=0"]) }
      let made = try RunningServer.run(["keys", "add", "phone", "--scopes", "admin", "--store", database.address])
      let key = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
      let headers = ["Authorization": "Bearer \(key)"]
      for server in servers {
        #expect(
          try await CrashTests.eventually { try await server.get("/jobs").status == 401 })
        #expect(try await server.get("/jobs", headers: headers).status == 200)
      }
      #expect(try RunningServer.run(["keys", "revoke", "phone", "--store", database.address]).status == 0)
      try await Task.sleep(for: .seconds(1))
      for server in servers { #expect(try await server.get("/jobs", headers: headers).status == 401) }
    }
  }

  @Test func commandsUseStoreAndHidePassword() async throws {
    try await SharedDatabase.with { database in
      let early = try RunningServer.run(["keys", "list", "--store", database.address])
      #expect(early.status == 1 && early.errors.contains("There is no database"), "\(early.errors)")
      let server = try RunningServer(store: database.address, settings: ["workers=0"])
      let doctor = try RunningServer.run(["doctor", "--store", database.address, "--data", server.data.path])
      #expect(doctor.output.contains("answers (PostgreSQL"), "\(doctor.output) \(doctor.errors)")
      let file = server.data.appendingPathComponent("out.csv").path
      #expect(try RunningServer.run(["export", file, "--store", database.address]).status == 0)
      for command in ["backup", "restore"] {
        let run = try RunningServer.run([command, file, "--store", database.address])
        #expect(run.status == 1 && run.errors.contains("pg_"), "\(run.errors)")
      }
      let wrong = try RunningServer.run(["keys", "list", "--store", "postgresql://me:hush@127.0.0.1:1/none"])
      #expect(wrong.status == 1 && wrong.errors.contains("can't be reached") && !wrong.errors.contains("hush"))
      let config = try RunningServer.run(["config", "--store", "postgresql://me:hush@db/none"])
      #expect(config.output.contains("postgresql://db/none") && !config.output.contains("hush"))
      let work = try RunningServer.run(["work", "--data", server.data.path])
      #expect(work.status == 78 && work.errors.contains("--store"))
    }
  }

  @Test func adminKeyCanBeCreatedBeforeFirstStart() async throws {
    try await SharedDatabase.with { database in
      let data = RunningServer.freshFolder().path
      let added = try RunningServer.run(
        ["keys", "add", "me", "--scopes", "admin", "--store", database.address, "--data", data])
      #expect(added.status == 0 && added.errors.contains("created the database postgresql://"), "\(added)")
      let server = try RunningServer(store: database.address, settings: ["workers=0"])
      #expect(try await server.get("/jobs").status == 401)
    }
  }

  @Test func repeatedCopyCopiesDataFolderOnce() async throws {
    let picture = try Self.picture()
    let before = try RunningServer(settings: ["workers=1"])
    let read = try await before.scan(picture.data, fields: ["debug": "true"])
    let id = try #require(read.json["job_id"] as? String)
    let waiting = try await Self.leaveOneWaiting(on: before, picture)
    try await SharedDatabase.with { database in
      let copy = ["copy", "--from", before.data.path, "--to", database.address]
      for _ in 0..<2 {
        let run = try RunningServer.run(copy)
        #expect(run.status == 0, "\(run.output) \(run.errors)")
        #expect(run.output.contains("jobs: 2 of 2 are there") && run.output.contains("photos: 2 of 2 are there"))
      }
      let other = RunningServer.freshFolder()
      try RunningServer(data: other).stop()
      let mixed = try RunningServer.run(["copy", "--from", other.path, "--to", database.address])
      #expect(mixed.status == 1 && mixed.errors.contains("use an empty one"), "\(mixed.errors)")
      let after = try RunningServer(store: database.address, settings: ["workers=1"])
      let told = try await after.get("/result/\(id)")
      #expect(Self.top(of: told) == Self.top(of: read) && Self.top(of: told) == picture.serial)
      #expect(try await after.get("/result/\(id)/photo").body == picture.data)
      #expect(try await after.get("/result/\(waiting)?wait=60").json["status"] as? String == "completed")
      #expect(try await after.scan(picture.data + Data("new".utf8)).json["status"] as? String == "completed")
      #expect(try database.number("SELECT count(*) AS n FROM jobs") == 3)
      #expect(try database.number("SELECT count(*) AS n FROM serials") == 3)
    }
  }

  /// The copy is killed twice, among the jobs and among their photos.
  @Test func nextCopyCompletesKilledCopy() async throws {
    let picture = try Self.picture()
    let before = try RunningServer(settings: ["workers=0"])
    var ids: Set<String> = []
    for _ in 0..<150 { ids.insert(try #require(try await before.upload(picture.data).json["job_id"] as? String)) }
    before.stop()
    try await SharedDatabase.with { database in
      let copy = ["copy", "--from", before.data.path, "--to", database.address]
      for most in [20, 80] {
        let process = try Process.run(RunningServer.executable, arguments: copy)
        let reached = try await CrashTests.eventually {
          (try? database.number("SELECT count(*) AS n FROM jobs")) ?? 0 >= most || !process.isRunning
        }
        #expect(reached)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal, "the copy ended before the kill")
      }
      // Statements of the killed copy may still be running.
      #expect(try database.number("SELECT count(*) AS n FROM jobs") < ids.count)
      let run = try RunningServer.run(copy)
      #expect(run.status == 0, "\(run.output) \(run.errors)")
      #expect(run.output.contains("jobs: 150 of 150 are there") && run.output.contains("photos: 150 of 150 are there"))
      #expect(try database.number("SELECT count(*) AS n FROM jobs") == ids.count)
      #expect(try database.number("SELECT count(*) AS n FROM blobs WHERE kind = 'photo'") == ids.count)
      let parts = try database.number("SELECT count(DISTINCT blob) AS n FROM blob_parts")
      #expect(parts == ids.count, "bytes without a photo")
      let after = try RunningServer(store: database.address, settings: ["workers=0"])
      for id in ids.prefix(10) { #expect(try await after.get("/result/\(id)/photo").body == picture.data) }
    }
  }

  @Test func survivesMachineNetworkAndDatabaseFailures() throws {
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Tools/torture/machines.py")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", tool.path, "--rounds", "11", "--silence", "3", "--program", RunningServer.executable.path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
  }

  /// Stops a server before it reads the photos it accepted.
  private static func leaveOneWaiting(on server: RunningServer, _ picture: LabelledPicture) async throws -> String {
    server.stop()
    let idle = try RunningServer(data: server.data, settings: ["workers=0"])
    let reply = try await idle.upload(picture.data + Data("waiting".utf8))
    idle.stop()
    return try #require(reply.json["job_id"] as? String)
  }
}

/// A process that runs `serialscan work`.
final class RunningWorker: @unchecked Sendable {
  private let process = Process()
  private let log: ServerLog

  init(store: String, settings: [String] = ["workers=1"]) throws {
    process.executableURL = RunningServer.executable
    process.arguments =
      ["work", "--data", RunningServer.freshFolder().path, "--store", store] + settings.flatMap { ["--set", $0] }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    log = ServerLog(pipe.fileHandleForReading)
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  var processID: Int32 { process.processIdentifier }

  /// Its log so far.
  var logText: String { log.text }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Sends SIGTERM, waits for the end and returns the exit status.
  @discardableResult
  func stop() -> Int32 {
    send(SIGTERM)
    process.waitUntilExit()
    return process.terminationStatus
  }
}
