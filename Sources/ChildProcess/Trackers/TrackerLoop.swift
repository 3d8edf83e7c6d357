import ChildProcess
import Foundation
import ScanModel

/// The tracker's side: the hidden subcommand of the executable runs it and never returns.
public enum TrackerLoop {
  /// Answers the server until it is gone.
  ///
  /// - Parameter answer: Answers one question, given the frame's file, on the thread that called; nil to a question that
  ///   ends a session. Throws `TrackingFailure` for what is the frame's fault.
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
