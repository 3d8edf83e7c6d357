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
      ("detected", .count(\.detected), "pictures in which a serial was found"),
      ("hits", .count(\.hits), "correct: pictures whose top serial equals the label"),
      ("misreads", .count(\.misreads), "wrong: pictures whose top serial differs from the label"),
      ("silent", .count(\.silent), "missed: pictures with a serial in which none was found"),
      ("rightly_silent", .count(\.rightlySilent), "correctly empty: pictures without a serial in which none was found"),
      ("unreadable", .count(\.unreadable), "pictures that are missing or could not be decoded"),
      (
        "detection_rate_pct", .number(\.detectionRatePct, digits: 2),
        "pictures in which a serial was found, of those with a serial, in percent"
      ),
      (
        "accuracy_pct_overall", .number(\.accuracyPctOverall, digits: 2),
        "correct or correctly empty pictures, of total, in percent"
      ),
      (
        "accuracy_pct_on_detected", .number(\.accuracyPctOnDetected, digits: 2),
        "correct pictures, of detected, in percent"
      ),
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
