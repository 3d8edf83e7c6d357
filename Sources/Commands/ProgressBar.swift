import Foundation
import Support

/// A progress line on standard error; shows nothing if that is not a terminal.
struct ProgressBar {
  private static let width = 30

  /// The total, if known.
  let total: Int?
  /// What is counted, in the plural.
  let unit: String
  private let isShown = isatty(STDERR_FILENO) == 1

  init(total: Int?, unit: String) {
    self.total = total
    self.unit = unit
  }

  /// Replaces the line with this progress.
  func show(_ done: Int) {
    guard isShown else { return }
    StandardError.shared.write("\r\u{1B}[K\(line(done))")
  }

  /// Removes the line.
  func clear() {
    guard isShown else { return }
    StandardError.shared.write("\r\u{1B}[K")
  }

  private func line(_ done: Int) -> String {
    guard let total, total > 0 else { return "\(done) \(unit)" }
    let filled = min(Self.width, max(0, min(done, total) * Self.width / total))
    let bar = String(repeating: "#", count: max(0, filled)) + String(repeating: ".", count: max(0, Self.width - filled))
    return "[\(bar)] \(done) of \(total) \(unit)"
  }
}
