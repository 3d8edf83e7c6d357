import Foundation

/// A film that is written frame by frame, by ffmpeg.
final class DrawnVideo {
  private let path: String
  private let run: FFmpeg

  /// Begins the film; one of that name is replaced.
  ///
  /// - Parameter rate: Frames a second, as ffmpeg writes it ("30000/1001"). Each frame is shown equally long.
  init(path: String, rate: String) throws(VideoFrames.Problem) {
    guard let ffmpeg = FFmpeg.path(of: "ffmpeg") else {
      throw .unreadable("\(path) can't be written: ffmpeg, which would write it, is not installed")
    }
    self.path = path
    run = try FFmpeg(
      ffmpeg,
      [
        "-y", "-f", "image2pipe", "-c:v", "mjpeg", "-framerate", rate, "-i", "-",
        // Most players want even sides and colours at half the size.
        "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "file:\(path)",
      ], writes: true)
  }

  /// Adds a frame's JPEG.
  func add(_ frame: [UInt8]) throws(VideoFrames.Problem) {
    if !run.write(frame) { try finish() }
  }

  /// Ends the film, so that it can be played as far as it goes.
  func finish() throws(VideoFrames.Problem) {
    let end = run.end()
    if end.wasStopped { throw .interrupted }
    guard !end.isGood else { return }
    let last = end.messages.split(separator: "\n").last.map(String.init) ?? "ffmpeg says nothing"
    throw .unreadable("\(path) can't be written: \(last.replacing("file:\(path): ", with: ""))")
  }
}
