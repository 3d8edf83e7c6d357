import Foundation
import ScanModel
import Support

/// The table that `scan` prints: one row per picture, coloured on a terminal unless `NO_COLOR` is set.
struct ScanTable {
  /// Whether rows are coloured.
  var isColoured: Bool

  /// Enables colours if standard output is a terminal and `NO_COLOR` is not set (https://no-color.org).
  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    isColoured = isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
  }

  let header =
    padded("SERIAL", 14) + padded("CONFIDENCE", 12) + padded("VERDICT", Self.verdictWidth) + padded("PRESET", 9)
    + padded("READ BY", 20) + padded("TIME", 9) + "FILE"

  /// Returns the rows of a picture that was read: its serial, or every serial if requested.
  func rows(_ name: String, _ reading: Reading) -> String {
    let told = reading.told
    return told.isEmpty
      ? row(name, reading, nil, .refused)
      : told.map { row(name, reading, $0.read, $0.verdict) }.joined(separator: "\n")
  }

  private func row(_ name: String, _ reading: Reading, _ read: SerialRead?, _ verdict: Reading.Verdict) -> String {
    padded(read?.serial ?? "-", 14) + padded(read.map { Self.displayed($0.confidence) } ?? "-", 12)
      + coloured(reading.flaw?.displayed ?? reading.insteadOfSerial?.displayed ?? verdict.displayed, verdict)
      + padded(reading.preset.rawValue, 9)
      + padded(read?.method ?? "-", 20)
      + padded(String(format: "%.2f s", reading.processingTime), 9) + printable(name)
  }

  /// Returns the row of a picture that could not be read.
  func unreadable(_ name: String) -> String {
    padded("-", 14) + padded("-", 12) + coloured("unreadable", nil) + padded("-", 9) + padded("-", 20) + padded("-", 9)
      + printable(name)
  }

  /// The width of the column of verdicts.
  private static let verdictWidth = 14

  /// Formats a confidence with three decimals.
  static func displayed(_ confidence: Double) -> String { String(format: "%.3f", Confidence.displayed(confidence)) }

  private func coloured(_ word: String, _ verdict: Reading.Verdict?) -> String {
    let text = padded(word, Self.verdictWidth)
    guard isColoured else { return text }
    let colour =
      switch verdict {
      case .accepted: 32
      case .uncertain: 33
      case .refused, nil: 31
      }
    return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
  }
}

extension Reading.Verdict {
  /// The verdict in the words of the summary.
  fileprivate var displayed: String {
    switch self {
    case .accepted: "accepted"
    case .uncertain: "needs review"
    case .refused: "no serial"
    }
  }
}

extension PhotoFlaw {
  /// The flaw in place of a verdict.
  fileprivate var displayed: String {
    switch self {
    case .tooDark: "too dark"
    case .tooSmall: "too small"
    case .outOfFocus: "out of focus"
    }
  }
}

extension Doubt {
  /// What a rejected read is instead of a device's serial, in place of a verdict; nil for other doubts.
  fileprivate var displayed: String? {
    switch self {
    case .otherMaker: "other maker"
    case .part: "a part's"
    case .placeholder: "a sample"
    default: nil
    }
  }
}

/// Pads text with spaces to a width, at least one space.
private func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(1, width - text.count))
}
