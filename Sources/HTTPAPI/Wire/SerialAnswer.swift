import Exports
import ScanModel
import Support

/// A serial as read, the same on every endpoint.
struct SerialAnswer: Codable {
  /// A character and its alternatives.
  struct Character: Codable {
    var character: String
    var confidence: Double
    var alternatives: [Alternative]
  }

  /// An alternative to a character that was read.
  struct Alternative: Codable {
    var character: String
    var confidence: Double
  }

  /// A reason for lower confidence.
  struct Doubt: Codable {
    var code: String
    var sentence: String
  }

  var serial: String
  var confidence: Double
  var method: String
  @ExplicitNull var roiIndex: Int?
  var strategy: String
  var isValid: Bool
  /// Four corners as [x, y] in pixels of the photo as uploaded.
  @ExplicitNull var region: [[Double]]?
  @ExplicitNull var characters: [Character]?
  @ExplicitNull var doubts: [Doubt]?
  @ExplicitNull var verdict: Reading.Verdict?
  @ExplicitNull var label: String?
  /// Other places with the same serial, in the format of `region`.
  @ExplicitNull var places: [[[Double]]]?
  @ExplicitNull var fields: FieldsAnswer?
  @ExplicitNull var meaning: MeaningAnswer?

  private enum CodingKeys: String, CodingKey {
    case serial
    case confidence
    case method
    case roiIndex = "roi_index"
    case strategy
    case isValid = "is_valid"
    case region
    case characters
    case doubts
    case verdict
    case label
    case places
    case fields
    case meaning
  }
}

extension ResultAnswer {
  /// A strategy's run, and the serial it read with the highest confidence.
  struct Strategy: Codable {
    var strategy: String
    var seconds: Double
    var outcome: String
    @ExplicitNull var serial: String?
    @ExplicitNull var confidence: Double?
  }
}

extension SerialAnswer: WireObject {
  static let wireName = "SerialRead"
  static let wireNotes: [String: Schema] = [
    "confidence": .share.about("Calibrated probability that this is the device's serial."),
    "method": .about("`barcode`, `tesseract`, ..."),
    "is_valid": .about("Whether it has a valid format."),
    "region": .corners.about("Four corners as [x, y], in pixels of the photo as uploaded."),
    "characters": .about(
      "Its characters in order; null if they were not read from text but from a code, and in `refused`."),
    "doubts": .about(
      "Why its confidence is not higher, the most serious first; empty if it is accepted, null in results of earlier versions."
    ),
    "verdict": .about("The reader's verdict; null in results of earlier versions."),
    "label": .about("The label that identifies it as a serial number, as read; null if none was read."),
    "places": Schema(["items": Schema.corners.tree]).about(
      "Other places in the photo with the same serial, each four corners as in `region`; null in results of earlier "
        + "versions."),
    "fields": .about(
      "Other values of its device; null in results of earlier versions, and with `reading.fields: false`."),
    "meaning": .about("What the serial encodes; null if nothing is known."),
  ]
}

extension SerialAnswer.Character: WireObject {
  static let wireName = "CharacterRead"
  static let wireNotes: [String: Schema] = [
    "confidence": .share.about(
      "Probability of this character by the readings of its line and by its own strokes. It separates doubtful characters "
        + "from clear ones."),
    "alternatives": .mostItems(3).about("Other possible characters, the most probable first; empty if it is clear."),
  ]
}

extension SerialAnswer.Alternative: WireObject {
  static let wireName = "CharacterAlternative"
  static let wireNotes: [String: Schema] = ["confidence": .share]
}

extension SerialAnswer.Doubt: WireObject {
  static let wireName = "Doubt"
  static let wireNotes: [String: Schema] = ["code": .about("`no_label`, `other_maker`, ...")]
}

extension ResultAnswer.Strategy: WireObject {
  static let wireName = "StrategyTrace"
  static let wireNotes: [String: Schema] = [
    "serial": .about("The serial it read with the highest confidence, or that it checked."), "confidence": .share,
  ]
}

extension SerialAnswer {
  init(_ read: SerialRead, _ models: ModelNames) {
    serial = read.serial
    confidence = Confidence.displayed(read.confidence)
    method = read.method
    roiIndex = read.roiIndex
    strategy = read.strategy
    isValid = read.isValid
    // Rounded to a tenth of a pixel; further digits are noise.
    region = read.region.map(Self.corners)
    characters = read.characters?.map { character in
      Character(
        character: character.character, confidence: Confidence.displayed(character.confidence),
        alternatives: character.alternatives.map {
          Alternative(character: $0.character, confidence: Confidence.displayed($0.confidence))
        })
    }
    doubts = read.doubts?.map { Doubt(code: $0.code, sentence: $0.sentence) }
    verdict = read.verdict
    label = read.label
    places = read.places?.map(Self.corners)
    fields = read.fields.map(FieldsAnswer.init)
    meaning = MeaningAnswer(of: read.serial, read.fields, models)
  }

  static func corners(_ region: Quadrilateral) -> [[Double]] {
    region.corners.map { [$0.x.rounded(toPlaces: 1), $0.y.rounded(toPlaces: 1)] }
  }
}

extension ResultAnswer.Strategy {
  init(_ entry: StrategyTrace) {
    strategy = entry.strategy
    seconds = entry.seconds
    outcome = entry.outcome
    serial = entry.serial
    confidence = entry.confidence.map(Confidence.displayed)
  }
}
