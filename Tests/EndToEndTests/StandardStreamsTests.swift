import Foundation
import Testing

/// Standard streams that can't be written: the server continues, and drops and counts its log lines.
@Suite(.serialized) struct StandardStreamsTests {
  /// A server whose streams a shell redirects. It can't report its port, so the port is chosen first.
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

    /// The status of a response, or curl's error if there is none.
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

  /// Expects that the server responds to requests, counts the log lines it dropped, and stops cleanly.
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
    // The number of the closed stream is not reused: no log line goes to another file.
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
