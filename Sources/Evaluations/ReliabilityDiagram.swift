/// How often a serial given with some confidence is right.
public struct ReliabilityDiagram: Codable, Sendable, Equatable {
  /// A tenth of the confidence scale.
  public struct Bin: Codable, Sendable, Equatable {
    /// Serials given with a confidence in this bin.
    public var count: Int
    /// Mean of their confidences, 0...1; nil without serials.
    public var meanConfidence: Double?
    /// Share of them that is right, 0...1; nil without serials.
    public var shareRight: Double?

    /// Writes what there is not as null.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(count, forKey: .count)
      try container.encode(meanConfidence, forKey: .meanConfidence)
      try container.encode(shareRight, forKey: .shareRight)
    }
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

  /// Mean of the bins' distances between confidence and share, weighted by their counts; 0 without serials.
  public var expectedCalibrationError: Double {
    let total = bins.reduce(0) { $0 + $1.count }
    guard total > 0 else { return 0 }
    return bins.reduce(0) { $0 + Double($1.count) * abs(($1.meanConfidence ?? 0) - ($1.shareRight ?? 0)) }
      / Double(total)
  }
}
