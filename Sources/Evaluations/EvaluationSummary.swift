import Foundation
import Support

/// The figures of an evaluation, with the names of the API.
public struct EvaluationSummary: Codable, Sendable, Equatable {
  /// The number of pictures in the folder.
  public var total: Int
  /// Pictures for which a serial was returned.
  public var detected: Int
  /// Pictures whose top serial equals the label.
  public var hits: Int
  /// Pictures for which a different serial was returned.
  public var misreads: Int
  /// Pictures with a serial for which none was returned.
  public var silent: Int
  /// Pictures without a serial for which none was returned (true negatives).
  public var rightlySilent: Int
  /// Pictures that are missing or could not be decoded.
  public var unreadable: Int
  /// The share of pictures with a serial for which one was returned, in per cent.
  public var detectionRatePct: Double
  /// The share of hits and true negatives in `total`, in per cent.
  public var accuracyPctOverall: Double
  /// The share of `hits` in `detected`, in per cent.
  public var accuracyPctOnDetected: Double
  /// Top serials that have a valid format.
  public var strictValidationPasses: Int
  /// Top serials that were accepted.
  public var highConfidenceCount: Int
  /// Accepted serials that equal the label.
  public var highConfidenceHits: Int
  /// The share of `highConfidenceHits` in `highConfidenceCount`, in per cent.
  public var highConfidenceAccuracyPct: Double
  /// The expected calibration error, 0...1, over ten bins of equal width (Guo et al. 2017, "On Calibration of Modern
  /// Neural Networks"): the mean distance between confidence and share of correct reads, weighted by the bins' counts.
  public var expectedCalibrationError: Double
  /// The median CPU time of a picture in seconds.
  public var medianCPUSeconds: Double

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case total
    case detected
    case hits
    case misreads
    case silent
    case rightlySilent = "rightly_silent"
    case unreadable
    case detectionRatePct = "detection_rate_pct"
    case accuracyPctOverall = "accuracy_pct_overall"
    case accuracyPctOnDetected = "accuracy_pct_on_detected"
    case strictValidationPasses = "strict_validation_passes"
    case highConfidenceCount = "high_confidence_count"
    case highConfidenceHits = "high_confidence_hits"
    case highConfidenceAccuracyPct = "high_confidence_accuracy_pct"
    case expectedCalibrationError = "expected_calibration_error"
    case medianCPUSeconds = "median_cpu_seconds"
  }

  /// Computes the figures of rows.
  public init(_ rows: [Evaluation.Row]) {
    func count(_ matches: (Evaluation.Row) -> Bool) -> Int { rows.reduce(0) { $0 + (matches($1) ? 1 : 0) } }
    func percent(_ part: Int, of whole: Int) -> Double {
      whole == 0 ? 0 : (100 * Double(part) / Double(whole)).rounded(toPlaces: 2)
    }
    total = rows.count
    detected = count { $0.predicted != nil }
    hits = count { $0.outcome == .right }
    misreads = count { $0.outcome == .misread }
    silent = count { $0.outcome == .silent }
    rightlySilent = count { $0.outcome == .rightlySilent }
    unreadable = count { $0.outcome == .unreadable }
    let withSerial = rows.filter { !$0.expected.isEmpty }
    detectionRatePct = percent(withSerial.count { $0.predicted != nil }, of: withSerial.count)
    accuracyPctOverall = percent(hits + rightlySilent, of: total)
    accuracyPctOnDetected = percent(hits, of: detected)
    strictValidationPasses = count { $0.predicted != nil && $0.isValid }
    highConfidenceCount = count { $0.isAccepted }
    highConfidenceHits = count { $0.isAccepted && $0.outcome == .right }
    highConfidenceAccuracyPct = percent(highConfidenceHits, of: highConfidenceCount)
    expectedCalibrationError = ReliabilityDiagram(rows).expectedCalibrationError.rounded(toPlaces: 3)
    let times = rows.filter { $0.outcome != .unreadable }.map(\.cpuSeconds).sorted()
    medianCPUSeconds =
      times.isEmpty ? 0 : ((times[(times.count - 1) / 2] + times[times.count / 2]) / 2).rounded(toPlaces: 3)
  }
}
