import ChildProcess
import Foundation
import ScanModel
import Support

/// The frames of a video, one after another: the pictures of a folder, or a file decoded by ffmpeg.
final class VideoFrames {
  /// The reasons for which frames can't be read.
  enum Problem: Error, CustomStringConvertible {
    case notFound(String)
    case notRegular(String)
    case noFrames(String)
    case noFFmpeg(String)
    case unreadable(String)
    /// A signal stopped ffmpeg together with this program.
    case interrupted

    var description: String {
      switch self {
      case .notFound(let path): "\(path) does not exist"
      case .notRegular(let path): "\(path) is a pipe or a device; give a file or a folder of frames"
      case .noFrames(let path): "\(path) has no frames"
      case .noFFmpeg(let path):
        "\(path) is not a folder of frames, and ffmpeg, which decodes videos, is not installed"
      case .unreadable(let sentence): sentence
      case .interrupted: "ffmpeg was stopped"
      }
    }
  }

  private static let extensions: Set = ["jpg", "jpeg", "png", "webp", "tiff", "heic"]
  /// The maximum size of a frame's file in bytes.
  private static let largestFrame = 1 << 28

  /// The number of frames, if known in advance.
  let count: Int?
  /// The average frames per second; nil if unknown.
  let rate: String?
  /// The files that are read: the video, or the folder and its frames.
  let files: [String]
  /// ffmpeg's complaint about a video that it nevertheless decoded; known after the last frame.
  var complaint: String? { stream?.complaint }
  private var paths: ArraySlice<String> = []
  private let stream: MotionJPEG?

  /// Opens a folder or a video.
  init(path: String) throws(Problem) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      guard let reason = FileRefusal(hiding: path)?.systemText else { throw .notFound(path) }
      throw .unreadable("\(path) can't be read: \(reason)")
    }
    guard isFolder.boolValue else {
      // ffmpeg would wait for the other end of a pipe.
      guard RegularFile.exists(at: path) else { throw .notRegular(path) }
      guard let ffmpeg = FFmpeg.path(of: "ffmpeg") else { throw .noFFmpeg(path) }
      (count, rate) = FFmpeg.probe(path)
      files = [path]
      stream = try MotionJPEG(ffmpeg: ffmpeg, video: path)
      return
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw .unreadable("\(path) can't be read: \(FileRefusal.reason(of: error))")
    }
    let frames = names.filter {
      Self.extensions.contains(URL(fileURLWithPath: $0).pathExtension.lowercased()) && !$0.hasPrefix(".")
    }
    guard !frames.isEmpty else { throw .noFrames(path) }
    paths = frames.sorted().map { "\(path)/\($0)" }[...]
    files = [path] + paths
    (count, rate) = (frames.count, nil)
    stream = nil
  }

  /// Returns the next frame's file; nil after the last.
  func next() throws(Problem) -> [UInt8]? {
    if let stream { return try stream.next() }
    guard let path = paths.popFirst() else { return nil }
    do throws(ReadFailure) {
      return try PhotoFile(path: path).read(limit: Self.largestFrame)
    } catch {
      throw .unreadable("\(path) can't be read")
    }
  }
}

/// The output of ffmpeg: consecutive JPEGs, each frame of the file once, however long it is shown.
private final class MotionJPEG {
  private static let startMark: [UInt8] = [0xFF, 0xD8, 0xFF]
  private static let boundary = Data([0xFF, 0xD9] + startMark)

  private let ffmpeg: String
  private let video: String
  private var run: FFmpeg
  /// The option that passes frames through unchanged. ffmpeg before 5.1 knows only the older name; newer versions may
  /// have dropped it.
  private var olderName: String? = "-vsync"
  private var bytes = Data()
  private var frames = 0
  private(set) var complaint: String?

  init(ffmpeg: String, video: String) throws(VideoFrames.Problem) {
    self.ffmpeg = ffmpeg
    self.video = video
    run = try Self.start(ffmpeg, video, "-fps_mode")
  }

  private static func start(_ ffmpeg: String, _ video: String, _ option: String) throws(VideoFrames.Problem) -> FFmpeg {
    // The `file:` prefix restricts ffmpeg to local files, whatever the name looks like. The frames are retimed to one a
    // second: the encoder refuses a frame that rounds to the same time as the one before, as in films of varying rate.
    try FFmpeg(
      ffmpeg,
      [
        "-nostdin", "-protocol_whitelist", "file", "-i", "file:\(video)", "-map", "0:v:0", option, "passthrough", "-vf",
        "setpts=N/TB", "-f", "image2pipe", "-c:v", "mjpeg", "-q:v", "3", "-",
      ], writes: false)
  }

  func next() throws(VideoFrames.Problem) -> [UInt8]? {
    var searched = bytes.startIndex
    while true {
      // ffmpeg's JPEGs contain no other JPEGs, so an end marker before a start marker lies between two of them.
      if let end = bytes[searched...].range(of: Self.boundary) {
        let behind = bytes.index(end.lowerBound, offsetBy: 2)
        defer { bytes = Data(bytes[behind...]) }
        return frame(bytes[..<behind])
      }
      searched = max(bytes.startIndex, bytes.endIndex - Self.boundary.count)
      guard let more = run.read() else { return try last() }
      bytes.append(more)
    }
  }

  private func frame(_ file: Data) -> [UInt8] {
    frames += 1
    return Array(file)
  }

  private func last() throws(VideoFrames.Problem) -> [UInt8]? {
    defer { bytes = Data() }
    if !bytes.isEmpty { return frame(bytes) }
    let end = run.end()
    if end.wasStopped { throw .interrupted }
    if frames == 0, end.messages.contains("fps_mode"), let olderName {
      self.olderName = nil
      run = try Self.start(ffmpeg, video, olderName)
      return try next()
    }
    if frames == 0 || !end.isGood {
      if end.isGood { throw .noFrames(video) }
      throw .unreadable(FFmpeg.sentence(end.messages, reading: video, frames: frames))
    }
    if !end.messages.isEmpty { complaint = FFmpeg.sentence(end.messages, reading: video, frames: frames) }
    return nil
  }
}
