import ScanModel
import SerialReading
import Testing
import TextReading

/// Covers: combining the reads of several strategies and methods, for one serial and for conflicting serials.
@Suite struct FusionTests {
  private static let serial = "C02ZK1ABMD6N"

  private static func fused(_ candidates: Candidate...) -> [FusedSerial] {
    var fusion = Fusion()
    fusion.add(candidates)
    return fusion.serials
  }

  private static func text(
    _ confidence: Double, _ strategy: String, _ serial: String = Self.serial, at region: Quadrilateral? = nil
  ) -> Candidate {
    Candidate(serial: serial, method: .tesseract, strategy: strategy, confidence: confidence, region: region)
  }

  @Test func fallbackKeepsDoubtOfEarlierStrategy() throws {
    let found = try #require(Self.fused(Self.text(0.48, "rows"), Self.text(0.99, "text")).first)
    // The mean of the log-odds -0.08 and 4.6.
    #expect(abs(found.confidence - 0.905) < 0.005)
    #expect(found.surest == 0.99)
  }

  @Test func agreeingStrategiesAreNotIndependent() throws {
    let found = try #require(Self.fused(Self.text(0.8, "text"), Self.text(0.8, "rows")).first)
    #expect(abs(found.confidence - 0.8) < 1e-9)
  }

  @Test func agreeingCodeAndTextMultiplyTheirDoubts() throws {
    let code = Candidate(serial: Self.serial, method: .barcode, strategy: "barcode", confidence: 0.9)
    let found = try #require(Self.fused(Self.text(0.8, "text"), code).first)
    #expect(abs(found.confidence - 0.98) < 1e-9)
    #expect(found.surest >= found.confidence)
  }

  @Test func similarTextsReduceEachOthersConfidence() throws {
    let found = Self.fused(Self.text(0.9, "text"), Self.text(0.6, "rows", "C02ZK1A8MD6N"))
    #expect(found.map(\.serial) == [Self.serial, "C02ZK1A8MD6N"])
    #expect(abs(found[0].confidence - 0.9 * (1 - 0.3)) < 1e-9)
    #expect(found[0].surest < 0.9)
  }

  /// A text of ten characters, with the votes of the strokes of its third and fourth.
  private static func text(_ confidence: Double, _ serial: String, strokes: [Int: [Float]]) -> Candidate {
    let evidence = TextEvidence(
      leastMargin: 2, agreement: 1, keyword: 3, fitsGrammar: true,
      hasFrequentPlant: false, capitalHeight: 20, ground: 1, strokes: strokes)
    return Candidate(
      serial: serial, method: .tesseract, strategy: "rows", confidence: confidence, evidence: evidence)
  }

  private static func logs(_ byte: Character, _ log: Float, _ other: Character, _ otherLog: Float) -> [Float] {
    GlyphModel.alphabet.map { Character(UnicodeScalar($0)) }.map { $0 == byte ? log : $0 == other ? otherLog : -9 }
  }

  /// Print along a curve leaves a straight crop in the middle of a character.
  @Test(arguments: ["FF1X9QXSH3", "FF1X9QXSH9", "3F1X9QXSH318"])
  func textCutShortDoesNotDisputeTheLongerOne(cut: String) throws {
    let found = Self.fused(Self.text(0.99, "text-curved", "FF1X9QXSH318"), Self.text(0.4, "rows", cut))
    #expect(found[0].serial == "FF1X9QXSH318")
    #expect((found[0].confidence == 0.99) == (cut.count < 12))
    #expect(try #require(found.last?.confidence) < (cut.count < 12 ? 0.1 : 0.4))
  }

  @Test func textWithoutGroundDisputesNoMoreThanItIsReportedWith() throws {
    func line(_ serial: String, _ confidence: Double, ground: Double) -> Candidate {
      let evidence = TextEvidence(
        leastMargin: 2, agreement: 1, keyword: 3, fitsGrammar: true, hasFrequentPlant: false, capitalHeight: 20,
        ground: ground)
      return Candidate(
        serial: serial, method: .tesseract, strategy: "rows", confidence: confidence, evidence: evidence,
        region: Self.line(100, 100))
    }
    let whole = line("HCRH2EHZDAK8", 0.95, ground: 1)
    let found = Self.fused(whole, line("LHH2EHZDAK", 0.97, ground: 0))
    #expect(found.map(\.serial) == ["HCRH2EHZDAK8", "LHH2EHZDAK"])
    #expect(abs(found[0].confidence - 0.95 * (1 - 0.5 * 0.75)) < 1e-9)
    let withGround = Self.fused(whole, line("LHH2EHZDAK", 0.97, ground: 1))
    #expect(withGround.map(\.serial) == ["LHH2EHZDAK", "HCRH2EHZDAK8"])
  }

  @Test func keepsTextConfirmedByStrokes() throws {
    let own = [2: Self.logs("8", -0.2, "B", -1.7), 3: Self.logs("B", -0.1, "8", -3)]
    let others = [2: Self.logs("8", -0.4, "B", -1.1), 3: Self.logs("B", -0.2, "8", -2)]
    let found = Self.fused(
      Self.text(0.7, "Y7BB7Q1CCC", strokes: others), Self.text(0.5, "Y78B7Q1CCC", strokes: own))
    #expect(found.map(\.serial) == ["Y78B7Q1CCC", "Y7BB7Q1CCC"])
    #expect(found[0].confidence == 0.5 && found[1].confidence < 0.2)
    #expect(!found[0].isRefuted && found[1].isRefuted)
    let surer = Self.fused(
      Self.text(0.7, "Y7BB7Q1CCC", strokes: others), Self.text(0.01, "Y78B7Q1CCC", strokes: own))
    #expect(surer[0].serial == "Y7BB7Q1CCC" && !surer[0].isRefuted)
    let unknown = Self.fused(
      Self.text(0.7, "Y7BB7Q1CCC", strokes: [:]), Self.text(0.5, "Y78B7Q1CCC", strokes: [:]))
    #expect(unknown.map(\.serial) == ["Y7BB7Q1CCC", "Y78B7Q1CCC"])
    #expect(abs(unknown[0].confidence - 0.7 * 0.75) < 1e-9)
  }

  /// A line at a place, with capitals of 24 pixels.
  private static func line(_ x: Double, _ y: Double, length: Double = 180) -> Quadrilateral {
    Quadrilateral(
      PixelPoint(x: x, y: y), PixelPoint(x: x + length, y: y), PixelPoint(x: x + length, y: y + 42),
      PixelPoint(x: x, y: y + 42))
  }

  private static func code(_ serial: String, _ x: Double, _ y: Double, height: Double = 60) -> Candidate {
    let region = Quadrilateral(
      PixelPoint(x: x, y: y), PixelPoint(x: x + 300, y: y), PixelPoint(x: x + 300, y: y + height),
      PixelPoint(x: x, y: y + height))
    return Candidate(
      serial: serial, method: .barcode, strategy: "barcode", confidence: 0.99, region: region)
  }

  private static let batch = ["C07WK3B4PLJ9", "C07WK3K7PLJ9"]

  @Test func similarSerialsOfOneBatchKeepConfidence() {
    let rows = Self.fused(
      Self.text(0.995, "rows", Self.batch[0], at: Self.line(100, 100)),
      Self.text(0.995, "rows", Self.batch[1], at: Self.line(100, 136)))
    #expect(rows.count == 2 && rows.allSatisfy { abs($0.confidence - 0.995) < 1e-9 })
    let apart = Self.fused(
      Self.code(Self.batch[0], 100, 100), Self.text(0.995, "rows", Self.batch[1], at: Self.line(100, 900)))
    #expect(apart.count == 2 && apart.allSatisfy { $0.confidence >= 0.99 })
  }

  @Test func textsOfOneLineReduceEachOthersConfidence() {
    // One character dropped and one misread.
    let found = Self.fused(
      Self.text(0.995, "rows", "DLXN41CGPLJ9", at: Self.line(100, 100)),
      Self.text(0.995, "text", "DLXN47CGPL9", at: Self.line(104, 103)))
    #expect(found.allSatisfy { $0.confidence < 0.51 })
  }

  @Test func codeCompetesOnlyWithAdjacentText() throws {
    let labels = Self.fused(
      Self.code(Self.batch[0], 100, 100), Self.text(0.9, "rows", Self.batch[0], at: Self.line(100, 170)),
      Self.code(Self.batch[1], 100, 300), Self.text(0.9, "rows", Self.batch[1], at: Self.line(100, 370)))
    #expect(labels.count == 2 && labels.allSatisfy { $0.confidence > 0.99 })
    let misread = Self.fused(
      Self.code(Self.batch[0], 100, 100), Self.text(0.9, "rows", "C07WK384PLJ9", at: Self.line(100, 170)))
    #expect(misread.map(\.serial) == [Self.batch[0], "C07WK384PLJ9"] && misread[1].confidence < 0.1)
    // The code of one label, unread print between, and the print of another label.
    var fusion = Fusion()
    fusion.add([
      Self.code("FVFXK2QWJHD4", 100, 100), Self.text(0.9, "rows", at: Self.line(100, 170)),
      Self.text(0.9, "rows", Self.batch[1], at: Self.line(700, 800)),
    ])
    #expect(fusion.notes == ["A code says FVFXK2QWJHD4, the text \(Self.serial): check which belongs to the device."])
    let other = try #require(fusion.serials.first { $0.serial == Self.batch[1] })
    #expect(abs(other.confidence - 0.9) < 1e-9)
  }

  @Test func secondPlaceNeverLowersConfidence() throws {
    let once = [Self.text(0.99, "rows", at: Self.line(100, 100))]
    let again = once + [Self.text(0.6, "rows", at: Self.line(100, 400))]
    let misread = again + [Self.text(0.5, "text", "C02ZK1A8MD6N", at: Self.line(100, 400))]
    for candidates in [once, again, misread] {
      var fusion = Fusion()
      fusion.add(candidates)
      let found = try #require(fusion.serials.first)
      #expect(found.serial == Self.serial && abs(found.confidence - 0.99) < 1e-9)
    }
    var fusion = Fusion()
    fusion.add(again)
    let judgement = SerialJudgement(
      fusion.serials, textSeen: TextSeen(photoSize: PixelSize(width: 800, height: 600)),
      thresholds: ReadingThresholds(accept: 0.97, refuse: 0.4))
    #expect(judgement.reads.first?.places?.count == 1)
  }

  @Test func slantedLineIsOneLine() {
    func slanted(_ shift: Double) -> Quadrilateral {
      let points = [(0.0, 0.0), (180, 0), (180, 42), (0, 42)].map { x, y in
        PixelPoint(x: 300 + 0.8 * (x + shift) - 0.6 * y, y: 300 + 0.6 * (x + shift) + 0.8 * y)
      }
      return Quadrilateral(points[0], points[1], points[2], points[3])
    }
    let found = Self.fused(
      Self.text(0.9, "rows", "DLXN41CGPLJ9", at: slanted(0)),
      Self.text(0.8, "text", "DLXN47CGPL9", at: slanted(15)))
    #expect(found.allSatisfy { $0.confidence < 0.6 })
  }

  @Test func differingCodeAndTextConflict() throws {
    let code = Candidate(serial: "FVFXK2QWJHD4", method: .barcode, strategy: "barcode", confidence: 0.99)
    let found = Self.fused(Self.text(0.9, "text"), code)
    #expect(found.allSatisfy { $0.confidence < 0.6 })
  }

  /// A text with a label, hard to read; and a code of ten characters, which may be any number.
  private static func announced(
    _ confidence: Double, _ keyword: Double, _ serial: String, margin: Double = 1, strokes: Double? = nil,
    strategy: String = "rows", isPart: Bool = false, ground: Double = 1
  ) -> Candidate {
    let evidence = TextEvidence(
      leastMargin: margin, agreement: 1, keyword: keyword, fitsGrammar: true,
      hasFrequentPlant: false, capitalHeight: 20, ground: ground, glyphMargin: strokes,
      isPart: isPart)
    return Candidate(
      serial: serial, method: .tesseract, strategy: strategy, confidence: confidence, evidence: evidence)
  }

  private static let shortCode = Candidate(
    serial: "60V99ZGQRT", method: .barcode, strategy: "barcode", confidence: 0.7)

  @Test func codeConfirmsHardToReadLabelledText() throws {
    let labelled = try #require(Self.fused(Self.announced(0.04, 2, "60V99ZGQRT"), Self.shortCode).first)
    #expect(abs(labelled.confidence - (1 - 0.3 * 0.04)) < 1e-9)
    let weaker = try #require(Self.fused(Self.announced(0.04, 1.5, "60V99ZGQRT"), Self.shortCode).first)
    #expect(abs(weaker.confidence - (1 - 0.3 * 0.1)) < 1e-9)
    let unlabelled = try #require(Self.fused(Self.announced(0.04, 0, "60V99ZGQRT"), Self.shortCode).first)
    #expect(abs(unlabelled.confidence - (1 - 0.3 * 0.96)) < 1e-9)
  }

  @Test func textIsPartialIfEveryStrategySawItContinue() throws {
    let part = Self.announced(0.04, 2, "60V99ZGQRT", isPart: true)
    #expect(try #require(Self.fused(part).first).isPart)
    #expect(!(try #require(Self.fused(part, Self.announced(0.04, 2, "60V99ZGQRT", strategy: "text")).first).isPart))
    #expect(!(try #require(Self.fused(part, Self.shortCode).first).isPart))
  }

  @Test func textSimilarToCodeIsItsMisreading() throws {
    var fusion = Fusion()
    fusion.add([Self.announced(0.9, 2, "60V99ZG0RT"), Self.shortCode])
    let found = fusion.serials
    #expect(found.map(\.serial) == ["60V99ZGQRT", "60V99ZG0RT"])
    #expect((0.8..<0.95).contains(found[0].confidence))
    #expect(found[1].confidence < 0.3)
    #expect(
      fusion.notes == ["A code says 60V99ZGQRT, the text 60V99ZG0RT: compare both with the photo."])
  }

  @Test func confirmedTextIsNotAMisreadingOfAnotherCode() {
    let other = Candidate(serial: "60V99ZG0RT", method: .barcode, strategy: "barcode", confidence: 0.7)
    let found = Self.fused(Self.announced(0.9, 2, "60V99ZG0RT"), Self.shortCode, other)
    #expect(found.first?.serial == "60V99ZG0RT")
    #expect((found.first?.confidence ?? 0) > 0.95)
  }

  @Test func reportsConflictOfCodeAndText() {
    var fusion = Fusion()
    fusion.add([Self.text(0.2, "text", "FVFXK2QWJHD4"), Self.shortCode])
    #expect(fusion.notes.isEmpty)
    fusion.add([Self.text(0.9, "rows")])
    #expect(
      fusion.notes == ["A code says 60V99ZGQRT, the text \(Self.serial): check which belongs to the device."])
    #expect(fusion.serials.allSatisfy { $0.confidence < 0.7 })
  }

  @Test func truncatedTextYieldsToWholeText() throws {
    let found = Self.fused(
      Candidate(serial: "F17NLK07N1", method: .tesseract, strategy: "rows", confidence: 0.93),
      Candidate(serial: "F17NLK07N1MH", method: .tesseract, strategy: "text", confidence: 0.88))
    #expect(found.map(\.serial) == ["F17NLK07N1MH", "F17NLK07N1"])
    #expect(abs(found[0].confidence - 0.88) < 1e-9)
    #expect(found[1].confidence < 0.4)
  }

  @Test func longerTextThatIsNotASerialCutsNothingShort() throws {
    let found = Self.fused(
      Candidate(serial: "6HFWFB7UQ0", method: .tesseract, strategy: "beside-value", confidence: 0.98),
      Candidate(serial: "66HFWFB7UQ0", method: .tesseract, strategy: "rows", confidence: 0.3))
    #expect(found[0].serial == "6HFWFB7UQ0")
    #expect((0.8..<0.9).contains(found[0].confidence), "uncertain")
  }

  @Test func neighbouringCharacterDoesNotExtendText() throws {
    let found = Self.fused(
      Candidate(serial: "G8422E0SUQA", method: .tesseract, strategy: "rows", confidence: 0.99),
      Candidate(serial: "G8422E0SUQAA", method: .tesseract, strategy: "text", confidence: 0.2))
    #expect(found[0].serial == "G8422E0SUQA")
    #expect(found[0].confidence > 0.85)
  }
}
