import ChildProcess
import Foundation
import Logging
import ScanModel

/// The path of the test reader, which is built beside the tests.
enum FaultyReaders {
  static let path: String = {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    return tests.appendingPathComponent("FaultyReader").path
  }()

  static func make(
    start: String = "", conclusiveShare: Double = 0.5, fields: FieldReading = .near,
    _ change: (inout ChildConfiguration) -> Void = { _ in }
  ) throws -> ReaderProcess {
    var configuration = ChildConfiguration.reader(
      arguments: [start], addressSpaceLimit: 3 << 30, photosPerProcess: 1_000)
    configuration.executable = path
    configuration.startDeadline = .seconds(10)
    configuration.firstStartPause = .milliseconds(20)
    change(&configuration)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let settings = ReaderSettings(parameters: [:], accept: 0.9, refuse: 0.1, fields: fields)
    return try ReaderProcess(
      settings: settings, configuration: configuration, conclusiveShare: conclusiveShare, logger: logger)
  }
}

extension PhotoReader {
  /// Reads a photo whose content is a command to the test reader.
  func read(
    _ deed: String, deadline: Duration = .seconds(20), progress: @escaping @Sendable (ReadProgress) -> Void = { _ in }
  ) async throws -> Reading {
    try await answer(to: deed, deadline: deadline, progress: progress).reading
  }

  /// The test reader's answer to a photo whose content is a command.
  func answer(
    to deed: String, wantsAnnotation: Bool = false, deadline: Duration = .seconds(20),
    progress: @escaping @Sendable (ReadProgress) -> Void = { _ in }
  ) async throws -> ReadAnswer {
    let request = ReadRequest(
      timeBudget: 10, limits: PictureLimits(maxPixels: 1_000_000), wantsAnnotation: wantsAnnotation)
    return try await read(Array(deed.utf8), request, deadline: deadline, progress: progress)
  }

  /// The failure that reading a photo ends with, or nil.
  func failure(of name: String, deadline: Duration = .seconds(20)) async -> ReadFailure.Code? {
    do {
      _ = try await read(name, deadline: deadline)
      return nil
    } catch let failure as ReadFailure {
      return failure.code
    } catch {
      return nil
    }
  }
}

/// Waits until a condition holds, for up to a minute.
func eventually(_ condition: () -> Bool) async throws -> Bool {
  for _ in 0..<6000 {
    if condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return false
}

/// Whether a process runs (a zombie does not).
func isRunning(_ processID: Int32?) -> Bool {
  guard let processID, let stat = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8) else {
    return false
  }
  return stat.split(separator: ")").last?.split(separator: " ").first != "Z"
}
