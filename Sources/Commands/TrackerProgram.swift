import ChildProcess
import ScanModel
import Tracking

/// What this program is as another child of the server: it decodes and tracks frames, and dies alone if one kills it.
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
