import ArgumentParser
import Foundation
import FrameTracking
import Imaging
import Locking
import Settings
import StandardStreams
import TrackingProtocol
import TrackingSessions

/// `serialscan track VIDEO`: follows objects through a video without a server.
struct TrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track", abstract: "Follow objects through a video, without a server.",
    discussion: """
      Prints a JSON object a frame. Frames come from a folder of pictures in the order of their names, or from a video \
      through ffmpeg where that is installed. Ends with status 130 where it is interrupted; what was printed and written \
      until then is whole.

      Examples:
        serialscan track frames/ --box 120,80,400,240 > boxes.jsonl
        serialscan track film.mp4 --point 640,360 --overlay drawn --opacity 40
        serialscan track frames/ --box 120,80,400,240 --serials | tail -1
      """)

  @Argument(help: "A folder of frames, or a video.")
  var video: String

  @Option(name: .customLong("box"), help: "An object in the first frame as x0,y0,x1,y1; up to five times.")
  var boxes: [NumberList] = []

  @Option(name: .customLong("point"), help: "A point x,y on an object, whose box is proposed.")
  var points: [NumberList] = []

  @Option(help: "The longer side in pixels at which frames are tracked, 160...1920.")
  var side = 640

  @Option(help: "Write every frame with the objects drawn in to this folder, as JPEG.")
  var overlay: String?

  @Option(help: "How much the overlay covers, 0...80 percent.")
  var opacity = 40

  @Option(help: "Write the mask of every object in sight to this folder, as FRAME-OBJECT.png, both numbers from 0.")
  var masks: String?

  @Flag(help: "Read the objects' serials. Behind the frames comes a JSON object with them and with every read.")
  var serials = false

  @Option(help: "Frames from one read to the next, 1...1000; a server reads one in six of 15 frames a second.")
  var readEvery = 6

  @Option(help: "Write the views that are read to this folder, as OBJECT-FRAMES.png.")
  var views: String?

  @OptionGroup var overrides: SettingOverrides

  func validate() throws {
    guard (1...5).contains(boxes.count + points.count) else {
      throw ValidationError("name one to five objects with --box or --point")
    }
    guard boxes.allSatisfy({ $0.values.count == 4 }), points.allSatisfy({ $0.values.count == 2 }) else {
      throw ValidationError("--box wants x0,y0,x1,y1 and --point x,y")
    }
    guard (0...80).contains(opacity) else { throw ValidationError("--opacity wants 0 to 80") }
    guard (160...1920).contains(side) else { throw ValidationError("--side wants 160 to 1920") }
    guard (1...1000).contains(readEvery) else { throw ValidationError("--read-every wants 1 to 1000") }
  }

  func run() throws {
    let settings = try overrides.load()
    let frames = try openFrames()
    let isInterrupted = Locked(false)
    let signals = StopSignals { _ in isInterrupted.withLock { $0 = true } }
    defer { signals.cancel() }
    let bar = ProgressBar(total: frames.count, unit: "frames")
    defer { bar.clear() }
    var keeper = SceneKeeper()
    let options = FrameOptions(
      side: side, masks: masks != nil, pixelLimit: settings.upload.maxPixels, sharpness: serials)
    var read =
      serials
      ? try TrackedSerials(
        settings, objectCount: boxes.count + points.count, interval: readEvery, folder: views) : nil
    var index = 0
    while !isInterrupted.withLock({ $0 }), let picture = try next(of: frames) {
      do {
        let tracked = try follow(picture, index, options, &keeper)
        let report = tracked.report
        read?.note(report, picture: picture, index: index)
        print(try TrackLine(frame: index, report, serials: read?.serials).json())
        fflush(nil)
        if let overlay { try draw(report, picture, to: "\(overlay)/\(Self.name(of: index)).jpg", options) }
        if let masks { try write(tracked, to: "\(masks)/\(Self.name(of: index))") }
      } catch let failure as TrackingFailure {
        throw CleanExit.stop("frame \(index): \(failure.detail)")
      }
      index += 1
      bar.show(index)
    }
    if isInterrupted.withLock({ $0 }) { throw ExitCode(130) }
    if let summary = try read?.finish() { print(summary) }
  }

  private func openFrames() throws -> VideoFrames {
    do {
      for folder in [overlay, masks, views].compactMap({ $0 }) {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      return try VideoFrames(path: video)
    } catch let problem as VideoFrames.Problem {
      throw CleanExit.stop(problem.description)
    } catch {
      throw CleanExit.stop(error.localizedDescription)
    }
  }

  private func next(of frames: VideoFrames) throws -> [UInt8]? {
    do {
      return try frames.next()
    } catch {
      throw CleanExit.stop(error.description)
    }
  }

  private func follow(
    _ picture: [UInt8], _ index: Int, _ options: FrameOptions, _ keeper: inout SceneKeeper
  ) throws(TrackingFailure) -> TrackedFrame {
    guard index == 0 else {
      let next = NextFrame(session: 1, objectCount: boxes.count + points.count, options: options)
      return try keeper.track(next, picture: picture)
    }
    let first = FirstFrame(session: 1, boxes: boxes.map(\.values), points: points.map(\.values), options: options)
    return try keeper.begin(first, picture: picture)
  }

  private func draw(_ report: FrameReport, _ picture: [UInt8], to path: String, _ options: FrameOptions) throws {
    do {
      let frame = try EncodedPicture(picture).colors(
        pixelLimit: options.pixelLimit, atLeast: max(report.width, report.height))
      let drawn = FrameOverlay(opacity: Double(opacity) / 100).draw(report, into: frame)
      guard let file = drawn.jpeg(quality: 88) else { throw CleanExit.stop("there is no memory to draw \(path)") }
      try Data(file).write(to: URL(fileURLWithPath: path))
    } catch let error as CocoaError {
      throw CleanExit.stop("\(path) can't be written: \(error.localizedDescription)")
    }
  }

  /// Writes the masks of a frame, white where an object is.
  private func write(_ tracked: TrackedFrame, to prefix: String) throws {
    let (width, height) = (tracked.report.width, tracked.report.height)
    var rest = tracked.masks[...]
    for (index, object) in tracked.report.objects.enumerated() where object != nil {
      let pixels = rest.prefix(width * height).map { $0 == 1 ? UInt8.max : 0 }
      let mask = GrayPicture(width: width, height: height, pixels: pixels)
      rest = rest.dropFirst(width * height)
      guard let file = mask.png() else { throw CleanExit.stop("there is no memory to write \(prefix)-\(index).png") }
      do {
        try Data(file).write(to: URL(fileURLWithPath: "\(prefix)-\(index).png"))
      } catch {
        throw CleanExit.stop("\(prefix)-\(index).png can't be written: \(error.localizedDescription)")
      }
    }
  }

  private static func name(of index: Int) -> String {
    let digits = String(index)
    return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
  }
}

/// What is printed of a frame.
private struct TrackLine: Encodable {
  var frame: Int
  var boundingBoxes: [[Double]?]
  var quads: [[[Double]]?]
  var confidences: [Double?]
  var frameShape: [Int]
  var serials: [VotedSerial?]?

  init(frame: Int, _ report: FrameReport, serials: [VotedSerial?]?) {
    self.serials = serials
    self.frame = frame
    boundingBoxes = report.objects.map { $0?.box }
    quads = report.objects.map { $0?.quad }
    confidences = report.objects.map { $0?.confidence }
    frameShape = [report.height, report.width]
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  private enum CodingKeys: String, CodingKey {
    case frame
    case boundingBoxes = "bounding_boxes"
    case quads
    case confidences
    case frameShape = "frame_shape"
    case serials
  }
}

/// Numbers separated by commas.
struct NumberList: ExpressibleByArgument {
  let values: [Double]

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    let numbers = parts.compactMap { $0 }
    guard numbers.count == parts.count, numbers.allSatisfy(\.isFinite) else { return nil }
    values = numbers
  }
}
