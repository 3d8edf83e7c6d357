import Foundation
import Reports
import StandardStreams

/// Hands out pictures to threads, gathers their rows and draws the progress bar.
final class EvaluationRun: @unchecked Sendable {
  private let condition = NSCondition()
  private var rows: [Evaluation.Row?]
  private var begun = 0
  private var done = 0
  private var threads = 0

  init(count: Int) { rows = Array(repeating: nil, count: count) }

  func enter(_ count: Int) { condition.withLock { threads += count } }

  func leave() {
    condition.withLock {
      threads -= 1
      condition.broadcast()
    }
  }

  func next() -> Int? {
    condition.withLock {
      guard begun < rows.count else { return nil }
      begun += 1
      return begun - 1
    }
  }

  func store(_ row: Evaluation.Row, at index: Int) {
    condition.withLock {
      rows[index] = row
      done += 1
      draw()
    }
  }

  func wait() -> [Evaluation.Row] {
    condition.withLock {
      while threads > 0 { condition.wait() }
      return rows.compactMap { $0 }
    }
  }

  private func draw() {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let filled = rows.isEmpty ? 40 : min(40, done * 40 / rows.count)
    let bar = String(repeating: "#", count: max(0, filled)) + String(repeating: ".", count: max(0, 40 - filled))
    let end = done == rows.count ? "\n" : ""
    StandardError.shared.write("\r[\(bar)] \(done) of \(rows.count)\(end)")
  }
}
