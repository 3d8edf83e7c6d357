import Foundation
import Support

/// A line on standard error that tells how far a command has come; nothing where that is no terminal.
struct ProgressBar {
  private static let width = 30

  /// How much there is to do, where that is known.
  let total: Int?
  /// What is counted, in the plural.
  let unit: String
  private let isShown = isatty(STDERR_FILENO) == 1

  init(total: Int?, unit: String) {
    self.total = total
    self.unit = unit
  }

  /// Shows that so much is done, in place of what was shown before.
  func show(_ done: Int) {
    guard isShown else { return }
    StandardError.shared.write("\r\u{1B}[K\(line(done))")
  }

  /// Takes the line away.
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
