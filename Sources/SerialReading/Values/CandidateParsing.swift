import AppleSerial
import TextReading

/// The mark before a serial that follows its device's name. Inventories use parentheses (`iMac 24" (R6YB7VWG1V)`), the
/// Finder uses dots (`iPhone 16 · R6YB7VWG1V · 35 964667 502592 5`), and computers are named `MBP-R6YB7VWG1V`. XML has a
/// tag around each value, whatever precedes it: `<string>R6YB7VWG1V</string>`.
private enum DelimitingMark {
  case parenthesis
  case dot
  case hyphenOfName
  case tag

  /// Whether it marks a serial only after the name of an Apple device.
  var needsName: Bool { self == .parenthesis || self == .dot }

  private static let dots: Set<Character> = ["·", "•", "-", "–", "—", "|"]

  init?(before start: Int, in symbols: [Symbol]) {
    guard start > 0 else { return nil }
    switch symbols[start - 1].character {
    case "(": self = .parenthesis
    case ">": self = .tag
    case "-" where ComputerName.begins(symbols[..<start].text): self = .hyphenOfName
    case let mark where Self.dots.contains(mark): self = .dot
    default: return nil
    }
  }

  /// Whether the marked value ends before a symbol.
  func closes(before end: Int, in symbols: [Symbol]) -> Bool {
    guard end < symbols.count else { return self == .dot || self == .hyphenOfName }
    return switch self {
    case .parenthesis: symbols[end].character == ")"
    case .dot: symbols[end].startsWord || Self.dots.contains(symbols[end].character)
    case .hyphenOfName: symbols[end].startsWord
    case .tag: symbols[end].character == "<"
    }
  }
}

/// The mark that closes a parenthesis or a bracket, as the line models read it where they do not recognise it.
enum ClosingMark {
  private static let lookAlikes: Set<Character> = [")", "]", "J", "1", "I", "l", "|"]

  static func mayBe(_ symbol: Symbol) -> Bool { lookAlikes.contains(symbol.character) }

  /// Whether the last character of a value stands for such a mark: with it the value has no serial's format.
  static func isLast(of value: ArraySlice<Symbol>) -> Bool {
    guard let last = value.last, mayBe(last) else { return false }
    func isSerial(_ symbols: ArraySlice<Symbol>) -> Bool {
      SerialNumber(symbols.compactMap(\.serialByte)) != nil
    }
    return !isSerial(value) && isSerial(value.dropLast())
  }
}

extension Symbol {
  /// The character of serials that it is or is read as, in ASCII; nil if there is none.
  var serialByte: UInt8? { Confusions.folded(character)?.byte }
}

extension Confusions {
  /// Cost of a replaced look-alike, on the recogniser's confidence scale (0...100).
  package static let foldCost: Float = 15
  /// Maximum number of look-alikes replaced in one serial; ordinary words need more.
  static let mostFolds = 3
}

/// Extracts serials from a recognised line, by grammar, spaces and labels.
package enum CandidateParsing {
  /// All candidates in a line, best first.
  ///
  /// - Parameter labelAbove: How strongly the line above announces a serial. Such a value must be a separate word.
  package static func candidates(in line: TextLine, labelAbove: Float = 0) -> [ParsedCandidate] {
    let symbols = line.symbols
    let keywords = Keywords(line)
    let folded = symbols.indices.map { isParenthesis($0, in: symbols) ? nil : Confusions.folded(symbols[$0].character) }
    let isDevicePrint = DeviceMark.isDevicePrint(line.text)
    let namesApple = MakersSeen.namesApple(line.text) && !namesSigningIdentity(line.text)
    var found: [ParsedCandidate] = []
    let lengths = SerialNumber.Format.lengths
    for start in symbols.indices where start + lengths.lowerBound <= symbols.count {
      let mark = DelimitingMark(before: start, in: symbols).flatMap {
        namesApple || !$0.needsName
          || ($0 == .parenthesis && keywords.strengths(before: start - 1).announcesSerial) ? $0 : nil
      }
      let startsWord = start == 0 || symbols[start].startsWord || mark != nil
      guard startsWord || keywords.mayBegin(at: start), canBe(folded[start..<start + lengths.lowerBound]) else {
        continue
      }
      // `MAC-` begins a computer's name and is not a label.
      let strengths = mark == .hyphenOfName ? .none : keywords.strengths(before: start)
      guard !strengths.announcesOther, startsWord || strengths.announcesSerial else { continue }
      for length in lengths.reversed() where start + length <= symbols.count && canBe(folded[start..<start + length]) {
        let keyword = strengths.announcesSerial ? Float(strengths.serial) : startsWord ? labelAbove : 0
        let characters = folded[start..<start + length].compactMap { $0 }
        let closes = mark?.closes(before: start + length, in: symbols) ?? false
        let isMarked = isDevicePrint || (closes && mark != .tag)
        if var candidate = candidate(line, start, characters, keyword, isMarked, closes: closes) {
          candidate.lacksBeginning = keywords.holdBeginningOfValue(before: start)
          found.append(candidate)
        }
      }
    }
    return found.sorted { $0.rank > $1.rank }
  }

  /// Whether a text names a code-signing identity, in which a team's identifier has the format of a serial:
  /// `iPhone Distribution: A Person (G9B5P7QDV2)`.
  private static func namesSigningIdentity(_ text: String) -> Bool {
    let plain = text.lowercased().filter { $0 != " " }
    return ["developer:", "development:", "distribution:", "developerid", "installer:"].contains(where: plain.contains)
  }

  /// Whether a symbol is a parenthesis that closes within a serial's length; an unclosed one may be a `C`.
  private static func isParenthesis(_ index: Int, in symbols: [Symbol]) -> Bool {
    symbols[index].character == "(" && symbols[index...].prefix(14).contains { $0.character == ")" }
  }

  /// Number of digits that an unlabelled serial of ten or eleven characters may have in a device's print: words have
  /// fewer, approval numbers more.
  private static func digitsInDevicePrint(_ length: Int) -> ClosedRange<Int> { 2...length - 3 }

  /// Number of characters of a word that may be a serial without a label.
  private static let wholeWord = SerialNumber.Format.twelve.length

  /// Whether twelve characters may be a serial without a label, by their first one and the number of their digits: 2 to 9,
  /// or fewer behind a frequent plant's code. Of serials whose plant's code has no digit, a quarter have fewer than two.
  static func mayBeUnlabelled(_ serial: SerialNumber) -> Bool {
    guard serial.format == .twelve, let first = serial.text.first, first.isLetter else { return false }
    let digits = serial.text.count(where: \.isNumber)
    return (serial.hasFrequentPlant ? 0...9 : 2...9).contains(digits)
  }

  /// What a candidate's rank gains and loses.
  private enum Rank {
    /// A label, and each unit of its strength, up to a strength.
    static let (label, perStrength, mostStrength): (Float, Float, Float) = (20, 3, 3)
    /// A clean end, and a beginning with the most frequent plant.
    static let (cleanEnd, commonPlant): (Float, Float) = (12, 8)
    /// Each space inside, each replaced look-alike, and a broken grammar.
    static let (space, fold, otherGrammar): (Float, Float, Float) = (8, 6, 25)
    /// Each unit of the mean confidence, 0...100, above a usual one.
    static let (perConfidence, usualConfidence): (Float, Float) = (0.5, 80)
  }

  /// Marks that end a sentence or a part of one directly behind a value: `Serial: XK4Q2M9TRW/ Model: iMac`. Something
  /// that covers the value's last characters rarely reads as such a mark, and `EndGround` would find no ground beyond it.
  private static let marksOfSentence: Set<Character> = [".", ",", ";", "/"]

  /// Whether a symbol is such a mark and ends its word, or closes a parenthesis that the line opened before the label:
  /// `(S/N XK4Q2M9TRW)`.
  private static func endsSentence(_ symbols: [Symbol], at index: Int) -> Bool {
    let isLast = index + 1 == symbols.count || symbols[index + 1].startsWord
    if symbols[index].character == ")" || (isLast && ClosingMark.mayBe(symbols[index])) {
      return LabelKeywords.openParenthesis(in: symbols[..<index].map(\.character)) != nil
    }
    return isLast && marksOfSentence.contains(symbols[index].character)
  }

  private static func canBe(_ characters: ArraySlice<(byte: UInt8, changed: Bool)?>) -> Bool {
    characters.allSatisfy { $0 != nil } && characters.count { $0?.changed ?? true } <= Confusions.mostFolds
  }

  private static func candidate(
    _ line: TextLine, _ start: Int, _ characters: [(byte: UInt8, changed: Bool)], _ keyword: Float,
    _ isDevicePrint: Bool, closes: Bool
  ) -> ParsedCandidate? {
    let (symbols, length) = (line.symbols, characters.count)
    let end = start + length
    let endsCleanly =
      closes || end == symbols.count || symbols[end].startsWord || (keyword > 0 && endsSentence(symbols, at: end))
    let goesOn = !endsCleanly && (symbols[end].character.isLetter || symbols[end].character.isNumber)
    let innerSpaces = symbols[start + 1..<end].count { $0.startsWord }
    let text = characters.map(\.byte)
    let digits = text.count { $0 < UInt8(ascii: "A") }
    // Without a label only a whole word of twelve characters can be a serial. Shorter ones need a label or a device's
    // print.
    let isInDevicePrint =
      isDevicePrint && characters.allSatisfy { !$0.changed } && digitsInDevicePrint(length).contains(digits)
    guard keyword > 0 || (endsCleanly && innerSpaces == 0),
      length == wholeWord || (endsCleanly && (keyword > 0 || isInDevicePrint)), innerSpaces <= 1
    else { return nil }
    let string = String(decoding: text, as: UTF8.self)
    let serial = SerialNumber(string)
    let fits = serial != nil
    guard LookAlike(string) == nil, !LookAlike.isHidden(in: string), digits < length - 1,
      fits || (length == wholeWord && keyword > 0)
    else { return nil }
    if keyword == 0, SerialNumber.isWord(string, isAnnounced: false) { return nil }
    if keyword == 0, length == wholeWord, !(serial.map(mayBeUnlabelled) ?? false) { return nil }
    // `Serial No` with the `o` read as zero and joined to the value.
    if innerSpaces > 0, string.hasPrefix("N0"), symbols[start + 2].startsWord { return nil }
    let folds = characters.count(where: \.changed)
    let confidences = zip(symbols[start..<end], characters).map {
      $0.confidence - ($1.changed ? Confusions.foldCost : 0)
    }
    var quality = keyword > 0 ? Rank.label + Rank.perStrength * min(keyword, Rank.mostStrength) : 0
    quality += endsCleanly ? Rank.cleanEnd : 0
    quality -= Rank.space * Float(innerSpaces) + Rank.fold * Float(folds)
    quality -= fits ? 0 : Rank.otherGrammar
    quality += text.starts(with: "C02".utf8) ? Rank.commonPlant : 0
    quality += (confidences.reduce(0, +) / Float(length) - Rank.usualConfidence) * Rank.perConfidence
    return ParsedCandidate(
      text: text, confidences: confidences, keyword: keyword, endsCleanly: endsCleanly, goesOn: goesOn,
      isInDevicePrint: isInDevicePrint, folds: folds, spaces: innerSpaces, rank: quality, left: symbols[start].left,
      last: symbols[end - 1], steps: line.lattice?.steps(of: start..<end) ?? [])
  }
}

/// Rates whether the text before a place in a line announces a serial or something else.
struct Keywords {
  private let characters: [Character]
  /// The line with its spaces, and the index of each symbol in it.
  private let spaced: [Character]
  private let places: [Int]

  init(_ line: TextLine) {
    characters = line.symbols.map(\.character)
    var spaced: [Character] = []
    var places: [Int] = []
    for (index, symbol) in line.symbols.enumerated() {
      if symbol.startsWord, index > 0 { spaced.append(" ") }
      places.append(spaced.count)
      spaced.append(symbol.character)
    }
    self.spaced = spaced
    self.places = places
  }

  /// How strongly the text before a symbol announces a serial, and how strongly something else.
  func strengths(before symbol: Int) -> LabelKeywords.Strengths {
    let end = places[symbol]
    guard end > 0 else { return LabelKeywords.strengths(before: "") }
    let before = String(spaced[max(0, end - 40)..<end])
    // The line's edge cut off the label's first letters.
    if ["erial", "rial", "ial"].contains(where: before.hasPrefix), end <= 9 {
      return LabelKeywords.strengths(before: "Ser" + before.drop { "ser".contains($0) })
    }
    return LabelKeywords.strengths(before: before)
  }

  /// Whether a label and the first characters of a value stand before a symbol, as in `LabelKeywords`.
  func holdBeginningOfValue(before symbol: Int) -> Bool {
    LabelKeywords.holdsBeginningOfValue(String(spaced[..<places[symbol]]))
  }

  /// How strongly the end of the line announces a serial in the line below; 0 if it doesn't.
  var strengthAtEnd: Float {
    let strengths = LabelKeywords.strengths(before: String(spaced.suffix(40)))
    return strengths.announcesSerial ? Float(strengths.serial) : 0
  }

  /// Whether a value may begin at a symbol without a space before it: after punctuation, or joined to a word that ends
  /// like a label.
  func mayBegin(at symbol: Int) -> Bool {
    guard symbol > 0 else { return true }
    if ":#.)".contains(characters[symbol - 1]) { return true }
    // In `S NEW RELEASES`, `S N` is not a label.
    guard symbol > 1, places[symbol - 1] == places[symbol - 2] + 1 else { return false }
    let ending = String(characters[symbol - 2...symbol - 1]).lowercased()
    return ["al", "a1", "no", "n0", "er", "ie", "sn"].contains(ending)
  }

  /// Whether the text contains the beginning of a label or a serial although no serial was parsed; such a line is read
  /// once more.
  static func promisesSerial(_ text: String) -> Bool {
    let characters = Array(text)
    func matches(_ sets: [String], at start: Int) -> Bool {
      start + sets.count <= characters.count && sets.indices.allSatisfy { sets[$0].contains(characters[start + $0]) }
    }
    return characters.indices.contains { start in
      matches(["Ss5", "eacr", "r", "il1", "a"], at: start) || matches(["C", "0O", "2"], at: start)
    }
  }
}

/// A serial parsed from one reading of one line.
package struct ParsedCandidate: VotedReading, Sendable {
  /// 10, 11 or 12 characters of the alphabet of serials.
  var text: [UInt8]
  /// The recogniser's confidence per character, 0...100, minus the cost of replaced look-alikes.
  var confidences: [Float]
  /// Strength of the label before it: 0 if unlabelled, else 1.5...5.5 as rated by `LabelKeywords`.
  var keyword: Float
  /// Whether the line ends after it or a space follows.
  package var endsCleanly: Bool
  /// Whether a letter or digit follows without a recognised space.
  package var goesOn: Bool
  /// Whether its first characters seem to stand at the end of its label.
  package var lacksBeginning = false
  /// Whether it has a serial's format in a line printed on Apple devices.
  var isInDevicePrint: Bool
  /// Number of characters replaced as look-alikes.
  var folds: Int
  /// Number of spaces inside it.
  var spaces: Int
  /// Rank among candidates of one line; higher is better.
  var rank: Float
  /// Left end of its first character, in pixels of the crop.
  var left: Int
  /// Its last character.
  var last: Symbol
  /// The possible characters at each time step; empty if the recogniser reported none.
  var steps: [CharacterLattice.Step]

  package var string: String { String(decoding: text, as: UTF8.self) }
  /// The recogniser errs by up to these 12 pixels in the bounds of the first and the last character.
  static let inkMargins = (ground: 0, characters: 12)
  static let isBetweenWords = true
  /// Etched characters touch, so that ink does not tell their number.
  package func isWhole(by ink: LengthProof) -> Bool { endsCleanly }
  func rightEnd(in crop: LineCrop) -> Int { crop.rightEnd(of: last) }
}
