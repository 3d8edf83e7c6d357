import AppleSerial

/// A field printed beside a serial, as read.
public struct FieldRead: Codable, Sendable, Equatable {
  /// The kind of field.
  public var kind: DeviceField.Kind
  /// The value in its usual notation.
  public var text: String
  /// Estimated probability that all characters are correct, 0...1. Unlike a serial's confidence, it is not calibrated.
  public var confidence: Double
  /// Its region in pixels of the photo as uploaded (before EXIF orientation); nil if unknown.
  public var region: Quadrilateral?
  /// Whether its check digits are valid; nil if it has none, or if another value in the photo also passes.
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

  /// Whether the value has the format of its kind, and its check digits match `check`.
  package var isWellFormed: Bool {
    guard let field = DeviceField(kind, text), field.text == text else { return false }
    return check == nil || check == field.check
  }
}

extension [FieldRead] {
  /// Returns the best value of each kind in several reads of one device, in the order of the kinds.
  ///
  /// Values with valid check digits come first and those with wrong ones last; then the confidence decides, then the
  /// order of the reads.
  package static func merged(_ reads: some Sequence<[FieldRead]>) -> [FieldRead] {
    var best: [DeviceField.Kind: FieldRead] = [:]
    for field in reads.joined() {
      guard let known = best[field.kind] else {
        best[field.kind] = field
        continue
      }
      if field.evidence > known.evidence { best[field.kind] = field }
    }
    return DeviceField.Kind.allCases.compactMap { best[$0] }
  }
}

extension FieldRead {
  /// What `merged` compares: the check digits, then the confidence.
  fileprivate var evidence: (Int, Double) { (check.map { $0 ? 2 : 0 } ?? 1, confidence) }
}
