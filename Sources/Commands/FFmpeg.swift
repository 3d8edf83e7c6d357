import Foundation
import Support

/// A running ffmpeg that either decodes a video to frames or encodes frames to a video.
final class FFmpeg {
  /// The result of a finished ffmpeg.
  struct End {
    var isGood: Bool
    /// Whether a signal stopped it; it then still finishes the file that it writes.
    var wasStopped: Bool
    /// Its messages, a few thousand characters at most.
    var messages: String
  }

  /// The exit status after a signal.
  private static let stopped: Int32 = 255
  private static let longestMessage = 4_000

  private let process = Process()
  private let pipe = Pipe()
  /// A file, because ffmpeg would block on a full pipe.
  private let messages: FileHandle?
  private let messagesPath: String

  /// Starts ffmpeg.
  ///
  /// - Parameters:
  ///   - arguments: The arguments, without those that control messages.
  ///   - writes: Whether this program writes to ffmpeg instead of reading from it.
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
      throw .unreadable("ffmpeg can't be started: \(FileRefusal.reason(of: error))")
    }
  }

  deinit {
    if process.isRunning { process.terminate() }
    try? FileManager.default.removeItem(atPath: messagesPath)
  }

  /// Reads the next output; nil at the end.
  func read() -> Data? {
    guard let more = try? pipe.fileHandleForReading.read(upToCount: 1 << 16), !more.isEmpty else { return nil }
    return more
  }

  /// Writes bytes to ffmpeg; false if it accepts no more.
  func write(_ bytes: [UInt8]) -> Bool { (try? pipe.fileHandleForWriting.write(contentsOf: Data(bytes))) != nil }

  /// Closes ffmpeg's input and waits until it exits.
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

  /// Returns the path of an installed ffmpeg program; nil if it is not installed.
  static func path(of program: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Returns a video's number of frames and frames per second; nil for a value that is unknown.
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

  /// Returns ffmpeg's message about a video that it decoded, as a sentence.
  static func sentence(_ messages: String, reading video: String, frames: Int) -> String {
    if messages.contains("matches no streams") || messages.contains("does not contain any stream") {
      return "\(video) holds no video"
    }
    if messages.contains("Permission denied") { return "\(video) can't be read: permission denied" }
    if messages.contains("No space left") { return "there is no space left on the disk" }
    if frames == 0, messages.contains("Invalid data found") || messages.contains("moov atom not found") {
      return "\(video) is damaged, or no video that ffmpeg can read"
    }
    if frames > 0 {
      // The messages of many decoders about their data: none says more than this.
      let isCut = ["partial file", "ended prematurely", "Truncat"].contains(where: messages.contains)
      return isCut
        ? "\(video) is cut off after frame \(frames - 1)"
        : "\(video) is damaged: parts of its \(frames) frames may be wrong or missing"
    }
    let last =
      messages.split(separator: "\n").last.map { $0.replacing("file:\(video)", with: video) } ?? "no message"
    return "\(video) can't be decoded, ffmpeg reports: \(last)"
  }
}
