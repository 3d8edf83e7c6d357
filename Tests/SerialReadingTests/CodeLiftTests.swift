import AppleSerial
import ScanModel
import SerialReading
import Testing

/// Covers: raising the confidence of a read by a known configuration code.
@Suite struct CodeLiftTests {
  /// The confidence of the same read, before and after its code is known. The code has no neighbour.
  private static func lifted(
    doubtfulAt place: Int = 9, keyword: Double = 3, answer: SecondOpinion.Answer = .agrees,
    rival: String? = nil
  ) -> (before: Double, after: Double) {
    func confidence(_ codes: [(code: String, model: String)]) -> Double {
      CodeLiftSample(place: place, keyword: keyword, answer: answer, rival: rival).confidence(codes)
    }
    return (confidence([]), confidence([(CodeLiftSample.code, "MacBook")]))
  }

  @Test(arguments: [0.5, 0.8, 0.9, 0.93, 0.96, 0.99])
  func knownCodeRemovesAtMostHalfOfDoubt(readConfidence: Double) {
    let sample = CodeLiftSample(place: 9, readConfidence: readConfidence)
    let (before, after) = (sample.confidence([]), sample.confidence([(CodeLiftSample.code, "MacBook")]))
    #expect(after >= before && after <= 1 - (1 - before) * 0.5 + 1e-9, "\(before) \(after)")
    #expect(before >= 0.9 || after == before)
  }

  @Test func ambiguousCodeRaisesNothing() {
    let sample = CodeLiftSample(place: 9)
    let codes = [(code: CodeLiftSample.code, model: "MacBook"), (code: "J3TX", model: "MacBook")]
    #expect(sample.confidence(codes) == sample.confidence([]))
  }

  @Test(arguments: [0, 4, 7])
  func doubtBeforeTheCodeRemains(place: Int) {
    let (before, after) = Self.lifted(doubtfulAt: place)
    #expect(after == before)
  }

  @Test func otherDoubtsRemain() {
    for (before, after) in [
      Self.lifted(answer: .differs(places: 1, isLikely: true)), Self.lifted(answer: .other), Self.lifted(answer: .none),
      Self.lifted(keyword: 0), Self.lifted(rival: "C02ZK1ABJ3TX"),
    ] {
      #expect(after == before)
    }
  }
}

/// A labelled serial whose code has no known neighbour.
private struct CodeLiftSample {
  static let code = "J3TQ"
  private static let serial = "C02ZK1AB" + code

  var place: Int
  var readConfidence = 0.96
  var keyword = 3.0
  var answer = SecondOpinion.Answer.agrees
  var rival: String?

  func confidence(_ codes: [(code: String, model: String)]) -> Double {
    let region = Quadrilateral(
      PixelPoint(x: 100, y: 100), PixelPoint(x: 280, y: 100), PixelPoint(x: 280, y: 142), PixelPoint(x: 100, y: 142))
    let candidates = [Self.serial, rival].compactMap(\.self).map { text in
      Candidate(
        serial: text, method: .tesseract, strategy: "rows", confidence: readConfidence,
        evidence: TextEvidence(
          leastMargin: 3, agreement: 1, keyword: keyword, fitsGrammar: true,
          hasFrequentPlant: true, capitalHeight: 20, ground: 1,
          characters: text.enumerated().map {
            CharacterRead(character: String($1), confidence: $0 == place ? 0.7 : 0.99)
          }), region: region)
    }
    var fusion = Fusion()
    fusion.add(candidates)
    var judgement = SerialJudgement(
      fusion.serials, textSeen: TextSeen(photoSize: PixelSize(width: 800, height: 600)),
      thresholds: ReadingThresholds(accept: 0.97, refuse: 0.4), codes: ConfigurationCodes(adding: codes))
    while let index = judgement.nextToAsk() { judgement.note(answer, on: index) }
    return judgement.reads.first { $0.serial == Self.serial }?.confidence ?? 0
  }
}
