import Foundation

extension EvaluationSummary {
  /// The definition of each figure by its name in the API. Sent along with the figures.
  public static var definitions: [String: String] {
    Dictionary(meanings.map { ($0.name, $0.meaning) }) { first, _ in first }
  }

  /// One line per figure for the terminal: its name in the API, its value and its definition.
  var lines: [String] {
    Self.meanings.map { figure in
      let text =
        switch figure.value {
        case .count(let path): "\(self[keyPath: path])"
        case .number(let path, let digits): String(format: "%.\(digits)f", self[keyPath: path])
        }
      let name = figure.name.padding(toLength: 30, withPad: " ", startingAt: 0)
      return name + String(repeating: " ", count: max(0, 8 - text.count)) + text + "  " + figure.meaning
    }
  }

  private enum Value {
    case count(KeyPath<EvaluationSummary, Int>)
    case number(KeyPath<EvaluationSummary, Double>, digits: Int)
  }

  private static var meanings: [(name: String, value: Value, meaning: String)] {
    [
      ("total", .count(\.total), "pictures that have a label"),
      ("detected", .count(\.detected), "pictures for which a serial was given"),
      ("hits", .count(\.hits), "pictures whose top serial equals the label"),
      ("misreads", .count(\.misreads), "pictures for which another serial than the label was given"),
      ("silent", .count(\.silent), "pictures with a serial for which none was given"),
      ("rightly_silent", .count(\.rightlySilent), "pictures without a serial for which none was given"),
      ("unreadable", .count(\.unreadable), "pictures that are missing or could not be decoded"),
      (
        "detection_rate_pct", .number(\.detectionRatePct, digits: 2),
        "pictures for which a serial was returned, of those with a serial, in percent"
      ),
      (
        "accuracy_pct_overall", .number(\.accuracyPctOverall, digits: 2),
        "hits and rightly_silent, of total, in percent"
      ),
      ("accuracy_pct_on_detected", .number(\.accuracyPctOnDetected, digits: 2), "hits, of detected, in percent"),
      ("strict_validation_passes", .count(\.strictValidationPasses), "top serials with a valid format"),
      ("high_confidence_count", .count(\.highConfidenceCount), "top serials that were accepted"),
      ("high_confidence_hits", .count(\.highConfidenceHits), "accepted serials that equal the label"),
      (
        "high_confidence_accuracy_pct", .number(\.highConfidenceAccuracyPct, digits: 2),
        "high_confidence_hits, of high_confidence_count, in percent"
      ),
      (
        "expected_calibration_error", .number(\.expectedCalibrationError, digits: 3),
        "mean difference between confidence and share of correct reads over ten bins, 0...1"
      ),
      ("median_cpu_seconds", .number(\.medianCPUSeconds, digits: 3), "median CPU time per picture, in seconds"),
    ]
  }
}
