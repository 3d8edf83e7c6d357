import Foundation
import Testing

/// Kills of server and readers, suspension past the lease, and stops, with the real executable.
@Suite(.serialized) struct CrashTests {
  private static func pictures() throws -> [LabelledPicture] {
    try LabelledPicture.all(in: LabelledPicture.generated).filter {
      !$0.serial.isEmpty && $0.description.contains("clean")
    }
  }

  /// Uploads `count` pictures and returns the expected serial of each accepted job.
  private static func upload(_ count: Int, to server: RunningServer) async throws -> [String: String] {
    let pictures = try pictures()
    var accepted: [String: String] = [:]
    for number in 0..<count {
      let picture = pictures[number % pictures.count]
      let reply = try await server.upload(picture.data)
      #expect(reply.status == 200)
      accepted[try #require(reply.json["job_id"] as? String)] = picture.serial
    }
    return accepted
  }

  /// Every job completes with its photo's serial and is saved once.
  private static func expectRead(_ accepted: [String: String], by server: RunningServer) async throws {
    for (id, serial) in accepted {
      let reply = try await server.get("/result/\(id)?wait=60")
      let results = reply.json["results"] as? [String: Any]
      #expect(reply.json["status"] as? String == "completed", "\(reply.json)")
      #expect((results?["top_result"] as? [String: Any])?["serial"] as? String == serial)
    }
    #expect(try savedMoreThanOnce(in: server.data).isEmpty)
    #expect(try TestStore.isSound(server.data))
  }

  private static func savedMoreThanOnce(in data: URL) throws -> String {
    try TestStore.ask(data, "SELECT job_id FROM serials WHERE job_id IS NOT NULL GROUP BY job_id HAVING count(*) > 1")
  }

  /// The result of a statement, run by another program.
  static func sqlite(_ data: URL, _ statement: String) throws -> String {
    // The server writes at the same time.
    try output(
      of: "/usr/bin/sqlite3",
      ["-cmd", ".timeout 10000", data.appendingPathComponent("serialscan.sqlite").path, statement])
  }

  static func output(of program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The process ids of a server's readers.
  static func readers(of server: RunningServer) -> [pid_t] {
    let tasks = "/proc/\(server.process.processIdentifier)/task"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return names.flatMap { name -> [pid_t] in
      let text = (try? String(contentsOfFile: "\(tasks)/\(name)/children", encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { pid_t($0) }
    }.filter(isReader)
  }

  /// Whether the process reads photos; the other children of a server track videos.
  private static func isReader(_ process: pid_t) -> Bool {
    let line = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
    return line.split(separator: "\0").contains("reader")
  }

  static func isAlive(_ process: pid_t) -> Bool {
    guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    return stat.split(separator: ")").last?.split(separator: " ").first != "Z"
  }

  static func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<1000 {
      if try await condition() { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  /// Waits until the server reads something.
  private static func awaitReading(_ ids: some Sequence<String>, on server: RunningServer) async throws -> String? {
    var reading: String?
    _ = try await eventually {
      for id in ids where try await server.get("/result/\(id)").json["status"] as? String == "processing" {
        reading = id
      }
      return reading != nil
    }
    return reading
  }

  @Test func acceptedPhotosSurviveServerKill() async throws {
    let first = try RunningServer()
    let accepted = try await Self.upload(6, to: first)
    let readers = Self.readers(of: first)
    first.send(SIGKILL)
    first.process.waitUntilExit()
    #expect(try await Self.eventually { !readers.contains(where: Self.isAlive) }, "readers outlived their server")
    let second = try RunningServer(data: first.data)
    try await Self.expectRead(accepted, by: second)
  }

  @Test func killedReaderLosesNoPhoto() async throws {
    let server = try RunningServer(settings: ["queue.max_attempts=100", "queue.backoff=0.1"])
    let accepted = try await Self.upload(6, to: server)
    for _ in 0..<3 {
      Self.readers(of: server).forEach { kill($0, SIGKILL) }
      try await Task.sleep(for: .milliseconds(300))
    }
    try await Self.expectRead(accepted, by: server)
    #expect(server.process.isRunning)
  }

  @Test func replacesSuspendedReaderAtDeadline() async throws {
    let server = try RunningServer(settings: ["workers=1", "reader.deadline=5", "queue.backoff=0.1"])
    #expect(try await Self.eventually { Self.readers(of: server).count == 1 })
    try await Self.expectRead(Self.upload(1, to: server), by: server)
    let suspended = try #require(Self.readers(of: server).first)
    kill(suspended, SIGSTOP)
    try await Self.expectRead(Self.upload(1, to: server), by: server)
    #expect(!Self.isAlive(suspended))
  }

  @Test func suspendedServerEndsEachJobOnce() async throws {
    let server = try RunningServer(settings: ["queue.lease=1", "workers=2"])
    for _ in 0..<3 {
      let accepted = try await Self.upload(4, to: server)
      server.send(SIGSTOP)
      try await Task.sleep(for: .milliseconds(1500))
      server.send(SIGCONT)
      try await Self.expectRead(accepted, by: server)
    }
  }

  @Test(.disabled(if: TestStore.isShared, "skipped: servers share PostgreSQL"))
  func rejectsSecondServerOnSameFolder() async throws {
    let server = try RunningServer()
    let second = try RunningServer.run(["serve", "--host", "127.0.0.1", "--port", "0", "--data", server.data.path])
    #expect(second.status != 0)
    #expect(second.errors.contains(server.data.lastPathComponent), "\(second.errors)")
    // Also if the first one is suspended: its claims can't be overwritten.
    server.send(SIGSTOP)
    let third = try RunningServer.run(["serve", "--host", "127.0.0.1", "--port", "0", "--data", server.data.path])
    server.send(SIGCONT)
    #expect(third.status != 0)
  }

  /// The server is killed at one of the writes of its first start, most of which create tables; then it starts normally.
  @Test(
    .enabled(if: DiskTests.canTrace, "skipped: strace can't trace here"),
    .disabled(if: TestStore.isShared, "skipped: PostgreSQL writes its own files"), arguments: [1, 2, 4, 7, 11, 16])
  func serverKilledDuringMigrationStartsAgain(write: Int) async throws {
    let data = RunningServer.freshFolder()
    let status = try DiskTests.SmallDisk.run(
      "timeout",
      [
        "20", "strace", "-f", "-qqq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e",
        "inject=pwrite64:signal=KILL:when=\(write)", RunningServer.executable.path, "serve", "--host", "127.0.0.1",
        "--port", "0", "--data", data.path,
      ])
    // `timeout` exits with its command's status; at a timeout it would be 124.
    #expect([SIGKILL, 128 + SIGKILL].contains(status))
    let server = try RunningServer(data: data)
    try await Self.expectRead(Self.upload(1, to: server), by: server)
  }

  @Test func stopFinishesCurrentReadsAndKeepsQueue() async throws {
    let first = try RunningServer(settings: ["workers=1"])
    let accepted = try await Self.upload(8, to: first)
    #expect(first.stop() == 0)
    #expect(try TestStore.ask(first.data, "SELECT count(*) FROM jobs WHERE state = 'processing'") == "0")
    #expect(try TestStore.ask(first.data, "SELECT count(*) FROM jobs WHERE state = 'queued' AND attempts > 0") == "0")
    #expect(try TestStore.ask(first.data, "SELECT count(*) FROM jobs WHERE state = 'failed'") == "0")
    try await Self.expectRead(accepted, by: RunningServer(data: first.data))
  }

  @Test func secondSignalStopsImmediately() async throws {
    let first = try RunningServer(settings: ["workers=1"])
    let accepted = try await Self.upload(8, to: first)
    first.send(SIGTERM)
    try await Task.sleep(for: .milliseconds(20))
    first.send(SIGTERM)
    #expect(try await Self.eventually { !first.process.isRunning })
    try await Self.expectRead(accepted, by: RunningServer(data: first.data))
  }

  @Test(.disabled(if: TestStore.isShared, "skipped: survivesMachineNetworkAndDatabaseFailures is PostgreSQL's"))
  func survivesTwelveRoundsOfTorture() throws {
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Tools/torture/torture.py")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", tool.path, "--rounds", "12", "--program", RunningServer.executable.path, "--faulty",
      RunningServer.faultyExecutable.path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
  }
}
