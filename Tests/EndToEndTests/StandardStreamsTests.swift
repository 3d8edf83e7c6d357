import Foundation
import Testing

/// The server with standard streams that can't be written: it serves, drops its log lines and counts them.
@Suite(.serialized) struct StandardStreamsTests {
  /// The server behind a shell that redirects its streams. It can't say where it listens, so the port is chosen before.
  final class RedirectedServer {
    let process = Process()
    let data = RunningServer.freshFolder().appendingPathComponent("data")
    let address: String

    init(_ redirection: String, output: Pipe? = nil) throws {
      let port = try Self.freePort()
      address = "http://127.0.0.1:\(port)"
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = [
        "-c", "exec \"$0\" \"$@\" \(redirection)", RunningServer.executable.path, "serve", "--host", "127.0.0.1",
        "--port", "\(port)", "--data", data.path,
      ]
      if let output { (process.standardOutput, process.standardError) = (output, output) }
      try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The status of an answer, or what curl says if there is none.
    func status(_ path: String) throws -> String {
      try CrashTests.output(
        of: "/usr/bin/curl", ["-s", "-m", "20", "-o", "/dev/null", "-w", "%{http_code}", "\(address)\(path)"])
    }

    func serves() async throws -> Bool { try await CrashTests.eventually { try status("/livez") == "200" } }

    private static func freePort() throws -> UInt16 {
      let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      return try withUnsafeMutablePointer(to: &address) {
        try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          try #require(bind(socket, pointer, size) == 0)
          try #require(getsockname(socket, pointer, &size) == 0)
        }
        return UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }

  /// Requests that are all logged, then a stop: the server is there from the first to the last.
  private static func expectToServe(_ server: RedirectedServer, dropping: Bool = true) async throws {
    try #require(try await server.serves())
    for _ in 0..<20 { #expect(try server.status("/nothing-of-the-kind") == "404") }
    let metrics = try CrashTests.output(of: "/usr/bin/curl", ["-s", "\(server.address)/metrics"])
    let dropped = metrics.firstMatch(of: #/serialscan_log_lines_dropped_total (\d+)/#).flatMap { Int($0.1) }
    #expect(dropping ? (dropped ?? 0) >= 20 : dropped == 0)
    kill(server.process.processIdentifier, SIGTERM)
    server.process.waitUntilExit()
    #expect(server.process.terminationStatus == 0 && server.process.terminationReason == .exit)
    #expect(try CrashTests.sqlite(server.data, "PRAGMA integrity_check") == "ok")
  }

  @Test(arguments: ["2>/dev/full", ">/dev/full 2>/dev/full"])
  func serverSurvivesFullStreams(_ redirection: String) async throws {
    try await Self.expectToServe(RedirectedServer(redirection))
  }

  @Test(arguments: ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
  func serverSurvivesClosedStreams(_ redirection: String) async throws {
    let server = try RedirectedServer(redirection)
    try #require(try await server.serves())
    // Nothing else has taken the number of the closed stream: no log line lands in another file.
    let errors = "/proc/\(server.process.processIdentifier)/fd/2"
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: errors) == "/dev/null")
    try await Self.expectToServe(server, dropping: false)
  }

  @Test func serverSurvivesMissingLogReader() async throws {
    let pipe = Pipe()
    let server = try RedirectedServer("", output: pipe)
    try pipe.fileHandleForWriting.close()
    try pipe.fileHandleForReading.close()
    try await Self.expectToServe(server)
  }

  @Test func serverSurvivesStalledLogReader() async throws {
    let pipe = Pipe()
    let server = try RedirectedServer("", output: pipe)
    try #require(try await server.serves())
    // More log lines than the pipe holds: 64 KB.
    #expect(try server.status("/nothing-[1-1000]").hasSuffix("404"))
    try await Self.expectToServe(server)
  }
}
