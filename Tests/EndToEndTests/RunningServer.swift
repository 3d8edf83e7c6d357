import Foundation

/// The real executable, started on a free port with its own data folder, and stopped when it is released.
final class RunningServer: @unchecked Sendable {
  /// The base address, without a trailing slash.
  let address: String
  /// Its data folder.
  let data: URL
  let process: Process
  private let log: ServerLog

  /// Starts `serialscan serve` and waits until it reports its address.
  ///
  /// - Parameters:
  ///   - data: the data folder, or nil for a fresh one.
  ///   - store: the database that machines share, or nil for the data folder's own; see `TestStore`.
  ///   - settings: `key=value` settings.
  ///   - environment: variables on top of this process's own.
  ///   - program: the executable.
  init(
    data: URL? = nil, store: String? = nil, settings: [String] = [], environment: [String: String] = [:],
    program: URL = RunningServer.executable
  ) throws {
    self.data = data ?? Self.freshFolder()
    let store = try store ?? TestStore.address(for: self.data)
    let (process, log) = try Self.launch(
      program,
      ["serve", "--host", "127.0.0.1", "--port", "0", "--data", self.data.path]
        + (store.map { ["--store", $0] } ?? []) + settings.flatMap { ["--set", $0] },
      environment: environment)
    self.process = process
    self.log = log
    guard let address = log.waitForAddress(seconds: 30) else {
      process.terminate()
      throw ServerDidNotStart(log: log.text)
    }
    self.address = address
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Everything the server has logged so far.
  var logText: String { log.text }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Sends SIGTERM, waits for the end and returns the exit status.
  @discardableResult
  func stop() -> Int32 {
    send(SIGTERM)
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Every file below the data folder except the database's own.
  func filesBesidesDatabase() -> [String] {
    let all = FileManager.default.enumerator(at: data, includingPropertiesForKeys: [.isRegularFileKey])
    return (all?.allObjects as? [URL] ?? [])
      .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
      .map(\.lastPathComponent).filter { !$0.hasPrefix("serialscan.") }.sorted()
  }

  /// Runs the executable to its end and returns its status and output.
  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (
    status: Int32, output: String, errors: String
  ) {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let collected = ServerLog(errors.fileHandleForReading)
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text, collected.waitForEnd())
  }

  /// The built executable, beside the test bundle.
  static let executable = built("serialscan")

  /// The same with fault points that can be enabled; see `Faults`.
  static let faultyExecutable = built("FaultyServer")

  private static func built(_ name: String) -> URL {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appendingPathComponent(name)
  }

  /// The folder of all fresh folders, which is deleted when the tests end.
  private static let folders: URL = {
    atexit { try? FileManager.default.removeItem(at: RunningServer.folders) }
    return FileManager.default.temporaryDirectory.appendingPathComponent("serialscan-\(UUID().uuidString)")
  }()

  /// A new empty folder in the temporary folder.
  static func freshFolder() -> URL {
    // Short, since the path of a Unix socket in it may have 107 bytes.
    let folder = folders.appendingPathComponent(String(UUID().uuidString.prefix(13)))
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private static func launch(
    _ program: URL, _ arguments: [String], environment: [String: String]
  ) throws -> (Process, ServerLog) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    return (process, ServerLog(pipe.fileHandleForReading))
  }
}

/// The server ended or timed out before it listened.
struct ServerDidNotStart: Error {
  var log: String
}

/// The output of a process, collected on a separate thread.
final class ServerLog: @unchecked Sendable {
  private let condition = NSCondition()
  private var gathered = Data()
  private var ended = false

  init(_ handle: FileHandle) {
    let thread = Thread { [self] in
      while true {
        let chunk = handle.availableData
        condition.lock()
        gathered.append(chunk)
        ended = chunk.isEmpty
        condition.broadcast()
        condition.unlock()
        if chunk.isEmpty { return }
      }
    }
    thread.start()
  }

  var text: String {
    condition.lock()
    defer { condition.unlock() }
    return String(decoding: gathered, as: UTF8.self)
  }

  func waitForAddress(seconds: Double) -> String? {
    let pattern = #/http://127\.0\.0\.1:\d+/#
    return wait(seconds: seconds) { text in text.firstMatch(of: pattern).map { String($0.output) } }
  }

  func waitForEnd() -> String {
    condition.lock()
    defer { condition.unlock() }
    while !ended { condition.wait() }
    return String(decoding: gathered, as: UTF8.self)
  }

  private func wait<Value>(seconds: Double, for find: (String) -> Value?) -> Value? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let value = find(String(decoding: gathered, as: UTF8.self)) { return value }
      if ended || !condition.wait(until: deadline) { return nil }
    }
  }
}
