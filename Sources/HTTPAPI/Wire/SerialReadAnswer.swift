import ScanModel
import Support

extension ResultAnswer {
  /// A serial as it was read.
  struct Serial: Encodable {
    /// A character, or what else it may be.
    struct Character: Encodable {
      var character: String
      var confidence: Double
      /// What else it may be; nil for what is an alternative itself.
      var alternatives: [Character]?
    }

    /// Why it is not surer.
    struct Doubt: Encodable {
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
    @ExplicitNull var verdict: String?
    @ExplicitNull var label: String?
    /// Other places that say the same, as `region`.
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

  /// What one strategy did, and the surest serial it saw.
  struct Strategy: Encodable {
    var strategy: String
    var seconds: Double
    var outcome: String
    @ExplicitNull var serial: String?
    @ExplicitNull var confidence: Double?
  }
}

extension ResultAnswer.Serial {
  init(_ read: SerialRead) {
    serial = read.serial
    confidence = Confidence.displayed(read.confidence)
    method = read.method
    roiIndex = read.roiIndex
    strategy = read.strategy
    isValid = read.isValid
    // To a tenth of a pixel: further digits say nothing.
    region = read.region.map(Self.corners)
    characters = read.characters?.map { character in
      Character(
        character: character.character, confidence: Confidence.displayed(character.confidence),
        alternatives: character.alternatives.map {
          Character(character: $0.character, confidence: Confidence.displayed($0.confidence))
        })
    }
    doubts = read.doubts?.map { Doubt(code: $0.code, sentence: $0.sentence) }
    verdict = read.verdict?.rawValue
    label = read.label
    places = read.places?.map(Self.corners)
    fields = read.fields.map(FieldsAnswer.init)
    meaning = MeaningAnswer(of: read.serial, read.fields ?? [])
  }

  static func corners(_ region: Quadrilateral) -> [[Double]] {
    region.corners.map { [($0.x * 10).rounded() / 10, ($0.y * 10).rounded() / 10] }
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
