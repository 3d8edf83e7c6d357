import AppleSerial

/// Something that stands beside a serial, as it was read.
public struct FieldRead: Codable, Sendable, Equatable {
  /// What it says.
  public var kind: DeviceField.Kind
  /// Its value, as it is usually written.
  public var text: String
  /// How probable it is that all its characters are right, 0...1. An estimate: it is not calibrated as a serial's is.
  public var confidence: Double
  /// Where it stands, in pixels of the photo as uploaded (before EXIF orientation), or nil where unknown.
  public var region: Quadrilateral?
  /// Whether its check digits hold; nil where it has none, or where another value of the photo passes too.
  public var check: Bool?

  /// Creates a field.
  public init(
    kind: DeviceField.Kind, text: String, confidence: Double, region: Quadrilateral? = nil, check: Bool? = nil
  ) {
    self.kind = kind
    self.text = text
    self.confidence = confidence
    self.region = region
    self.check = check
  }

  /// Whether its value has the form of its kind, and its check digits hold or fail as it says.
  package var isWellFormed: Bool {
    guard let field = DeviceField(kind, text), field.text == text else { return false }
    return check == nil || check == field.check
  }
}
