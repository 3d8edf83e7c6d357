/// Figures over the saved serials and the jobs.
public struct Statistics: Sendable, Codable, Equatable {
  /// Number of saved serials.
  public var totalSerials: Int
  /// Number of those with a valid format.
  public var validSerials: Int
  /// Their mean confidence, 0 to 1; nil if there are none.
  public var meanConfidence: Double?
  /// Saved serials by source.
  public var bySource: [String: Int]
  /// Saved serials by device type.
  public var byDeviceType: [String: Int]
  /// Saved serials by day (UTC), `YYYY-MM-DD`.
  public var byDay: [String: Int]
  /// Photos by verdict and by the day (UTC) on which their reading ended; nil from servers before 1.2.
  public var verdictsByDay: [String: Verdicts]?
  /// Jobs by ``JobStatus``.
  public var jobs: [String: Int]

  /// Numbers of photos by verdict.
  public struct Verdicts: Sendable, Codable, Equatable {
    /// Those with a reliable serial.
    public var accepted: Int
    /// Those that need review.
    public var uncertain: Int
    /// Those without a serial.
    public var refused: Int
  }
}
