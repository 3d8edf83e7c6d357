import SerialReading
import Testing

/// Covers: the model that converts evidence to a confidence.
@Suite struct CalibrationTests {
  /// A clear read of a labelled serial, with some of its evidence changed.
  private static func evidence(
    margin: Double = 3, agreement: Double = 1, keyword: Double = 3, format: Bool = true, plant: Bool = true,
    ground: Double = 1, strokes: Double? = 4, lattice: Double? = 6,
    isPart: Bool = false, hasSign: Bool = false
  ) -> TextEvidence {
    TextEvidence(
      leastMargin: margin, agreement: agreement, keyword: keyword, fitsGrammar: format, hasFrequentPlant: plant,
      capitalHeight: 20, ground: ground, glyphMargin: strokes, latticeMargin: lattice, isPart: isPart,
      hasSign: hasSign)
  }

  private static func confidence(_ evidence: TextEvidence) -> Double { Calibration.confidence(evidence) }

  @Test func clearReadIsAcceptedByItsOwnEvidence() {
    #expect(Self.confidence(Self.evidence()) >= 0.97)
  }

  @Test func lessEvidenceNeverRaisesConfidence() {
    let clear = Self.confidence(Self.evidence())
    let weaker = [
      Self.evidence(margin: 1), Self.evidence(agreement: 0.5), Self.evidence(keyword: 0), Self.evidence(format: false),
      Self.evidence(plant: false), Self.evidence(ground: 0), Self.evidence(strokes: 1), Self.evidence(strokes: nil),
      Self.evidence(lattice: 1), Self.evidence(lattice: nil), Self.evidence(isPart: true),
    ]
    #expect(weaker.allSatisfy { Self.confidence($0) < clear })
    let margins = stride(from: -3.0, through: 6, by: 0.5).map { Self.confidence(Self.evidence(margin: $0)) }
    #expect(margins == margins.sorted())
    let strokes = stride(from: -6.0, through: 6, by: 0.5).map { Self.confidence(Self.evidence(strokes: $0)) }
    #expect(strokes == strokes.sorted())
  }

  @Test func signCountsForLessThanLabel() {
    let unlabelled = Self.confidence(Self.evidence(margin: 2, keyword: 0))
    let signed = Self.confidence(Self.evidence(margin: 2, keyword: 0, hasSign: true))
    #expect(unlabelled < signed && signed < Self.confidence(Self.evidence(margin: 2, keyword: 1.5)))
  }

  @Test func averagesStrategiesWithSameText() {
    let both = Calibration.confidence(ofTexts: [0.9, 0.99], after: nil)
    #expect(0.9 < both && both < 0.99)
    #expect(abs(Calibration.confidence(ofTexts: [0.9, 0.9, 0.9], after: nil) - 0.9) < 1e-9)
    #expect(Calibration.confidence(ofTexts: [], after: .agrees) == 0)
  }

  @Test func onlyAgreementOfSecondModelChangesConfidence() {
    let unasked = Calibration.confidence(ofTexts: [0.9], after: nil)
    #expect(Calibration.confidence(ofTexts: [0.9], after: .agrees) > unasked)
    let others: [SecondOpinion.Answer] = [
      .differs(places: 1, isLikely: true), .differs(places: 4, isLikely: false), .other,
    ]
    #expect(others.allSatisfy { Calibration.confidence(ofTexts: [0.9], after: $0) == unasked })
  }
}
