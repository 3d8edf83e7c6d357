import ChildProcess
import ScanModel
import SerialReading
import Support

/// The program as a child process of the server that reads one photo at a time. If a photo crashes it, only the child
/// dies.
enum ReaderProgram {
  /// The argument that makes the program a reader.
  static let name = "reader"

  /// Reads photos over standard input and output until the server is gone.
  static func run() -> Never {
    ReaderLoop.run {
      // The server logs what a reader prints while it starts.
      for problem in LibraryHooks.broken { StandardError.shared.write("\(problem)\n") }
      return try SerialReader($0)
    } read: { reader, photo, request, progress in
      try reader.readPhotoOrViews(photo, request, progress: progress)
    }
  }
}
