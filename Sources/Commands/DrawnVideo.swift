import Foundation

/// A video written frame by frame with ffmpeg.
final class DrawnVideo {
  private let path: String
  private let run: FFmpeg

  /// Starts writing the video; replaces an existing file.
  ///
  /// - Parameter rate: Frames per second, as ffmpeg writes it ("30000/1001"). All frames are shown equally long.
  init(path: String, rate: String) throws(VideoFrames.Problem) {
    guard let ffmpeg = FFmpeg.path(of: "ffmpeg") else {
      throw .unreadable("\(path) can't be written: ffmpeg, which would write it, is not installed")
    }
    self.path = path
    run = try FFmpeg(
      ffmpeg,
      [
        "-y", "-f", "image2pipe", "-c:v", "mjpeg", "-framerate", rate, "-i", "-",
        // Most players require even dimensions and 4:2:0 chroma subsampling.
        "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "file:\(path)",
      ], writes: true)
  }

  /// Adds a frame as JPEG.
  func add(_ frame: [UInt8]) throws(VideoFrames.Problem) {
    if !run.write(frame) { try finish() }
  }

  /// Finishes the file, so that the frames written so far can be played.
  func finish() throws(VideoFrames.Problem) {
    let end = run.end()
    if end.wasStopped { throw .interrupted }
    guard !end.isGood else { return }
    let last = end.messages.split(separator: "\n").last.map(String.init) ?? "ffmpeg gave no reason"
    throw .unreadable("\(path) can't be written: \(last.replacing("file:\(path): ", with: ""))")
  }
}
