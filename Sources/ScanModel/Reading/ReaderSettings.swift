/// The settings that a reader reads by, as the server resolved them when it started.
public struct ReaderSettings: Codable, Sendable, Equatable {
  /// The parameters of each preset by name: all that are declared.
  public var parameters: [Preset: [String: Double]]
  /// Confidence from which a serial is taken, 0...1.
  public var accept: Double
  /// Confidence below which a serial is not shown, 0...1.
  public var refuse: Double
  /// Path of the model that gives a second opinion.
  public var secondModel: String
  /// Whether what stands beside serials is told.
  public var fields: Bool

  /// Creates settings.
  public init(
    parameters: [Preset: [String: Double]], accept: Double, refuse: Double, secondModel: String, fields: Bool = true
  ) {
    self.parameters = parameters
    self.accept = accept
    self.refuse = refuse
    self.secondModel = secondModel
    self.fields = fields
  }
}
