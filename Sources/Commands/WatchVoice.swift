import Foundation
import Support

/// Says what a watch does: a line a photo on standard output, and what keeps it from going on, once, on standard error.
final class WatchVoice: Sendable {
  /// After this time a problem that lasts is said once more.
  private static let reminder = Duration.seconds(600)

  private let said = Locked<[String: ContinuousClock.Instant]>([:])

  /// Prints a line.
  func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Says what is wrong, unless it was said already.
  func complain(_ problem: WatchProblem) {
    let isNews = said.withLock { said in
      if let last = said[problem.sentence], .now - last < Self.reminder { return false }
      said[problem.sentence] = .now
      return true
    }
    if isNews { StandardError.shared.write("serialscan: \(problem.sentence)\n") }
  }

  /// Notes that work goes on, and says how where it did not.
  func recover(_ how: String) {
    let hadStopped = said.withLock { said in
      defer { said = [:] }
      return !said.isEmpty
    }
    if hadStopped { StandardError.shared.write("serialscan: \(how)\n") }
  }
}
