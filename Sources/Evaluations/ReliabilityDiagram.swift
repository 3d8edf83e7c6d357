/// The share of correct serials by confidence.
public struct ReliabilityDiagram: Codable, Sendable, Equatable {
  /// A tenth of the confidence scale.
  public struct Bin: Codable, Sendable, Equatable {
    /// The number of serials with a confidence in this bin.
    public var count: Int
    /// The mean of their confidences, 0...1; nil without serials.
    public var meanConfidence: Double?
    /// The share of correct serials, 0...1; nil without serials.
    public var shareRight: Double?

    /// Encodes missing values as null.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(count, forKey: .count)
      try container.encode(meanConfidence, forKey: .meanConfidence)
      try container.encode(shareRight, forKey: .shareRight)
    }
  }

  /// Ten bins: 0 to 0.1, ..., 0.9 to 1.
  public var bins: [Bin]

  /// Sorts the returned serials into bins.
  public init(_ rows: [Evaluation.Row]) {
    var counts = [Int](repeating: 0, count: 10)
    var sums = [Double](repeating: 0, count: 10)
    var rights = [Int](repeating: 0, count: 10)
    for row in rows {
      guard let confidence = row.confidence else { continue }
      let bin = min(9, max(0, Int(exactly: (confidence * 10).rounded(.down)) ?? 0))
      counts[bin] += 1
      sums[bin] += confidence
      rights[bin] += row.outcome == .right ? 1 : 0
    }
    bins = (0..<10).map { bin in
      guard counts[bin] > 0 else { return Bin(count: 0) }
      let count = Double(counts[bin])
      return Bin(count: counts[bin], meanConfidence: sums[bin] / count, shareRight: Double(rights[bin]) / count)
    }
  }

  /// The mean distance between confidence and share of correct serials, weighted by the bins' counts; 0 without
  /// serials.
  public var expectedCalibrationError: Double {
    let total = bins.reduce(0) { $0 + $1.count }
    guard total > 0 else { return 0 }
    return bins.reduce(0) { $0 + Double($1.count) * abs(($1.meanConfidence ?? 0) - ($1.shareRight ?? 0)) }
      / Double(total)
  }
}
