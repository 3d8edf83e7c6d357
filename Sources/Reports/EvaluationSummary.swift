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
  /// Pictures that are missing or could not be decoded.
  public var unreadable: Int
  /// `detected` of `total`, in per cent.
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
    unreadable = count { $0.outcome == .unreadable }
    detectionRatePct = percent(detected, of: total)
    accuracyPctOverall = percent(hits + count { $0.outcome == .rightlySilent }, of: total)
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

/// How often a serial given with some confidence is right.
public struct ReliabilityDiagram: Codable, Sendable, Equatable {
  /// A tenth of the confidence scale.
  public struct Bin: Codable, Sendable, Equatable {
    /// Serials given with a confidence in this bin.
    public var count: Int
    /// Mean of their confidences, 0...1.
    public var meanConfidence: Double
    /// Share of them that is right, 0...1.
    public var shareRight: Double
  }

  /// Ten bins: 0 to 0.1, ..., 0.9 to 1.
  public var bins: [Bin]

  /// Sorts the serials that were given into bins.
  public init(_ rows: [Evaluation.Row]) {
    var counts = [Int](repeating: 0, count: 10)
    var sums = [Double](repeating: 0, count: 10)
    var rights = [Int](repeating: 0, count: 10)
    for row in rows {
      guard let confidence = row.confidence else { continue }
      let bin = min(9, max(0, Int(confidence * 10)))
      counts[bin] += 1
      sums[bin] += confidence
      rights[bin] += row.outcome == .right ? 1 : 0
    }
    bins = (0..<10).map { bin in
      let count = Double(max(1, counts[bin]))
      return Bin(count: counts[bin], meanConfidence: sums[bin] / count, shareRight: Double(rights[bin]) / count)
    }
  }

  /// Mean of the bins' distances between confidence and share, weighted by their counts; 0 without serials.
  public var expectedCalibrationError: Double {
    let total = bins.reduce(0) { $0 + $1.count }
    guard total > 0 else { return 0 }
    return bins.reduce(0) { $0 + Double($1.count) * abs($1.meanConfidence - $1.shareRight) } / Double(total)
  }
}
