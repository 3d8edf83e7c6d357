import ScanModel

/// A serial that a strategy found, with what speaks for and against it.
package struct Candidate: Sendable {
  /// The serial, in upper case.
  package var serial: String
  /// What read it.
  package var method: Method
  /// The strategy's name.
  package var strategy: String
  /// Probability that it is right, 0...1.
  package var confidence: Double
  /// What a text read rests on; nil for a barcode.
  package var evidence: TextEvidence?
  /// Index of the line or code in which it stands.
  var roiIndex: Int?
  /// Where it stands, in pixels of the photo as uploaded.
  var region: Quadrilateral?
  /// Where the recogniser has it, in which the second model and the search for makers look; nil where that is `region`.
  package var recognised: Quadrilateral?

  package init(
    serial: String, method: Method, strategy: String, confidence: Double, evidence: TextEvidence? = nil,
    roiIndex: Int? = nil, region: Quadrilateral? = nil, recognised: Quadrilateral? = nil
  ) {
    self.serial = serial
    self.method = method
    self.strategy = strategy
    self.confidence = confidence
    self.evidence = evidence
    self.roiIndex = roiIndex
    self.region = region
    self.recognised = recognised
  }

  /// What can read a serial.
  package enum Method: String, Sendable {
    case tesseract
    case barcode
  }
}

/// What a text read rests on: the features that the confidence is made from.
package struct TextEvidence: Sendable {
  /// The weakest place of the vote: log-odds a reading.
  var leastMargin: Double
  /// Share of the line's readings that took part in the vote, 0...1.
  var agreement: Double
  /// Number of readings that took part.
  var readings: Int
  /// How clearly a label stands before it: 0 for none, 1.5...5.5.
  var keyword: Double
  /// Other lines that hold the same serial.
  var repetitions: Int
  /// What other serials, read off the same line, take off the score.
  var contradiction: Double
  /// Whether it fits the grammar of its length.
  var fitsGrammar: Bool
  /// Whether it has twelve characters, whose grammar half of all random strings break; hardly any string of ten or eleven does.
  var hasStrictGrammar: Bool
  /// Whether it begins with a plant code that many serials begin with: one in a thousand other strings does.
  var hasFrequentPlant: Bool
  /// Look-alikes replaced, at most over the readings.
  var folds: Int
  /// Height of the capitals in pixels of the picture that was read.
  var capitalHeight: Double
  /// Whether the count of characters was confirmed by the strokes themselves.
  var length: LengthProof.Verdict
  /// Least ground at both ends of it in the cut, in heights of capitals.
  var ground: Double
  /// What the strokes of its characters of one shape, a `3` or a `5`, say.
  var shapes: Shapes
  /// What its strokes, looked at one character at a time, say of the character that they speak for least: the logarithm of its
  /// probability less that of the likeliest other one; nil where they could not be parted.
  var glyphMargin: Double?
  /// What its strokes say of each place, as in `GlyphVote.Opinion`; empty where they could not be parted.
  var strokes: [Int: [Float]]
  /// Its characters, for who compares them with the photo.
  var characters: [CharacterRead]
  /// Whether characters of it seem to stand at the end of its label, or in what stands close beside it.
  var isPart: Bool
  /// Whether the model number or the approval of a device of Apple's stands beside it, in letters of its size.
  var isBesideDeviceMark: Bool
  /// Whether no label announces it, nor a plant code that many serials begin with, but a sign such as the rest of a label at the photo's edge.
  var restsOnSign: Bool
  /// Whether that sign is one that hardly any other text has: the photo shows little else, or its edge cuts the label of what is no word.
  var hasRareSign: Bool
  /// Whether something else was read off the same line, announced as clearly.
  var isContradicted: Bool
  /// Whether three readings or more, in two scales at least, have the same character at every place.
  var isUnanimousInScales: Bool

  package init(
    leastMargin: Double, agreement: Double, readings: Int, keyword: Double, repetitions: Int, contradiction: Double,
    fitsGrammar: Bool, hasStrictGrammar: Bool = true, hasFrequentPlant: Bool, folds: Int, capitalHeight: Double,
    length: LengthProof.Verdict, ground: Double, shapes: Shapes = .fitting, glyphMargin: Double? = nil,
    strokes: [Int: [Float]] = [:], characters: [CharacterRead] = [],
    isPart: Bool = false, isBesideDeviceMark: Bool = false, restsOnSign: Bool = false, hasRareSign: Bool = false,
    isContradicted: Bool = false, isUnanimousInScales: Bool = false
  ) {
    self.leastMargin = leastMargin
    self.agreement = agreement
    self.readings = readings
    self.keyword = keyword
    self.repetitions = repetitions
    self.contradiction = contradiction
    self.fitsGrammar = fitsGrammar
    self.hasStrictGrammar = hasStrictGrammar
    self.hasFrequentPlant = hasFrequentPlant
    self.folds = folds
    self.capitalHeight = capitalHeight
    self.length = length
    self.ground = ground
    self.shapes = shapes
    self.glyphMargin = glyphMargin
    self.strokes = strokes
    self.characters = characters
    self.isPart = isPart
    self.isBesideDeviceMark = isBesideDeviceMark
    self.restsOnSign = restsOnSign
    self.hasRareSign = hasRareSign
    self.isContradicted = isContradicted
    self.isUnanimousInScales = isUnanimousInScales
  }

  /// What the strokes of characters that a recogniser confuses say of a read.
  package enum Shapes: Sendable {
    /// They fit, or it has no such characters.
    case fitting
    /// It has such characters, and they could not be told apart from their neighbours.
    case unchecked
    /// They speak against it.
    case doubtful
  }

  /// The features by name, for fitting the confidence on labelled pictures.
  package var features: [(name: String, value: Double)] {
    [
      ("margin", leastMargin), ("agreement", agreement), ("readings", Double(readings)), ("keyword", keyword),
      ("repetitions", Double(repetitions)), ("contradiction", contradiction), ("grammar", fitsGrammar ? 1 : 0),
      ("plant", hasFrequentPlant ? 1 : 0),
      ("folds", Double(folds)), ("capital", capitalHeight), ("ground", ground),
      ("proven", length == .proven ? 1 : 0), ("refuted", length == .refuted ? 1 : 0),
      ("unchecked", shapes == .unchecked ? 1 : 0), ("doubtful", shapes == .doubtful ? 1 : 0),
      ("parted", glyphMargin == nil ? 0 : 1), ("glyph", glyphMargin ?? 0),
      ("unanimous", isUnanimousInScales ? 1 : 0),
      ("part", isPart ? 1 : 0), ("mark", isBesideDeviceMark ? 1 : 0), ("contradicted", isContradicted ? 1 : 0),
    ]
  }

  /// The weakest place's margin times the share of readings that agreed.
  var agreedMargin: Double { leastMargin * agreement }

  /// The score of the prototype: margin times agreement, plus 1 for repetitions, less contradictions.
  var score: Double {
    (repetitions > 0 ? max(agreedMargin, 0) + 1 : agreedMargin) - contradiction
  }
}
