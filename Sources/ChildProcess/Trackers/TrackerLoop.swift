import Foundation
import ScanModel

/// The tracker's side of the dialogue. A hidden subcommand of the executable runs it.
public enum TrackerLoop {
  /// Answers the server's questions until the server is gone. Never returns.
  ///
  /// - Parameter answer: Answers one question given the frame's file, on the calling thread; nil for a question that
  ///   ends a session. Throws `TrackingFailure` if the frame is the cause.
  public static func run(
    answer: (TrackerQuestion, _ picture: [UInt8]) throws(TrackingFailure) -> TrackedFrame?
  ) -> Never {
    ChildLoop<TrackerDialogue>.run { _ in
    } answer: { _, question, picture, _ in
      do throws(TrackingFailure) {
        guard let tracked = try answer(question, picture) else { return (.ended, []) }
        return (.report(tracked.report), tracked.masks)
      } catch {
        return (.failure(error), [])
      }
    }
  }
}
