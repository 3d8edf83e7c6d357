import Foundation
import ReaderProcess
import ReaderProtocol
import RegularFile

/// The frames of a video: pictures of a folder, or what ffmpeg makes of a file, one after another.
final class VideoFrames {
  /// Why there are no frames.
  enum Problem: Error, CustomStringConvertible {
    case notFound(String)
    case notRegular(String)
    case noFrames(String)
    case noFFmpeg(String)
    case unreadable(String)

    var description: String {
      switch self {
      case .notFound(let path): "\(path) does not exist"
      case .notRegular(let path): "\(path) is a pipe or a device; give a file or a folder of frames"
      case .noFrames(let path): "\(path) has no frames"
      case .noFFmpeg(let path):
        "\(path) is no folder of frames, and ffmpeg, which could take it apart, is not installed"
      case .unreadable(let sentence): sentence
      }
    }
  }

  private static let extensions: Set = ["jpg", "jpeg", "png", "webp", "tiff", "heic"]
  /// The largest file of a frame.
  private static let largestFrame = 1 << 28

  /// How many frames there are, where that is known beforehand.
  let count: Int?
  private var paths: ArraySlice<String> = []
  private let stream: MotionJPEG?

  /// Opens a folder or a video.
  init(path: String) throws(Problem) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw .notFound(path) }
    guard isFolder.boolValue else {
      // ffmpeg would wait for the other end of a pipe.
      guard RegularFile.exists(at: path) else { throw .notRegular(path) }
      guard let ffmpeg = Self.ffmpeg else { throw .noFFmpeg(path) }
      stream = try MotionJPEG(ffmpeg: ffmpeg, video: path)
      count = nil
      return
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let frames = names.filter {
      Self.extensions.contains(URL(fileURLWithPath: $0).pathExtension.lowercased()) && !$0.hasPrefix(".")
    }
    guard !frames.isEmpty else { throw .noFrames(path) }
    paths = frames.sorted().map { "\(path)/\($0)" }[...]
    count = frames.count
    stream = nil
  }

  /// The next frame's file; nil behind the last.
  func next() throws(Problem) -> [UInt8]? {
    if let stream { return try stream.next() }
    guard let path = paths.popFirst() else { return nil }
    do throws(ReadFailure) {
      return try PhotoFile(path: path).read(limit: Self.largestFrame)
    } catch {
      throw .unreadable("\(path) can't be read")
    }
  }

  private static var ffmpeg: String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/ffmpeg" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

/// A video as ffmpeg writes it: one JPEG behind another.
private final class MotionJPEG {
  private static let startMark: [UInt8] = [0xFF, 0xD8, 0xFF]
  private static let boundary = Data([0xFF, 0xD9] + startMark)

  private let process = Process()
  private let output: FileHandle
  private let video: String
  private var bytes = Data()
  private var hasGivenFrames = false

  init(ffmpeg: String, video: String) throws(VideoFrames.Problem) {
    let pipe = Pipe()
    output = pipe.fileHandleForReading
    self.video = video
    process.executableURL = URL(fileURLWithPath: ffmpeg)
    // A file of this machine and nothing else, whatever the name looks like.
    process.arguments = [
      "-loglevel", "error", "-nostdin", "-protocol_whitelist", "file", "-i", "file:\(video)", "-f", "image2pipe",
      "-c:v", "mjpeg", "-q:v", "3", "-",
    ]
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw .unreadable("ffmpeg can't be started: \(error.localizedDescription)")
    }
  }

  deinit { if process.isRunning { process.terminate() } }

  func next() throws(VideoFrames.Problem) -> [UInt8]? {
    var searched = bytes.startIndex
    while true {
      // ffmpeg's JPEGs hold no others, so that an end before a beginning lies between two of them.
      if let end = bytes[searched...].range(of: Self.boundary) {
        let behind = bytes.index(end.lowerBound, offsetBy: 2)
        defer { bytes = Data(bytes[behind...]) }
        return frame(bytes[..<behind])
      }
      searched = max(bytes.startIndex, bytes.endIndex - Self.boundary.count)
      guard let more = try? output.read(upToCount: 1 << 16), !more.isEmpty else { return try last() }
      bytes.append(more)
    }
  }

  private func frame(_ file: Data) -> [UInt8] {
    hasGivenFrames = true
    return Array(file)
  }

  private func last() throws(VideoFrames.Problem) -> [UInt8]? {
    defer { bytes = Data() }
    if !bytes.isEmpty { return frame(bytes) }
    guard hasGivenFrames else { throw .noFrames(video) }
    return nil
  }
}
