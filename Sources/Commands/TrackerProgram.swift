import ChildProcess
import ScanModel
import Tracking

/// The program as a child process of the server that decodes and tracks frames. If a frame crashes it, only the child
/// dies.
enum TrackerProgram {
  /// The argument that makes the program a tracker.
  static let name = "tracker"

  /// Tracks frames over standard input and output until the server is gone.
  static func run() -> Never {
    var keeper = SceneKeeper()
    TrackerLoop.run { question, picture throws(TrackingFailure) in
      try keeper.answer(question, picture: picture)
    }
  }
}
