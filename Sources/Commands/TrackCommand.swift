import ArgumentParser
import Foundation
import Imaging
import ScanModel
import Settings
import Support
import Tracking
import TrackingSessions

/// `serialscan track VIDEO`: tracks objects through a video without a server.
struct TrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track", abstract: "Track objects through a video, without a server.",
    discussion: """
      Prints one JSON object per frame. Frames come from a folder of pictures, in the order of their names, or from a \
      video if ffmpeg is installed; each frame of a video counts once, however long it is shown. If interrupted, it exits \
      with status 130, and everything printed and written until then is complete.

      Examples:
        serialscan track frames/ --box 120,80,400,240 > boxes.jsonl
        serialscan track film.mp4 --point 640,360 --overlay drawn --opacity 40
        serialscan track film.mp4 --box 120,80,400,240 --output drawn.mp4
        serialscan track frames/ --box 120,80,400,240 --serials | tail -1
      """)

  @Argument(help: "A folder of frames, or a video.", transform: notEmpty)
  var video: String

  @Option(name: .customLong("box"), help: "An object in the first frame as x0,y0,x1,y1; up to five times.")
  var boxes: [NumberList] = []

  @Option(name: .customLong("point"), help: "A point x,y on an object, whose box is proposed.")
  var points: [NumberList] = []

  @Option(help: "The longer side in pixels at which frames are tracked, 160...1920.")
  var side = 640

  @Option(help: "Write every frame with the objects drawn in as JPEG to this folder.", transform: notEmpty)
  var overlay: String?

  @Option(
    help:
      "Write a video with the objects drawn in (needs ffmpeg), at the video's mean frame rate, or 30 fps for a folder.",
    completion: .file(extensions: ["mp4"]), transform: notEmpty)
  var output: String?

  @Option(help: "Opacity of the overlay in percent, 0...80.")
  var opacity = 40

  @Option(
    help: "Write the mask of every visible object to this folder as FRAME-OBJECT.png, both counted from 0.",
    transform: notEmpty)
  var masks: String?

  @Flag(help: "Read the objects' serials. After the frames, a JSON object lists them with every read.")
  var serials = false

  @Option(help: "Read every Nth frame, 1...1000. A server reads every sixth of 15 frames per second.")
  var readEvery = 6

  @Option(help: "Write the views that are read to this folder as OBJECT-FRAMES.png.", transform: notEmpty)
  var views: String?

  @OptionGroup var overrides: SettingOverrides

  func validate() throws {
    guard (1...5).contains(boxes.count + points.count) else {
      throw ValidationError("name one to five objects with --box or --point")
    }
    guard boxes.allSatisfy({ $0.values.count == 4 }), points.allSatisfy({ $0.values.count == 2 }) else {
      throw ValidationError("--box must be x0,y0,x1,y1, and --point must be x,y")
    }
    guard output?.lowercased().hasSuffix(".mp4") ?? true else {
      throw ValidationError("--output must end in .mp4")
    }
    guard (0...80).contains(opacity) else { throw ValidationError("--opacity must be between 0 and 80") }
    guard (160...1920).contains(side) else { throw ValidationError("--side must be between 160 and 1920") }
    guard (1...1000).contains(readEvery) else { throw ValidationError("--read-every must be between 1 and 1000") }
  }

  func run() throws {
    let settings = try overrides.load()
    let isInterrupted = Locked(false)
    let signals = StopSignals(hangups: true) { _ in isInterrupted.withLock { $0 = true } }
    defer { signals.cancel() }
    let frames = try openFrames()
    let drawnVideo = try output.map { path in
      try orStop { () throws(VideoFrames.Problem) in try DrawnVideo(path: path, rate: frames.rate ?? "30") }
    }
    let bar = ProgressBar(total: frames.count, unit: "frames")
    defer { bar.clear() }
    var keeper = SceneKeeper()
    let isDrawn = overlay != nil || output != nil
    let options = FrameOptions(
      side: side, masks: masks != nil || isDrawn, limits: settings.upload.pictures, sharpness: serials)
    var read =
      serials
      ? try TrackedSerials(
        settings, objectCount: boxes.count + points.count, interval: readEvery, folder: views) : nil
    var index = 0
    while !isInterrupted.withLock({ $0 }),
      let picture = try next(of: frames, isInterrupted)
    {
      do {
        let tracked = try follow(picture, index, options, &keeper)
        let report = tracked.report
        read?.note(report, picture: picture, index: index)
        try StandardOutput.shared.print(try TrackLine(frame: index, report, serials: read?.serials).json())
        if isDrawn {
          let drawn = try draw(tracked, picture, options)
          if let overlay { try OutputFile.write(drawn, to: "\(overlay)/\(Self.name(of: index)).jpg") }
          try orStop { () throws(VideoFrames.Problem) in try drawnVideo?.add(drawn) }
        }
        if let masks { try write(tracked, to: "\(masks)/\(Self.name(of: index))") }
      } catch let problem as StandardOutput.Problem {
        // The frames so far can be played.
        try orStop { () throws(VideoFrames.Problem) in try drawnVideo?.finish() }
        throw problem
      } catch let failure as TrackingFailure {
        throw CleanExit.failure("frame \(index): \(failure.detail)")
      }
      index += 1
      bar.show(index)
    }
    bar.clear()
    try orStop { () throws(VideoFrames.Problem) in try drawnVideo?.finish() }
    if isInterrupted.withLock({ $0 }) { throw ExitCode(130) }
    if let complaint = frames.complaint { StandardError.shared.write("serialscan: \(complaint)\n") }
    if let summary = try read?.finish() { try StandardOutput.shared.print(summary) }
  }

  /// Returns the next frame; nil after the last one, and if ffmpeg was interrupted together with this program.
  private func next(of frames: VideoFrames, _ isInterrupted: Locked<Bool>) throws -> [UInt8]? {
    do throws(VideoFrames.Problem) {
      return try frames.next()
    } catch .interrupted {
      isInterrupted.withLock { $0 = true }
      return nil
    } catch {
      throw CleanExit.failure(error.description)
    }
  }

  /// Returns the result of `body`, or ends the program with the problem's message; with status 130 if ffmpeg was
  /// interrupted too.
  private func orStop<Value>(_ body: () throws(VideoFrames.Problem) -> Value) throws -> Value {
    do {
      return try body()
    } catch .interrupted {
      throw ExitCode(130)
    } catch {
      throw CleanExit.failure(error.description)
    }
  }

  private func openFrames() throws -> VideoFrames {
    do {
      let frames = try VideoFrames(path: video)
      try spare(InputFiles(frames.files))
      try OutputFile.check(output)
      for folder in [overlay, masks, views].compactMap(\.self) { try OutputFile.makeFolder(folder) }
      return frames
    } catch let problem as VideoFrames.Problem {
      throw CleanExit.failure(problem.description)
    }
  }

  /// Ends the program with a usage error if an output would replace the video or a frame, or would be a frame the next
  /// time.
  private func spare(_ inputs: InputFiles) throws {
    try inputs.protect(from: output, of: "--output")
    for (folder, option) in [(overlay, "--overlay"), (masks, "--masks"), (views, "--views")] {
      // The pictures that this command writes have names of numbers only.
      try inputs.protect(fromFilesIn: folder, of: option) { $0.contains(#/^[0-9-]+\.(jpg|png)$/#) }
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

  /// Returns a frame with the objects drawn in, as JPEG.
  private func draw(_ tracked: TrackedFrame, _ picture: [UInt8], _ options: FrameOptions) throws -> [UInt8] {
    let frame: ColorPicture
    do throws(PictureError) {
      frame = try EncodedPicture(picture).colors(
        pixelLimit: options.limits.maxPixels, atLeast: max(tracked.report.width, tracked.report.height))
    } catch {
      throw CleanExit.failure("a tracked frame can't be drawn: \(error)")
    }
    let drawn = FrameOverlay(opacity: Double(opacity) / 100).draw(tracked, into: frame)
    guard let file = drawn.jpeg(quality: 88) else { throw CleanExit.failure("not enough memory to draw a frame") }
    return file
  }

  /// Writes the masks of a frame, with objects in white.
  private func write(_ tracked: TrackedFrame, to prefix: String) throws {
    let (width, height) = (tracked.report.width, tracked.report.height)
    var rest = tracked.masks[...]
    for (index, object) in tracked.report.objects.enumerated() where object != nil {
      let pixels = rest.prefix(width * height).map { $0 == 1 ? UInt8.max : 0 }
      let mask = GrayPicture(width: width, height: height, pixels: pixels)
      rest = rest.dropFirst(width * height)
      guard let file = mask.png() else { throw CleanExit.failure("not enough memory to write \(prefix)-\(index).png") }
      try OutputFile.write(file, to: "\(prefix)-\(index).png")
    }
  }

  private static func name(of index: Int) -> String {
    let digits = String(index)
    return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
  }
}

/// The output for a frame.
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

/// A list of numbers separated by commas.
struct NumberList: ExpressibleByArgument {
  let values: [Double]

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    let numbers = parts.compactMap { $0 }
    guard numbers.count == parts.count, numbers.allSatisfy(\.isFinite) else { return nil }
    values = numbers
  }
}
