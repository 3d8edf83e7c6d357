import Foundation

/// ffmpeg at work beside this program: it reads a film and writes frames, or the other way round.
final class FFmpeg {
  /// How it ended.
  struct End {
    var isGood: Bool
    /// Whether a signal stopped it; it ends the file that it writes properly then.
    var wasStopped: Bool
    /// What it said, at most some thousand characters.
    var messages: String
  }

  /// Its status after a signal.
  private static let stopped: Int32 = 255
  private static let longestMessage = 4_000

  private let process = Process()
  private let pipe = Pipe()
  /// A file: a pipe that nobody empties would hold it up.
  private let messages: FileHandle?
  private let messagesPath: String

  /// Starts it.
  ///
  /// - Parameters:
  ///   - arguments: All but those for what it says.
  ///   - writes: Whether this program writes to it, instead of reading from it.
  init(_ program: String, _ arguments: [String], writes: Bool) throws(VideoFrames.Problem) {
    messagesPath = FileManager.default.temporaryDirectory.appendingPathComponent("serialscan-\(UUID().uuidString)").path
    _ = FileManager.default.createFile(atPath: messagesPath, contents: nil, attributes: [.posixPermissions: 0o600])
    messages = FileHandle(forUpdatingAtPath: messagesPath)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["-hide_banner", "-loglevel", "error"] + arguments
    process.standardInput = writes ? pipe : FileHandle.nullDevice
    process.standardOutput = writes ? FileHandle.nullDevice : pipe
    process.standardError = messages ?? FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw .unreadable("ffmpeg can't be started: \(error.localizedDescription)")
    }
  }

  deinit {
    if process.isRunning { process.terminate() }
    try? FileManager.default.removeItem(atPath: messagesPath)
  }

  /// What it wrote next; nil behind the end.
  func read() -> Data? {
    guard let more = try? pipe.fileHandleForReading.read(upToCount: 1 << 16), !more.isEmpty else { return nil }
    return more
  }

  /// Gives it bytes; false where it takes no more.
  func write(_ bytes: [UInt8]) -> Bool { (try? pipe.fileHandleForWriting.write(contentsOf: Data(bytes))) != nil }

  /// Closes what is written to it, and waits for its end.
  func end() -> End {
    try? pipe.fileHandleForWriting.close()
    process.waitUntilExit()
    let status = process.terminationStatus
    let wasStopped = process.terminationReason == .uncaughtSignal || status == Self.stopped
    try? messages?.seek(toOffset: 0)
    let said = (try? messages?.read(upToCount: Self.longestMessage)).flatMap { $0 } ?? Data()
    return End(
      isGood: process.terminationReason == .exit && status == 0, wasStopped: wasStopped,
      messages: String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Where a program of ffmpeg's is installed; nil where it is not.
  static func path(of program: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// How many frames a film has, and how many a second; nil what can't be told.
  static func probe(_ video: String) -> (count: Int?, rate: String?) {
    guard let ffprobe = path(of: "ffprobe"),
      let run = try? FFmpeg(
        ffprobe,
        [
          "-protocol_whitelist", "file", "-select_streams", "v:0", "-count_packets", "-show_entries",
          "stream=avg_frame_rate,nb_read_packets", "-of", "default=noprint_wrappers=1", "file:\(video)",
        ], writes: false)
    else { return (nil, nil) }
    var said = Data()
    while let more = run.read() { said.append(more) }
    _ = run.end()
    var values: [String: String] = [:]
    for line in String(decoding: said, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
    }
    let rate = values["avg_frame_rate"].flatMap { $0.hasPrefix("0/") || $0.hasSuffix("/0") ? nil : $0 }
    return (values["nb_read_packets"].flatMap { Int($0) }, rate)
  }

  /// What ffmpeg said of a film that it read, as a sentence.
  static func sentence(_ messages: String, reading video: String, frames: Int) -> String {
    let place = frames > 0 ? " behind frame \(frames - 1)" : ""
    if messages.contains("matches no streams") || messages.contains("does not contain any stream") {
      return "\(video) holds no video"
    }
    if messages.contains("Permission denied") { return "\(video) can't be read: permission denied" }
    if messages.contains("No space left") { return "there is no space left on the disk" }
    if frames == 0, messages.contains("Invalid data found") || messages.contains("moov atom not found") {
      return "\(video) is damaged, or no video that ffmpeg can read"
    }
    let last =
      messages.split(separator: "\n").last.map { $0.replacing("file:\(video)", with: video) } ?? "it says nothing"
    return "\(video) is damaged\(place), says ffmpeg: \(last)"
  }
}
