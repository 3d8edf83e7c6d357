import ScanModel

/// A serial found by a strategy, with its evidence.
package struct Candidate: Sendable {
  /// The serial, in upper case.
  package var serial: String
  package var method: Method
  /// The strategy's name.
  package var strategy: String
  /// Probability that it is correct, 0...1.
  package var confidence: Double
  /// Evidence of a text read; nil for a barcode.
  package var evidence: TextEvidence?
  /// Index of the line or code that holds it.
  var roiIndex: Int?
  /// Its bounding quadrilateral, in pixels of the photo as uploaded.
  var region: Quadrilateral?
  /// The recogniser's bounding quadrilateral, which the second model and the search for makers use; nil if equal to
  /// `region`.
  package var recognised: Quadrilateral?
  /// The strip in which it was read; nil for straight text and codes.
  var unrolled: UnrolledRead?

  package init(
    serial: String, method: Method, strategy: String, confidence: Double, evidence: TextEvidence? = nil,
    roiIndex: Int? = nil, region: Quadrilateral? = nil, recognised: Quadrilateral? = nil
  ) {
    (self.serial, self.method, self.strategy) = (serial, method, strategy)
    (self.confidence, self.evidence) = (confidence, evidence)
    (self.roiIndex, self.region, self.recognised) = (roiIndex, region, recognised)
  }

  /// A method that reads serials.
  package enum Method: String, Sendable {
    case tesseract
    case barcode
  }
}

/// Evidence of a text read, from which `Calibration` computes its confidence.
package struct TextEvidence: Sendable {
  /// Margin of the vote's weakest place: log-odds per reading.
  var leastMargin: Double
  /// Share of the line's readings that took part in the vote, 0...1.
  var agreement: Double
  /// Strength of the label before it: 0 if unlabelled, else 1.5...5.5.
  var keyword: Double
  /// Whether it fits the grammar of its length.
  var fitsGrammar: Bool
  /// Whether it begins with a frequent plant code; one in a thousand other strings does.
  var hasFrequentPlant: Bool
  /// Height of the capitals, in pixels of the image that was read.
  var capitalHeight: Double
  /// The smaller background margin of its two ends in the crop, in capital heights.
  var ground: Double
  /// Stroke margin of the weakest character: the natural logarithm of its probability minus that of the likeliest other
  /// character. nil if the strokes could not be separated.
  var glyphMargin: Double?
  /// The lead of its text over the likeliest other serial in the lattice of its line's first reading, as a natural
  /// logarithm; nil if that lattice does not hold the text.
  var latticeMargin: Double?
  /// Stroke log-probabilities by place, as in `GlyphVote.Opinion`; empty if the strokes could not be separated.
  var strokes: [Int: [Float]]
  /// Its characters, for comparison with the photo.
  var characters: [CharacterRead]
  /// Whether it may be incomplete: more of its characters seem to stand at the end of its label or close beside it.
  var isPart: Bool
  /// Whether an Apple model number or approval mark stands beside it in letters of its size, or another sign replaces
  /// its label.
  var hasSign: Bool
  /// Whether its label was read right before it in its line.
  var isBehindLabel: Bool
  /// Whether at least three readings in at least two scales have the same character at every place.
  var isUnanimousInScales: Bool

  package init(
    leastMargin: Double, agreement: Double, keyword: Double, fitsGrammar: Bool,
    hasFrequentPlant: Bool, capitalHeight: Double, ground: Double,
    glyphMargin: Double? = nil, latticeMargin: Double? = nil, strokes: [Int: [Float]] = [:],
    characters: [CharacterRead] = [], isPart: Bool = false, hasSign: Bool = false, isBehindLabel: Bool = false,
    isUnanimousInScales: Bool = false
  ) {
    (self.leastMargin, self.agreement, self.isUnanimousInScales) = (leastMargin, agreement, isUnanimousInScales)
    (self.keyword, self.hasSign, self.isBehindLabel) = (keyword, hasSign, isBehindLabel)
    (self.fitsGrammar, self.hasFrequentPlant, self.isPart) = (fitsGrammar, hasFrequentPlant, isPart)
    (self.capitalHeight, self.ground) = (capitalHeight, ground)
    (self.glyphMargin, self.strokes) = (glyphMargin, strokes)
    (self.latticeMargin, self.characters) = (latticeMargin, characters)
  }

  /// The weakest place's margin times the share of readings that agree.
  var agreedMargin: Double { leastMargin * agreement }
}
