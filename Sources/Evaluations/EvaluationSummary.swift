import Foundation

/// The figures of an evaluation, named as the wire contract names them.
public struct EvaluationSummary: Codable, Sendable, Equatable {
  /// Pictures in the folder.
  public var total: Int
  /// Pictures for which a serial was given.
  public var detected: Int
  /// Pictures whose top serial equals the label.
  public var hits: Int
  /// Pictures for which another serial was given.
  public var misreads: Int
  /// Pictures with a serial for which none was given.
  public var silent: Int
  /// Pictures without a serial for which none was given.
  public var rightlySilent: Int
  /// Pictures that are missing or could not be decoded.
  public var unreadable: Int
  /// Of the pictures with a serial those for which one was given, in per cent.
  public var detectionRatePct: Double
  /// Hits and rightly silent pictures of `total`, in per cent.
  public var accuracyPctOverall: Double
  /// `hits` of `detected`, in per cent.
  public var accuracyPctOnDetected: Double
  /// Top serials that fit the grammar.
  public var strictValidationPasses: Int
  /// Top serials that were accepted.
  public var highConfidenceCount: Int
  /// Accepted serials that equal the label.
  public var highConfidenceHits: Int
  /// `highConfidenceHits` of `highConfidenceCount`, in per cent.
  public var highConfidenceAccuracyPct: Double
  /// Expected calibration error over ten bins of equal width (Guo et al. 2017, "On Calibration of Modern Neural
  /// Networks"): the mean distance of confidence and share of right reads, weighted by the bins' counts. 0...1.
  public var expectedCalibrationError: Double
  /// Median CPU time of a picture in seconds.
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

  /// Sums up rows.
  public init(_ rows: [Evaluation.Row]) {
    func count(_ matches: (Evaluation.Row) -> Bool) -> Int { rows.reduce(0) { $0 + (matches($1) ? 1 : 0) } }
    func percent(_ part: Int, of whole: Int) -> Double {
      whole == 0 ? 0 : (Double(part) / Double(whole) * 10_000).rounded() / 100
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
    expectedCalibrationError = ReliabilityDiagram(rows).expectedCalibrationError
    let times = rows.filter { $0.outcome != .unreadable }.map(\.cpuSeconds).sorted()
    medianCPUSeconds = times.isEmpty ? 0 : times[times.count / 2]
  }
}
