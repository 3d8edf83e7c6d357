/// A reader's settings, resolved by the server at its start.
public struct ReaderSettings: Codable, Sendable, Equatable {
  /// All declared parameters of each preset, by name.
  public var parameters: [Preset: [String: Double]]
  /// Confidence at or above which a serial is accepted, 0...1.
  public var accept: Double
  /// Confidence below which a serial is not shown, 0...1.
  public var refuse: Double
  /// Which fields beside serials to report.
  public var fields: FieldReading

  /// Creates settings.
  public init(
    parameters: [Preset: [String: Double]], accept: Double, refuse: Double, fields: FieldReading = .near
  ) {
    self.parameters = parameters
    self.accept = accept
    self.refuse = refuse
    self.fields = fields
  }
}
