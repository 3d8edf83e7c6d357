import ScanModel
import SerialReading
import Testing

/// Covers: the serials that the second model checks, and the report about those that are not accepted.
@Suite struct SerialJudgementTests {
  private static let rivals = ["7XJBQ8WK2M", "7XJBQ3WK2M"]

  private static func candidate(
    _ serial: String, _ confidence: Double, keyword: Double = 3, glyphMargin: Double? = 1.5,
    latticeMargin: Double? = nil, region: Quadrilateral? = nil
  ) -> Candidate {
    let evidence = TextEvidence(
      leastMargin: 3, agreement: 1, keyword: keyword, fitsGrammar: true,
      hasFrequentPlant: false, capitalHeight: 20, ground: 1,
      glyphMargin: glyphMargin, latticeMargin: latticeMargin)
    return Candidate(
      serial: serial, method: .tesseract, strategy: "rows", confidence: confidence, evidence: evidence, region: region)
  }

  private static func line(_ row: Double) -> Quadrilateral {
    Quadrilateral(
      PixelPoint(x: 100, y: row), PixelPoint(x: 280, y: row), PixelPoint(x: 280, y: row + 42),
      PixelPoint(x: 100, y: row + 42))
  }

  @Test func asksAboutEachDevice() throws {
    let texts = ["7XJBQ8WK2M", "V4TDH9RN1C", "LP5YG6FZ8W", "M2KQC7JX4T", "H9WRD3VB6N", "T8FNZ1LG5K"]
    var judgement = Self.judgement(
      texts.enumerated().map { Self.candidate($1, 0.99, region: Self.line(Double($0) * 60)) })
    var asked: Set<Int> = []
    while let index = judgement.nextToAsk() {
      asked.insert(index)
      judgement.note(index == 0 ? .agrees : .differs(places: 1, isLikely: true), on: index)
    }
    #expect(asked == Set(texts.indices))
    #expect(judgement.confidence(0) >= 0.97)
    #expect((1..<6).allSatisfy { judgement.confidence($0) < 0.97 })
  }

  private static func judgement(_ candidates: [Candidate], accept: Double = 0.97) -> SerialJudgement {
    var fusion = Fusion()
    fusion.add(candidates)
    return SerialJudgement(
      fusion.serials, textSeen: TextSeen(photoSize: PixelSize(width: 800, height: 600)),
      thresholds: ReadingThresholds(accept: accept, refuse: 0.4))
  }

  @Test(arguments: [(0.3, 3.0, 1), (0.05, 3.0, 0), (0.3, 0.0, 0)])
  func hiddenSerialMayBeAnotherDevicesBehindItsLabel(confidence: Double, keyword: Double, count: Int) throws {
    let judgement = Self.judgement([
      Self.candidate("7XJBQ8WK2M", 0.99, region: Self.line(0)),
      Self.candidate("V4TDH9RN1C", confidence, keyword: keyword, region: Self.line(600)),
    ])
    let reads = judgement.reads
    let own = try #require(reads.first)
    #expect(own.serial == "7XJBQ8WK2M" && judgement.likelySerials(beside: own, among: reads).count == count)
  }

  @Test(arguments: [("REG1STERED", 3.0), ("NETW0RK1NG", 0.0)])
  func doesNotShowWords(word: String, keyword: Double) {
    let judgement = Self.judgement([Self.candidate(word, 0.99, keyword: keyword)])
    #expect(judgement.confidence(0) < 0.4)
  }

  @Test func asksAboutNewLeader() throws {
    var judgement = Self.judgement([Self.candidate("7XJBQ8WK2M", 0.99), Self.candidate("V4TDH9RN1C", 0.989)])
    #expect(judgement.nextToAsk() == 0)
    judgement.note(.differs(places: 1, isLikely: true), on: 0)
    #expect(judgement.confidence(0) < 0.97 && judgement.confidence(1) > judgement.confidence(0))
    #expect(judgement.nextToAsk() == 1)
    judgement.note(.differs(places: 1, isLikely: true), on: 1)
    #expect(judgement.nextToAsk() == nil)
  }

  @Test func asksSecondModelOnlyIfItCouldChangeTheVerdict() {
    func asks(_ confidence: Double, glyphMargin: Double?) -> Bool {
      var judgement = Self.judgement([Self.candidate(Self.rivals[0], confidence, glyphMargin: glyphMargin)])
      return judgement.nextToAsk() != nil
    }
    #expect(!asks(0.999, glyphMargin: 5) && !asks(0.98, glyphMargin: 5))
    #expect(asks(0.96, glyphMargin: 5) && asks(0.999, glyphMargin: 2) && asks(0.999, glyphMargin: nil))
    // Even if it agrees, the confidence stays too low to show the serial.
    #expect(!asks(0.05, glyphMargin: 5))
  }

  @Test func doesNotAcceptUnconfirmedText() {
    func confidence(
      _ glyphMargin: Double?, _ answer: SecondOpinion.Answer, keyword: Double = 3, lattice: Double? = nil
    ) -> Double {
      var judgement = Self.judgement([
        Self.candidate(
          Self.rivals[0], 0.999, keyword: keyword, glyphMargin: glyphMargin, latticeMargin: lattice)
      ])
      judgement.note(answer, on: 0)
      return judgement.confidence(0)
    }
    let doubts = SecondOpinion.Answer.differs(places: 1, isLikely: true)
    #expect(confidence(1, .other) >= 0.97 && confidence(1, .agrees) >= 0.97 && confidence(4, doubts) >= 0.97)
    #expect(confidence(0.9, .other) <= 0.9 && confidence(nil, .none) <= 0.9 && confidence(3.9, doubts) <= 0.9)
    #expect(confidence(1, doubts, lattice: 4.3) >= 0.97 && confidence(0.9, doubts, lattice: 4.3) <= 0.9)
    #expect(confidence(6, .agrees, keyword: 0) <= 0.9)
    // Without strokes, the second model's agreement counts only if the first model was sure.
    #expect(confidence(nil, .agrees, lattice: 4.3) >= 0.97 && confidence(0.9, .agrees, lattice: 4.3) >= 0.97)
    #expect(confidence(nil, .agrees, lattice: 4.1) <= 0.9 && confidence(nil, .agrees) <= 0.9)
  }

  @Test func doesNotAcceptShortTextWithoutGroundAtItsEnds() {
    func confidence(_ serial: String, ground: Double) -> Double {
      let evidence = TextEvidence(
        leastMargin: 3, agreement: 1, keyword: 3, fitsGrammar: true, hasFrequentPlant: true, capitalHeight: 20,
        ground: ground, glyphMargin: 6)
      return Self.judgement([
        Candidate(serial: serial, method: .tesseract, strategy: "rows", confidence: 0.999, evidence: evidence)
      ]).confidence(0)
    }
    #expect(confidence("7XJBQ8WK2M", ground: 0.1) <= 0.75 && confidence("7XJBQ8WK2M", ground: 0.3) >= 0.97)
    #expect(confidence("C02ZK1ABMD6N", ground: 0.1) >= 0.97)
  }

  @Test func doesNotAcceptTextThatBeginsLikeOlderSerial() throws {
    var judgement = Self.judgement([Self.candidate("C02ZK1ABMD", 0.99, glyphMargin: 6)])
    judgement.note(.agrees, on: 0)
    let read = try #require(judgement.reads.first)
    #expect(read.confidence == 0.5 && read.doubts?.first?.code == "goes_on")
    // A code is whole or not read at all.
    let code = Candidate(serial: "C02ZK1ABMD", method: .barcode, strategy: "barcode", confidence: 0.99)
    #expect(Self.judgement([code]).confidence(0) >= 0.97)
  }

  @Test func acceptsReadingsOfDifferentLengthsOnlyIfSecondModelAgrees() {
    func confidence(_ answer: SecondOpinion.Answer) -> Double {
      let evidence = TextEvidence(
        leastMargin: 3, agreement: 0.6, keyword: 3, fitsGrammar: true, hasFrequentPlant: true, capitalHeight: 20,
        ground: 1, glyphMargin: 6)
      var judgement = Self.judgement([
        Candidate(
          serial: "C02ZK1ABMD6N", method: .tesseract, strategy: "rows", confidence: 0.999, evidence: evidence)
      ])
      judgement.note(answer, on: 0)
      return judgement.confidence(0)
    }
    #expect(confidence(.other) <= 0.9 && confidence(.agrees) >= 0.97)
  }

  @Test func acceptsNothingUnasked() throws {
    let texts = ["7XJBQ8WK2M", "V4TDH9RN1C", "LP5YG6FZ8W", "M2KQC7JX4T", "H9WRD3VB6N", "T8FNZ1LG5K"]
    var judgement = Self.judgement(texts.enumerated().map { Self.candidate($1, 0.99 - 0.002 * Double($0)) })
    while let index = judgement.nextToAsk() { judgement.note(.differs(places: 2, isLikely: true), on: index) }
    #expect(judgement.reads.allSatisfy { $0.confidence < 0.97 })
  }

  @Test func unacceptedSerialHasAReason() throws {
    let unlabelled = Self.judgement([Self.candidate(Self.rivals[0], 0.4, keyword: 0)]).reads
    #expect(unlabelled[0].doubts?.map(\.code) == ["no_label"])
    let rivals = Self.judgement(Self.rivals.map { Self.candidate($0, 0.9) }).reads
    #expect(rivals.allSatisfy { $0.doubts?.contains { $0.code == "other_reading" } ?? false })
    let accepted = Self.judgement([Self.candidate(Self.rivals[0], 0.99, glyphMargin: 6)]).reads
    #expect(accepted[0].doubts == [])
  }

  @Test(arguments: [0.97, 0.8])
  func damagedPictureNeedsReview(accept: Double) throws {
    var judgement = Self.judgement([Self.candidate(Self.rivals[0], 0.999, glyphMargin: 6)], accept: accept)
    #expect(judgement.told(0) >= 0.97)
    judgement.isDamaged = true
    #expect(judgement.told(0) <= 0.88 && judgement.told(0) < accept)
    #expect(judgement.reads[0].doubts?.first?.code == "damaged_file")
    // No strategy can settle it, so the run continues as if the picture were whole.
    #expect(judgement.confidence(0) >= 0.97)
  }

  @Test func namesSecondModelsReading() throws {
    var judgement = Self.judgement([Self.candidate(Self.rivals[0], 0.99)])
    let instead = SecondOpinion.Difference(place: 5, character: UInt8(ascii: "3"))
    judgement.note(.differs(places: 1, isLikely: true, instead: [instead]), on: 0)
    let doubts = try #require(judgement.reads.first?.doubts)
    #expect(doubts.contains { $0.sentence == "A second model reads its character 6 as 3." }, "\(doubts)")
  }

  @Test func doubtfulSerialHasADoubt() throws {
    let reads = Self.judgement([Self.candidate(Self.rivals[0], 0.5)]).reads
    #expect(reads[0].doubts?.isEmpty == false)
  }
}
