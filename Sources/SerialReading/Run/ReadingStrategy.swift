import Foundation
import ScanModel
import TextReading

/// A way to find a serial in a photo. Strategies run in order of expected gain over cost, until a serial is certain.
protocol ReadingStrategy {
  /// The name shown in results and traces.
  var name: String { get }
  /// A description of the current work, for the user.
  var activity: String { get }
  /// Whether it reads text rather than codes.
  var readsText: Bool { get }
  /// Whether it follows up on what others read, so that it runs even if these found nothing more.
  var followsUp: Bool { get }
  /// Whether it reads text of the other polarity than most. It runs in a photo with both, however well most was read.
  var readsOtherPolarity: Bool { get }
  /// Whether what it reads may be another device's. It runs where every serial is wanted, even after one was read with
  /// certainty.
  var mayReadOtherDevices: Bool { get }
  /// Searches the photo for serials.
  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome
}

extension ReadingStrategy {
  var readsText: Bool { true }
  var followsUp: Bool { false }
  var readsOtherPolarity: Bool { false }
  var mayReadOtherDevices: Bool { false }
}

/// The photo that is read, and what it is read with.
struct ReadingContext {
  /// The photo, decoded as far as needed.
  let photo: Photo
  /// This thread's initialised recogniser.
  let engine: TextEngine
  /// The parameters of the preset whose strategy runs.
  var parameters: PresetParameters
  /// Called with every line that is read.
  let observer: LineObserver?
  /// The time used so far and the budget.
  let timer: ReadingTimer

  /// The text read so far by all strategies.
  var textSeen: TextSeen { photo.textSeen }
  /// Whether every serial is wanted instead of only the device's own.
  var wantsEverySerial: Bool { photo.wantsEverySerial }
  /// Whether the budget allows further work.
  var hasTime: Bool { timer.hasTime }
}

struct StrategyOutcome {
  /// The serials found, most probable first.
  var candidates: [Candidate] = []
  /// A summary for the trace, such as `7 lines, 3 read`.
  var summary: String
  /// Whether the photo was read well without finding a serial, or has no text at all, so that further text strategies
  /// would only cost time.
  var exhaustsText = false
  /// Sentences for the result's notes, for the user.
  var notes: [String] = []
}

/// Measures wall time and the thread's CPU time since a read began, and checks its budget.
///
/// The budget is CPU time, so that the result does not depend on the load of the machine. If the thread hardly runs,
/// the server's deadline ends the read with a timeout error instead of a result.
package struct ReadingTimer: Sendable {
  /// The CPU time in seconds after which no further work starts.
  let budget: Double
  private let start = ContinuousClock.now
  private let cpuStart = Self.threadSeconds()

  /// Starts a timer. Only the calling thread may use it.
  package init(budget: Double) { self.budget = budget }

  /// Wall time since the start, in seconds.
  var wallSeconds: Double { (ContinuousClock.now - start) / .seconds(1) }
  /// CPU time of the thread since the start, in seconds.
  var cpuSeconds: Double { Self.threadSeconds() - cpuStart }

  /// Whether the budget allows further work.
  package var hasTime: Bool { cpuSeconds < budget }

  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
