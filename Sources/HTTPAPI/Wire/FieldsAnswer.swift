import AppleSerial
import ScanModel
import Support

/// What stands beside a serial, by the names of the fields.
struct FieldsAnswer: Encodable {
  private struct Field: Encodable {
    var text: String
    var confidence: Double
    /// Four corners as [x, y] in pixels of the photo as uploaded.
    @ExplicitNull var region: [[Double]]?
    @ExplicitNull var check: Bool?
  }

  private var fields: [String: Field]

  init(_ fields: [FieldRead]) {
    self.fields = Dictionary(
      fields.map { field in
        (
          field.kind.rawValue,
          Field(
            text: field.text, confidence: Confidence.displayed(field.confidence),
            region: field.region.map(ResultAnswer.Serial.corners), check: field.check)
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
}

/// What a serial's positions say, and the model's name.
struct MeaningAnswer: Encodable {
  var years: [Int]
  @ExplicitNull var week: Int?
  @ExplicitNull var plant: String?
  @ExplicitNull var configurationCode: String?
  @ExplicitNull var modelName: String?

  private enum CodingKeys: String, CodingKey {
    case years
    case week
    case plant
    case configurationCode = "configuration_code"
    case modelName = "model_name"
  }

  /// Nil where neither the serial nor a field says anything.
  init?(of serial: String, _ fields: [FieldRead]) {
    let meaning = SerialNumber(serial)?.meaning
    let name = ModelNames.shared.name(of: fields)
    guard meaning != nil || name != nil else { return nil }
    years = meaning?.years ?? []
    week = meaning?.week
    plant = meaning?.plant
    configurationCode = meaning?.configurationCode
    modelName = name
  }
}
