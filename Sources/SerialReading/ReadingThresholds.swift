import ScanModel

/// The thresholds on the calibrated confidence that determine the verdict, from the settings.
public struct ReadingThresholds: Sendable {
  /// The confidence from which a serial is accepted without review.
  public var accept: Double
  /// The confidence below which a serial is not shown.
  public var refuse: Double

  /// Creates thresholds, each 0...1.
  public init(accept: Double, refuse: Double) {
    self.accept = accept
    self.refuse = refuse
  }

  /// The verdict on the most probable serial; nil means no serial.
  func verdict(on confidence: Double?) -> Reading.Verdict {
    guard let confidence, confidence >= refuse else { return .refused }
    return confidence >= accept ? .accepted : .uncertain
  }
}
