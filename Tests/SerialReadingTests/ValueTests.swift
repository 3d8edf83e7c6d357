import AppleSerial
import Imaging
import SerialReading
import Testing
import TextReading

/// A line as the recogniser returns it; spaces begin words.
private func line(_ text: String, confidence: Float = 95) -> TextLine {
  var symbols: [Symbol] = []
  var startsWord = true
  for (index, character) in text.enumerated() {
    if character == " " {
      startsWord = true
      continue
    }
    symbols.append(
      Symbol(
        character: character, confidence: confidence, left: index * 14, right: index * 14 + 12, startsWord: startsWord))
    startsWord = false
  }
  return TextLine(symbols: symbols)
}

/// Covers: readings that form one value, and the prefix attached to it.
@Suite struct ValueTextTests {
  @Test(arguments: [
    ("C02ZK1ABMD6N", "C02ZK1ABMD6N", ""), ("S/N:C02ZK1ABMD6N", "C02ZK1ABMD6N", "S/N:"),
    ("SN XK4Q2M9TRW", "XK4Q2M9TRW", "SN "), ("(S) Serial No. XK4Q2M9TRW", "XK4Q2M9TRW", "(S) Serial No. "),
    ("C02zkIABMD6N.", "C02ZK1ABMD6N", ""), ("number XK4Q2M9TRW", "XK4Q2M9TRW", "number "),
    ("de série XK4Q2M9TRW", "XK4Q2M9TRW", "de série "),
    ("\"serial_number\" : \"XK4Q2M9TRW\",", "XK4Q2M9TRW", "serial_number\" :"),
  ])
  func parsesValueAndPrefix(read: String, value: String, prefix: String) throws {
    let text = try #require(ValueText(line(read)))
    #expect(text.string == value)
    #expect(text.prefix.filter { $0 != " " } == prefix.filter { $0 != " " })
  }

  @Test func ignoresParentheses() throws {
    #expect(ValueText(line("Serial (R6YB7VWG1V)"))?.string == "R6YB7VWG1V")
    #expect(ValueText(line("(R6YB7VWG1V)."))?.string == "R6YB7VWG1V")
    // An unclosed parenthesis may be a C.
    #expect(ValueText(line("(02ZK1ABMD6N"))?.string == "C02ZK1ABMD6N")
  }

  @Test(arguments: [
    "(S/N R6YB7VWG1V)", "(S/N R6YB7VWG1VJ", "(SN: R6YB7VWG1Vl", "iPad (Serial No. R6YB7VWG1V1",
  ])
  func findsValueAfterLabelInParentheses(text: String) {
    #expect(ValueText(line(text))?.string == "R6YB7VWG1V")
    #expect(CandidateParsing.candidates(in: line(text)).first?.string == "R6YB7VWG1V")
  }

  @Test func findsValuesBetweenTags() {
    func found(_ text: String, below label: String = "") -> [String] {
      let strengths = LabelKeywords.strengths(before: label)
      return CandidateParsing.candidates(
        in: line(text), labelAbove: strengths.announcesSerial ? Float(strengths.serial) : 0
      ).map(\.string)
    }
    let tagged = "<string>R6YB7VWG1V</string>"
    #expect(found(tagged, below: "<key>SerialNumber</key>") == ["R6YB7VWG1V"])
    #expect(found("<key>SerialNumber</key>" + tagged) == ["R6YB7VWG1V"])
    #expect(found("<serial_number>R6YB7VWG1V</serial_number>") == ["R6YB7VWG1V"])
    #expect(found(tagged, below: "<key>UniqueDeviceID</key>").isEmpty)
    #expect(found("<key>IMEI</key>" + tagged).isEmpty)
    #expect(found(tagged).isEmpty)
  }

  @Test func keepsLastCharacterThatIsNoClosingMark() {
    #expect(ValueText(line("R6YB7VWG1VJ"))?.string == "R6YB7VWG1VJ")
    #expect(ValueText(line("R6YB7VWG1VJ"), isOpen: true)?.string == "R6YB7VWG1V")
    #expect(ValueText(line("S/N R6YB7VWG1VJ"))?.string == "R6YB7VWG1VJ")
    #expect(ValueText(line("(S/N R6YB7VWG1VJ)"))?.string == "R6YB7VWG1VJ")
    #expect(ValueText(line("(S/N C02ZK1ABMD6J"))?.string == "C02ZK1ABMD6J")
  }

  @Test(arguments: [("Serial C 2G414GMD6N", true), ("Serial No. 2G414GMD6N", false), ("SERIAL NO 2G414GMD6N", false)])
  func noticesFirstCharactersBehindLabel(text: String, lacksBeginning: Bool) throws {
    let found = CandidateParsing.candidates(in: line(text)).first { $0.string == "2G414GMD6N" }
    #expect(try #require(found).lacksBeginning == lacksBeginning)
  }

  @Test func ignoresParenthesesInLine() {
    let found = CandidateParsing.candidates(in: line("Serial (R6YB7VWG1V)")).map(\.string)
    #expect(found.first == "R6YB7VWG1V")
    #expect(!found.contains { $0.hasPrefix("CR6") })
  }

  @Test(arguments: [
    "Item 1: MacBook Air M1 (S/N XK4Q2M9TRW)", "Your repair of iMac 27 (serial number XK4Q2M9TRW) is complete.",
    "MacBook Pro (13-inch, 2020) (SN XK4Q2M9TRW)",
  ])
  func findsSerialWithItsLabelInParentheses(text: String) {
    let found = CandidateParsing.candidates(in: line(text))
    #expect(found.first?.string == "XK4Q2M9TRW" && found.first?.endsCleanly == true)
  }

  @Test(arguments: ["S/N XK4Q2M9TRW)", "iPad (2020) S/N XK4Q2M9TRW)"])
  func parenthesisNotOpenedMayBeACharacter(text: String) {
    #expect(CandidateParsing.candidates(in: line(text)).isEmpty)
  }

  @Test func parsesSerialWithOneDigitOnlyBehindFrequentPlant() {
    #expect(CandidateParsing.candidates(in: line("FVFFX6ZWPJEG")).map(\.string) == ["FVFFX6ZWPJEG"])
    #expect(CandidateParsing.candidates(in: line("XKFFX6ZWPJEG")).isEmpty)
  }

  @Test(arguments: [
    "member XK4Q2M9TRW", "MVVJ2LL/A", "Apple Watch Series 9", "16 GB", "A4:83:E7:12:34:56", "", "35 118236 858572 6",
  ])
  func ignoresOtherPayloadsOrText(read: String) { #expect(ValueText(line(read))?.isPlausible != true) }

  @Test func findsSerialInComputerName() throws {
    let text = try #require(ValueText(line("MAC-KCJGJT4W22")))
    #expect(text.string == "KCJGJT4W22" && text.prefix == "MAC-" && text.isInComputerName)
    #expect(ValueText(line("AB-KCJGJT4W22")) == nil)
    for name in ["MAC-KCJGJT4W22", "for MBP-KCJGJT4W22 has been sent", "MAC-C02X2TS8JG5H"] {
      let found = CandidateParsing.candidates(in: line(name)).map(\.string)
      #expect(found.count == 1 && name.contains(found[0]))
    }
    #expect(CandidateParsing.candidates(in: line("AB-KCJGJT4W22")).isEmpty)
  }

  @Test(arguments: [
    "iPhone Distribution: Anne Johnson, Inc. (G9B5P7QDV2)", "Apple Development: A. Person (5Q9UHJVQD7)",
    "Developer ID Application: A Mac Maker (G9B5P7QDV2)",
  ])
  func ignoresTeamsOfSigningIdentities(text: String) {
    #expect(CandidateParsing.candidates(in: line(text)).isEmpty)
    #expect(!CandidateParsing.candidates(in: line("iPhone 16 (G9B5P7QDV2)")).isEmpty)
  }

  @Test func findsLabelJoinedToTheValueInOneWordAlone() {
    #expect(CandidateParsing.candidates(in: line("SNXK4Q2M9TRW")).first?.string == "XK4Q2M9TRW")
    #expect(CandidateParsing.candidates(in: line("S NEWRELEASES")).isEmpty)
  }

  @Test(arguments: ["NETWORKING", "PANORAMICA", "CONFIGURATOR"])
  func ignoresWordsInCapitals(word: String) throws {
    #expect(try !#require(ValueText(line(word))).isPlausible)
    #expect(CandidateParsing.candidates(in: line(word)).isEmpty)
  }

  @Test func ignoresRestOfLabel() throws {
    let text = try #require(ValueText(line("l SHW4EMYH6Y"), afterLabel: { $0 == "l" }))
    #expect(text.string == "SHW4EMYH6Y")
    #expect(ValueText(line("l SHW4EMYH6Y"))?.string == "1SHW4EMYH6Y")
  }

  @Test func countsReplacedCharacters() throws {
    let text = try #require(ValueText(line("CO2ZKlABMD6N")))
    #expect(text.folds == 2)
    #expect(text.confidences.min() == 95 - Confusions.foldCost)
  }
}

/// Covers: whether a value continues in adjacent text.
@Suite struct ContinuationTests {
  @Test(arguments: ["4H501ENB21U", "Q4H501ENB21", "Serial: 4H5O1ENB21U", "4H501EN", ""])
  func reportsAdjacentText(read: String) {
    #expect(Continuation.goesOn("4H501ENB21", in: line(read)))
  }

  @Test(arguments: [
    "4H501ENB21 U", "Q 4H501ENB21", "Serial:4H501ENB21", "4H501ENB21.", "4H5O1ENB21", "S/N: 4H501ENB27 IC:",
  ])
  func ignoresDistantWords(read: String) {
    #expect(!Continuation.goesOn("4H501ENB21", in: line(read)))
  }
}

/// Covers: agreement of several readings of one value.
@Suite struct VoteTests {
  private static func vote(_ readings: String...) throws -> Vote {
    try #require(Vote(ofValues: readings.compactMap { ValueText(line($0)) }, tried: readings.count))
  }

  @Test func distinguishesTwoWordsFromOne() throws {
    #expect(try Self.vote("TERM 56718185", "TERM 56718185").isParted)
    #expect(try !Self.vote("VY1G7 QMSYS", "VY1G7QMSYS").isParted)
  }
}

/// Covers: the count of characters by their ink, cut ends, wide characters and specks.
@Suite struct LengthProofTests {
  private let height = 24

  /// Bars of ink, each a character `width` pixels wide, on a light crop.
  private func crop(_ characters: [(x: Int, width: Int)], length: Int, speck: Int? = nil) -> GrayPicture {
    var pixels = [UInt8](repeating: 230, count: length * 44)
    for character in characters {
      for y in 10..<34 {
        for x in character.x..<min(length, character.x + character.width) { pixels[y * length + x] = 20 }
      }
    }
    if let speck { for y in 30..<33 { for x in speck..<speck + 3 { pixels[y * length + x] = 20 } } }
    return GrayPicture(width: length, height: 44, pixels: pixels)
  }

  private func row(_ count: Int, from: Int = 30) -> [(x: Int, width: Int)] {
    (0..<count).map { (x: from + $0 * 18, width: 14) }
  }

  @Test func provesCharacterCount() {
    let proof = LengthProof(crop(row(12), length: 280), columns: 30...246, capitalHeight: 24)
    #expect(proof.verdict(for: 12) == .proven)
    #expect(proof.verdict(for: 11) == .refuted)
    #expect(proof.verdict(for: 13) == .refuted)
    #expect(min(proof.groundBefore, proof.groundAfter) >= LengthProof.leastGround)
  }

  @Test func detectsCutEnd() {
    let proof = LengthProof(crop(row(12), length: 242), columns: 30...242, capitalHeight: 24)
    #expect(min(proof.groundBefore, proof.groundAfter) < LengthProof.leastGround)
  }

  @Test func leavesCountOpenForWideCharacters() {
    var characters = row(12)
    characters[11].width = 24
    let proof = LengthProof(crop(characters, length: 290), columns: 30...256, capitalHeight: 24)
    #expect(proof.verdict(for: 12) == .possible)
    #expect(proof.verdict(for: 13) == .possible)
  }

  @Test func ignoresSpecksInCount() {
    let proof = LengthProof(crop(row(12), length: 320, speck: 270), columns: 30...246, capitalHeight: 24)
    #expect(proof.verdict(for: 12) == .proven)
  }

  @Test func detectsUnreadInk() {
    // Of thirteen characters, twelve were read, up to the last but one.
    let proof = LengthProof(crop(row(13), length: 300), columns: 30...246, capitalHeight: 24)
    #expect(proof.groundAfter < LengthProof.leastGround || proof.verdict(for: 12) == .refuted)
  }
}

/// Covers: the gap between a value and ink beside it outside its line, such as a label of two letters.
@Suite struct InkProfileTests {
  /// Characters 14 pixels wide, every 18 pixels, from column 60 to 182, and optionally more ink.
  private func profile(also ink: Range<Int>? = nil) -> InkProfile {
    let length = 230
    var pixels = [UInt8](repeating: 230, count: length * 44)
    let characters = (0..<7).map { 60 + $0 * 18..<74 + $0 * 18 } + (ink.map { [$0] } ?? [])
    for y in 10..<34 { for x in characters.joined() { pixels[y * length + x] = 20 } }
    return InkProfile(GrayPicture(width: length, height: 44, pixels: pixels))
  }

  @Test func detectsCutNeighbour() {
    #expect(profile(also: 0..<45).gaps(around: 60...182, capital: 24).before == 15)
    #expect(profile(also: 205..<230).gaps(around: 60...182, capital: 24).after == 23)
  }

  @Test func keepsWholeMarkInCrop() {
    #expect(profile(also: 30..<44).gaps(around: 60...182, capital: 24).before == nil)
  }

  @Test func inkAtLetterDistanceMayBelongToValue() {
    #expect(profile(also: 0..<54).gaps(around: 60...182, capital: 24).before == nil)
    #expect(profile().gaps(around: 60...182, capital: 24).after == nil)
  }
}

/// Covers: doubts about a text that may lack its beginning or end.
@Suite struct LongWordsTests {
  private static func words(_ texts: String..., confidence: Float = 98) -> LongWords {
    var words = LongWords()
    for text in texts { words.note(line(text, confidence: confidence)) }
    return words
  }

  @Test func continuingWordCastsDoubt() {
    #expect(Self.words("F17NLK07N1MH").continues("F17NLK07N1"))
    #expect(Self.words("Serial Number F17NLKO7N1MH").continues("F17NLK07N1"))
    #expect(Self.words("QF17NLK07N1").continues("F17NLK07N1"))
    #expect(Self.words("G0ONC90TTLCUV").continues("NC90TTLCUV"))
  }

  @Test func ignoresUnrelatedWords() {
    #expect(!Self.words("F17NLK07N1 MH", "F17NLK07N1", "F17NLK07N1MHXXX", "A17NLK07N1MH").continues("F17NLK07N1"))
    #expect(!Self.words("F17NLK07N1MH", confidence: 90).continues("F17NLK07N1"))
    #expect(!Self.words("SF17NLK07N1MH").continues("F17NLK07N1MH"))
  }
}

/// Covers: serials cut out of a longer word.
@Suite struct LongerWordTests {
  @Test(arguments: [
    ("S/N: 0ABC3HCN699902Y", true), ("Serial C02ZK1ABMD6N Model", false), ("Serial C02ZK1ABMD6N|", false),
  ])
  func detectsTwelveCharactersOfLongerWord(read: String, goesOn: Bool) throws {
    let candidate = try #require(CandidateParsing.candidates(in: line(read)).first)
    #expect(candidate.string.count == 12 && candidate.goesOn == goesOn)
  }
}

/// Covers: values at the end of a sentence.
@Suite struct EndOfSentenceTests {
  @Test(arguments: [
    "Serial number: XK4Q2M9TRW.", "Serial number XK4Q2M9TRW, bought in May", "The serial number XK4Q2M9TRW; the model",
  ])
  func endsBeforeMark(read: String) throws {
    let candidate = try #require(CandidateParsing.candidates(in: line(read)).first)
    #expect(candidate.string == "XK4Q2M9TRW" && candidate.isWhole(by: Self.noInk))
  }

  private static let noInk = LengthProof(GrayPicture(width: 1, height: 1, gray: 0), columns: 0...0, capitalHeight: 24)

  @Test(arguments: ["Serial number: XK4Q2M9TRW.5", "Serial number: XK4Q2M9TRW-", "Ticket XK4Q2M9TRW."])
  func rejectsOtherMarks(read: String) { #expect(CandidateParsing.candidates(in: line(read)).isEmpty) }
}

/// Covers: a wide letter at a word's beginning that was read in two halves.
@Suite struct HalvesOfLettersTests {
  /// A line of characters that were read in some columns.
  private static func line(_ text: String, _ columns: [Range<Int>]) -> TextLine {
    let symbols = zip(text, columns).enumerated().map { index, symbol in
      Symbol(
        character: symbol.0, confidence: 98, left: symbol.1.lowerBound, right: symbol.1.upperBound,
        startsWord: index == 0)
    }
    return TextLine(symbols: symbols, lattice: CharacterLattice(symbols: symbols.map { _ in [[]] }))
  }

  private static func picture(_ pieces: [Range<Int>]) -> GrayPicture {
    GrayPicture(width: 300, height: 44) { pixels in
      for index in pixels.indices { pixels[index] = 230 }
      for y in 10..<34 { for x in pieces.joined() { pixels[y * 300 + x] = 20 } }
    }
  }

  /// Characters behind the first one.
  private static func rest(_ count: Int, from: Int) -> [Range<Int>] {
    (0..<count).map { from + 18 * $0..<from + 18 * $0 + 14 }
  }

  @Test(arguments: [("CQ6L9X2M4T7", 1), ("GQ6L9X2M4T7", 1), ("QC6L9X2M4T7", 1), ("CQC6L9X2M4T7", 2)])
  func joinsHalvesInOnePieceOfInk(read: String, extra: Int) throws {
    let rest = Self.rest(9, from: 54)
    let halves = (0...extra).map { 30 + 20 * $0 / (extra + 1)..<30 + 20 * ($0 + 1) / (extra + 1) }
    let line = Self.line(read, halves + rest).withoutHalvesOfLetters(in: Self.picture([30..<50] + rest), capital: 24)
    #expect(line.text == "Q6L9X2M4T7")
    #expect(line.lattice?.symbols.count == 10 && line.lattice?.symbols.first?.count == extra + 1)
    #expect(line.symbols[0].left == 30 && line.symbols[0].right == 50)
  }

  @Test func keepsLettersOfTheirOwn() throws {
    let rest = Self.rest(9, from: 78)
    let letters = [30..<48, 52..<72]
    let line = Self.line("CQ6L9X2M4T7", letters + rest)
    #expect(line.withoutHalvesOfLetters(in: Self.picture(letters + rest), capital: 24) == line)
    // Two others touch, so that there are fewer pieces than characters.
    let touching = [rest[0].lowerBound..<rest[1].upperBound] + rest[2...]
    #expect(line.withoutHalvesOfLetters(in: Self.picture(letters + touching), capital: 24) == line)
    // The two touch each other.
    #expect(line.withoutHalvesOfLetters(in: Self.picture([30..<72] + rest), capital: 24) == line)
    let other = Self.line("BQ6L9X2M4T7", [30..<40, 40..<50] + rest)
    #expect(other.withoutHalvesOfLetters(in: Self.picture([30..<50] + rest), capital: 24) == other)
  }
}

/// Covers: words too short for a line, such as a column's header.
@Suite struct AbbreviationTests {
  private func letter(_ x: Int, _ y: Int, _ height: Int = 18) -> Component {
    Component(
      x: x, y: y, width: 12, height: height, area: 90, centroidX: Float(x + 6), centroidY: Float(y + height / 2))
  }

  @Test func findsWordsOfTwoOrThreeCharacters() {
    let header = [letter(100, 20), letter(115, 20)]
    let value = (0..<10).map { letter(100 + 15 * $0, 80) }
    let found = TextSegment.abbreviations(of: value + header + [letter(300, 20), letter(300, 140)])
    #expect(found.count == 1 && found.first?.left == 100 && found.first?.right == 127)
    #expect(TextSegment.abbreviations(of: header + [letter(130, 20)]).count == 1)
    // The beginning of a longer word, with lower-case letters.
    #expect(TextSegment.abbreviations(of: header + [letter(130, 26, 12), letter(145, 26, 12)]).isEmpty)
    #expect(TextSegment.abbreviations(of: []).isEmpty)
  }

  /// `screen_clean_1.jpg` with `SN` some pixels before its value in place of `Serial Number`, in narrow letters, and a gray
  /// strip before that, as beside a label's edge.
  private static func picture(withAbbreviation gap: Int) throws -> GrayPicture {
    let whole = try testPicture("screen_clean_1.jpg")
    let (valueStart, ground, narrowing) = (368, UInt8(210), 0.7)
    // Columns of the letters, and the row at which each is drawn: the line rises to the right.
    let letters = [(columns: 84..<112, row: 261), (columns: 198..<230, row: 264)]
    let widths = letters.map { Int(Double($0.columns.count) * narrowing) }
    let start = valueStart - gap - widths.reduce(0, +)
    return GrayPicture(width: whole.width, height: whole.height) { pixels in
      for index in pixels.indices {
        let (y, x) = index.quotientAndRemainder(dividingBy: whole.width)
        let isBlank = (258..<322).contains(y) && (60..<352).contains(x)
        let isStrip = (230..<340).contains(y) && (start - 60..<start - 30).contains(x)
        pixels[index] = isStrip ? 140 : isBlank ? ground : whole[x, y]
      }
      var left = start
      for (letter, width) in zip(letters, widths) {
        for y in 0..<50 {
          for x in 0..<width {
            let place = (Double(x) + 0.5) / narrowing - 0.5
            let (column, share) = (letter.columns.lowerBound + Int(place), place - place.rounded(.down))
            let (here, next) = (Double(whole[column, 268 + y]), Double(whole[column + 1, 268 + y]))
            pixels[(letter.row + y) * whole.width + left + x] = UInt8(here * (1 - share) + next * share)
          }
        }
        left += width
      }
    }
  }

  @Test(arguments: [50, 60, 70])
  func readsAbbreviationOnWideGround(gap: Int) throws {
    let reading = try read(Self.picture(withAbbreviation: gap))
    #expect(reading.topSerial?.serial == "VY1G7QMSYS")
    #expect(reading.verdict == .accepted, "\(reading)")
  }
}

/// Covers: values without a label in a line of etched print.
@Suite struct UnlabelledPrintTests {
  @Test func acceptsTenCharactersInDevicePrint() {
    let found = CandidateParsing.candidates(in: line("Designed by Apple in California 48438XLJSS"))
    #expect(found.map(\.string) == ["48438XLJSS"])
  }

  @Test(arguments: ["iMac 24 M1 8C/7C (48438XLJSS)", "MacBook Pro (48438XLJSS) in stock"])
  func acceptsTenCharactersInParenthesesAfterDeviceName(read: String) {
    #expect(CandidateParsing.candidates(in: line(read)).map(\.string) == ["48438XLJSS"])
  }

  @Test(arguments: ["iPhone 16 · 48438XLJSS · 359646675025925", "iPad mini - 48438XLJSS", "iPhone 16 • 48438XLJSS"])
  func acceptsTenCharactersBetweenDotsAfterDeviceName(read: String) {
    #expect(CandidateParsing.candidates(in: line(read)).map(\.string) == ["48438XLJSS"])
  }

  @Test(arguments: [
    "Keep this part of the ticket · 48438XLJSS · 2021", "iPhone 16 · 48438XLJSS/A", "iPhone 16 · ABCDEFGHJK · 128 GB",
    "Keep this part of the ticket (48438XLJSS)", "iMac 24 (48438XLJSS 2021)", "iMac 24 (4843817755)",
    "Keep this part of the ticket 48438XLJSS", "Designed by Apple in California 4843817755",
    "Designed by Apple in California Assembled", "Designed by Apple in California l843BXLJSS",
  ])
  func rejectsTenCharactersInOtherText(read: String) { #expect(CandidateParsing.candidates(in: line(read)).isEmpty) }
}

/// Covers: wide gaps that the recogniser did not read as spaces.
@Suite struct OverlookedSpacesTests {
  private static let text = "AK8CT02ZJE14.2"
  /// Ten characters of a serial, and the next column's.
  private static let columns = (0..<14).map { 30 + 18 * $0 + ($0 < 10 ? 0 : 40) }.map { $0..<$0 + 14 }

  private static func line(startsWord: Set<Int> = [0]) -> TextLine {
    TextLine(
      symbols: zip(text, columns).enumerated().map { index, symbol in
        Symbol(
          character: symbol.0, confidence: 98, left: symbol.1.lowerBound, right: symbol.1.upperBound,
          startsWord: startsWord.contains(index))
      })
  }

  private static func picture(inked: Range<Int>) -> GrayPicture {
    GrayPicture(width: 400, height: 44) { pixels in
      for index in pixels.indices { pixels[index] = 230 }
      for y in 10..<34 { for x in columns[inked].joined() { pixels[y * 400 + x] = 20 } }
    }
  }

  @Test func wideGapPartsValueFromNextColumn() {
    let line = Self.line().withOverlookedSpaces(in: Self.picture(inked: 0..<14), capital: 24)
    #expect(line == Self.line(startsWord: [0, 10]))
    #expect(CandidateParsing.candidates(in: line, labelAbove: 3).first?.string == "AK8CT02ZJE")
  }

  @Test func gapOfFaintCharactersPartsNothing() {
    let picture = Self.picture(inked: 0..<3)
    #expect(Self.line().withOverlookedSpaces(in: picture, capital: 24) == Self.line())
    let around = GrayPicture(width: 400, height: 44) { pixels in
      for index in pixels.indices { pixels[index] = 230 }
      for y in 10..<34 { for x in (Self.columns[0..<3] + Self.columns[6..<10]).joined() { pixels[y * 400 + x] = 20 } }
    }
    #expect(Self.line().withOverlookedSpaces(in: around, capital: 24) == Self.line())
  }
}
