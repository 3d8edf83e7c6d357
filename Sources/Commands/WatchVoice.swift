import Foundation
import Support

/// Prints a watch's output: a line per photo on standard output, and each lasting problem once on standard error.
final class WatchVoice: Sendable {
  /// The time after which a lasting problem is printed again.
  private static let reminder = Duration.seconds(600)

  private let said = Locked<[String: ContinuousClock.Instant]>([:])

  /// Prints a line.
  func say(_ line: String) { StandardOutput.shared.announce(line) }

  /// Prints a problem, unless it was printed already.
  func complain(_ problem: WatchProblem) {
    let isNews = said.withLock { said in
      if let last = said[problem.sentence], .now - last < Self.reminder { return false }
      said[problem.sentence] = .now
      return true
    }
    if isNews { StandardError.shared.write("serialscan: \(problem.sentence)\n") }
  }

  /// Records that work continues; prints how if there was a problem.
  func recover(_ how: String) {
    let hadStopped = said.withLock { said in
      defer { said = [:] }
      return !said.isEmpty
    }
    if hadStopped { StandardError.shared.write("serialscan: \(how)\n") }
  }
}
