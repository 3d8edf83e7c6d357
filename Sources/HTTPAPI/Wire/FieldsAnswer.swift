import AppleSerial
import Exports
import ScanModel
import Support

/// The fields next to a serial, by name.
struct FieldsAnswer: Codable {
  fileprivate struct Field: Codable {
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
            region: field.region.map(SerialAnswer.corners), check: field.check)
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  init(from decoder: any Decoder) throws { fields = try [String: Field](from: decoder) }

  func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
}

extension FieldsAnswer: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    var notes: [String: Schema] = [
      "": .about("Other values of the serial's device, by name; fields that were not read are omitted.")
    ]
    for (kind, about) in abouts { notes[kind.rawValue] = .about(about) }
    return book.object(
      "Fields", for: Self.self, notes: notes
    ) { DeviceField.Kind.allCases.map { book.member($0.rawValue, Field.self, isRequired: false) } }
  }

  private static let abouts: [DeviceField.Kind: String] = [
    .modelNumber: "`A2338`.", .emc: "Apple's board number, four digits.", .partNumber: "Order number: `MYD82LL/A`.",
    .modelIdentifier: "`MacBookPro17,1`.",
    .imei: "15 digits, the last a check digit. Personal data, like the serial.",
    .imei2: "The IMEI of the second line.",
    .meid: "14 digits or hexadecimal digits, perhaps with a check digit.",
    .eid: "Embedded SIM identity, 32 digits with check digits.",
    .iccid: "SIM card number, 19 or 20 digits with a check digit.", .wifiAddress: "With colons.",
    .bluetoothAddress: "With colons.", .upc: "Trade item number (UPC, EAN, GTIN), with a check digit.",
    .capacity: "`256 GB`.", .color: "As on boxes, in English.", .osVersion: "`17.5.1`.",
  ]
}

extension FieldsAnswer.Field: WireObject {
  static let wireName = "Field"
  static let wireNotes: [String: Schema] = [
    "text": .about("The value as it is usually written, without spaces."),
    "confidence": .share.about(
      "Estimated probability that all its characters are right; unlike a serial's, it is not calibrated."),
    "region": .corners.about("Four corners as [x, y] in pixels of the photo as uploaded."),
    "check": .about(
      "Whether its check digits are valid; null if it has none, or if those of another value in the photo are valid too."
    ),
  ]
}

/// The meaning of a serial's positions, and the model's name.
struct MeaningAnswer: Codable {
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

  /// Creates a meaning; nil if neither the serial nor a field provides one.
  init?(of serial: String, _ fields: [FieldRead]?, _ models: ModelNames) {
    let meaning = SerialNumber(serial)?.meaning
    let name = models.name(of: serial, fields)
    guard meaning != nil || name != nil else { return nil }
    years = meaning?.years(ofModel: name) ?? []
    week = meaning?.week
    plant = meaning?.plant
    configurationCode = meaning?.configurationCode
    modelName = name
  }
}

extension MeaningAnswer: WireObject {
  static let wireName = "Meaning"
  static let wireNotes: [String: Schema] = [
    "": .about("What the serial encodes, and the model's name."),
    "years": .about(
      "The years in which it may have been made: two where Apple reused the serial's letters and the years in the "
        + "model's name exclude neither; none for serials of 10 characters."),
    "week": .about("Week of the year, 1 to 53."),
    "plant": .about("The plant's code."),
    "configuration_code": .about(
      "The code of the exact product: the last 4 characters, 3 of a serial of 11."),
    "model_name": .about(
      "The name of the model identifier or number beside the serial, if it is known and read with certainty; otherwise "
        + "the model to which the configuration code is known to belong."),
  ]
}
