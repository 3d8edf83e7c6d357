import ScanModel

/// What the verdict is made by: thresholds over the calibrated confidence, from the settings.
public struct ReadingThresholds: Sendable {
  /// Confidence from which a serial is taken without asking.
  public var accept: Double
  /// Confidence below which a serial is not shown.
  public var refuse: Double

  /// Creates thresholds, each 0...1.
  public init(accept: Double, refuse: Double) {
    self.accept = accept
    self.refuse = refuse
  }

  /// What is made of the most probable serial.
  func verdict(on confidence: Double?) -> Reading.Verdict {
    guard let confidence, confidence >= refuse else { return .refused }
    return confidence >= accept ? .accepted : .uncertain
  }
}
