import Foundation
import Testing

/// `server.stop_timeout` applies to everything: long work is cut off, and the program exits with status 0.
@Suite(.serialized) struct StopTests {
  private static func expectStop(of server: RunningServer) async throws {
    server.send(SIGTERM)
    #expect(try await CrashTests.eventually { !server.process.isRunning })
    guard !server.process.isRunning else { return server.send(SIGKILL) }
    #expect(server.process.terminationStatus == 0 && server.process.terminationReason == .exit)
    #expect(try TestStore.isSound(server.data))
  }

  /// Requests a path without waiting for the response, reading at a limited rate.
  private static func ask(_ server: RunningServer, _ path: String, rate: String = "1G") throws -> Process {
    let curl = Process()
    curl.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    curl.arguments = ["-s", "--limit-rate", rate, "-o", "/dev/null", server.address + path]
    curl.standardError = FileHandle.nullDevice
    try curl.run()
    return curl
  }

  /// Kills the client. It ignores SIGTERM if a server in the tests' own process made that process ignore it, and would
  /// keep the tests' output open for minutes.
  private static func end(_ curl: Process) {
    kill(curl.processIdentifier, SIGKILL)
    curl.waitUntilExit()
  }

  @Test func longEvaluationDoesNotDelayStop() async throws {
    let datasets = RunningServer.freshFolder()
    let folder = datasets.appendingPathComponent("many")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let picture = folder.appendingPathComponent("0.jpg")
    try BadInputTests.picture().write(to: picture)
    // A dataset counts each name once, so each row has its own.
    for number in 1..<2000 {
      try FileManager.default.linkItem(at: picture, to: folder.appendingPathComponent("\(number).jpg"))
    }
    let rows = (0..<2000).map { "\($0).jpg,\n" }.joined()
    try Data(("filename,serial\n" + rows).utf8).write(to: folder.appendingPathComponent("labels.csv"))
    let server = try RunningServer(settings: ["server.stop_timeout=1", "datasets=\(datasets.path)"])
    let curl = try Self.ask(server, "/evaluate?dir=many")
    defer { Self.end(curl) }
    try await Task.sleep(for: .seconds(1))
    #expect(curl.isRunning)
    try await Self.expectStop(of: server)
  }

  @Test func slowDownloadDoesNotDelayStop() async throws {
    let server = try RunningServer(settings: ["server.stop_timeout=1", "server.least_write_rate=1"])
    let notes = String(repeating: "0", count: 6000)
    _ = try TestStore.ask(
      server.data,
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO serials (created_at, serial, confidence, source, valid, notes)
      SELECT 1700000000000000 + i, 'C02XL0TH' || (1000 + i), 0.9, 'scan', true, '\(notes)' FROM n
      """)
    let curl = try Self.ask(server, "/export?format=csv", rate: "10k")
    defer { Self.end(curl) }
    #expect(try await CrashTests.eventually { server.logText.contains("path=/export") })
    #expect(curl.isRunning)
    try await Self.expectStop(of: server)
  }
}
