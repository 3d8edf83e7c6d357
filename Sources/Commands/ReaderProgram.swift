import ChildProcess
import ScanModel
import SerialReading

/// What this program is as a child of the server: it reads one photo at a time, and dies alone if one kills it.
enum ReaderProgram {
  /// The argument that makes the program a reader.
  static let name = "reader"

  /// Reads photos over standard input and output until the server is gone.
  static func run() -> Never {
    ReaderLoop.run {
      try SerialReader($0)
    } read: { reader, photo, request, progress in
      try reader.readPhotoOrViews(photo, request, progress: progress)
    }
  }
}
