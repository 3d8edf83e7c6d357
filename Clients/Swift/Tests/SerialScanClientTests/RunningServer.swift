import Foundation

/// The built server on a free port with its own data folder, killed when it is released.
final class RunningServer: Sendable {
  struct DidNotStart: Error, CustomStringConvertible {
    var description: String
  }

  /// The repository's root.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  let port: Int
  var address: URL { URL(string: "http://127.0.0.1:\(port)")! }
  private let process: Process
  private let data: URL

  /// Starts `serialscan serve` from SERIALSCAN_PROGRAM, or as `make build` leaves it.
  init(_ settings: String..., workers: Int? = nil) throws {
    let program =
      ProcessInfo.processInfo.environment["SERIALSCAN_PROGRAM"]
      ?? Self.root.appendingPathComponent(".build/release/serialscan").path
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw DidNotStart(
        description: "These tests need the server at \(program). Run `make build` in \(Self.root.path), or set "
          + "SERIALSCAN_PROGRAM.")
    }
    data = try temporaryFolder()
    process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments =
      ["serve", "--host", "127.0.0.1", "--port", "0", "--data", data.path]
      + (workers.map { ["--workers", "\($0)"] } ?? []) + settings.flatMap { ["--set", $0] }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    var text = ""
    var port: Int?
    while port == nil, case let more = output.fileHandleForReading.availableData, !more.isEmpty {
      text += String(decoding: more, as: UTF8.self)
      port = text.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
    }
    guard let port else { throw DidNotStart(description: "The server ended before it listened: \(text)") }
    self.port = port
    Self.started.with { $0.append(process.processIdentifier) }
    // Its log is read, or the pipe would fill up.
    output.fileHandleForReading.readabilityHandler = { if $0.availableData.isEmpty { $0.readabilityHandler = nil } }
  }

  /// Servers in static variables, which are never released, end with the tests.
  private static let started: Locked<[Int32]> = {
    atexit { RunningServer.started.with { for child in $0 { kill(child, SIGKILL) } } }
    return Locked([])
  }()

  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    Self.started.with { $0.removeAll { $0 == process.processIdentifier } }
    try? FileManager.default.removeItem(at: data)
  }

  /// A generated picture of the repository.
  static func picture(_ name: String) -> URL { root.appendingPathComponent("testdata/pictures/\(name).jpg") }
}

/// A new folder in the temporary folder.
func temporaryFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("serialscan-client-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}

/// A built program of this package, beside the tests.
func builtProgram(_ name: String) -> URL {
  let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
  return bundle.deletingLastPathComponent().appendingPathComponent(name)
}

/// Runs a program to its end on a separate thread, so that waiting does not block other tests.
@discardableResult func run(
  _ program: URL, _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil,
  killAfter milliseconds: Int? = nil
) async throws -> (status: Int32, output: String) {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(
        with: Result { try runBlocking(program, arguments, environment, folder, killAfter: milliseconds) })
    }
  }
}

private func runBlocking(
  _ program: URL, _ arguments: [String], _ environment: [String: String], _ folder: URL?, killAfter milliseconds: Int?
) throws -> (status: Int32, output: String) {
  let process = Process()
  process.executableURL = program
  process.arguments = arguments
  process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  process.currentDirectoryURL = folder
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  try process.run()
  if let milliseconds {
    let child = process.processIdentifier
    Thread.detachNewThread {
      usleep(UInt32(milliseconds) * 1000)
      // Not waited for yet, or gone: the id can't belong to another process after such a short time.
      kill(child, SIGKILL)
    }
  }
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (process.terminationStatus, text)
}
