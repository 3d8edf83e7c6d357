import AppleSerial
import TextReading

/// The mark before a serial that follows its device's name. Inventories use parentheses (`iMac 24" (R6YB7VWG1V)`), the
/// Finder uses dots (`iPhone 16 · R6YB7VWG1V · 35 964667 502592 5`).
private enum DelimitingMark {
  case parenthesis
  case dot

  private static let dots: Set<Character> = ["·", "•", "-", "–", "—", "|"]

  init?(before start: Int, in symbols: [Symbol]) {
    guard start > 0 else { return nil }
    switch symbols[start - 1].character {
    case "(": self = .parenthesis
    case let mark where Self.dots.contains(mark): self = .dot
    default: return nil
    }
  }

  /// Whether the marked value ends before a symbol.
  func closes(before end: Int, in symbols: [Symbol]) -> Bool {
    guard end < symbols.count else { return self == .dot }
    return switch self {
    case .parenthesis: symbols[end].character == ")"
    case .dot: symbols[end].startsWord || Self.dots.contains(symbols[end].character)
    }
  }
}

/// Extracts serials from a recognised line, by grammar, spaces and labels.
package enum CandidateParsing {
  /// Cost of a replaced look-alike, on the recogniser's confidence scale (0...100).
  static let foldCost: Float = 15
  /// Maximum number of look-alikes replaced in one serial; ordinary words need more.
  static let mostFolds = 3

  /// All candidates in a line, best first.
  ///
  /// - Parameters:
  ///   - line: The recognised line.
  ///   - labelAbove: How strongly the line above announces a serial. Such a value must be a separate word.
  package static func candidates(in line: TextLine, labelAbove: Float = 0) -> [ParsedCandidate] {
    let symbols = line.symbols
    let keywords = Keywords(line)
    let folded = symbols.indices.map { isParenthesis($0, in: symbols) ? nil : Confusions.folded(symbols[$0].character) }
    let isDevicePrint = DeviceMark.isDevicePrint(line.text)
    let namesApple = MakersSeen.namesApple(line.text)
    var found: [ParsedCandidate] = []
    for start in symbols.indices where start + 10 <= symbols.count {
      let mark = DelimitingMark(before: start, in: symbols).flatMap {
        namesApple || ($0 == .parenthesis && keywords.strengths(before: start - 1).announcesSerial) ? $0 : nil
      }
      let startsWord = start == 0 || symbols[start].startsWord || mark != nil
      guard startsWord || keywords.mayBegin(at: start), canBe(folded[start..<start + 10]) else { continue }
      let strengths = keywords.strengths(before: start)
      guard !strengths.announcesOther, startsWord || strengths.announcesSerial else { continue }
      for length in [12, 11, 10] where start + length <= symbols.count && canBe(folded[start..<start + length]) {
        let keyword = strengths.announcesSerial ? Float(strengths.serial) : startsWord ? labelAbove : 0
        let characters = folded[start..<start + length].compactMap { $0 }
        let closes = mark?.closes(before: start + length, in: symbols) ?? false
        if let candidate = candidate(symbols, start, characters, keyword, isDevicePrint || closes, closes: closes) {
          found.append(candidate)
        }
      }
    }
    return found.sorted { $0.quality > $1.quality }
  }

  /// Whether a symbol is a parenthesis that closes within a serial's length; an unclosed one may be a `C`.
  private static func isParenthesis(_ index: Int, in symbols: [Symbol]) -> Bool {
    symbols[index].character == "(" && symbols[index...].prefix(14).contains { $0.character == ")" }
  }

  /// Number of digits that an unlabelled serial of ten or eleven characters may have in a device's print: words have
  /// fewer, approval numbers more.
  private static func digitsInDevicePrint(_ length: Int) -> ClosedRange<Int> { 2...length - 3 }

  private static func canBe(_ characters: ArraySlice<(byte: UInt8, changed: Bool)?>) -> Bool {
    characters.allSatisfy { $0 != nil } && characters.count { $0?.changed ?? true } <= mostFolds
  }

  private static func candidate(
    _ symbols: [Symbol], _ start: Int, _ characters: [(byte: UInt8, changed: Bool)], _ keyword: Float,
    _ isDevicePrint: Bool, closes: Bool
  ) -> ParsedCandidate? {
    let length = characters.count
    let end = start + length
    let endsCleanly = closes || end == symbols.count || symbols[end].startsWord
    let goesOn = !endsCleanly && (symbols[end].character.isLetter || symbols[end].character.isNumber)
    let innerSpaces = symbols[start + 1..<end].count { $0.startsWord }
    let text = characters.map(\.byte)
    let digits = text.count { $0 < UInt8(ascii: "A") }
    // Without a label only a whole word of twelve characters can be a serial. Shorter ones need a label or a device's
    // print.
    let isInDevicePrint =
      isDevicePrint && characters.allSatisfy { !$0.changed } && digitsInDevicePrint(length).contains(digits)
    guard keyword > 0 || (endsCleanly && innerSpaces == 0),
      length == 12 || (endsCleanly && (keyword > 0 || isInDevicePrint)), innerSpaces <= 1
    else { return nil }
    let string = String(decoding: text, as: UTF8.self)
    let fits = SerialNumber(string) != nil
    guard LookAlike(string) == nil, !LookAlike.isHidden(in: string), digits < length - 1,
      fits || (length == 12 && keyword > 0)
    else { return nil }
    if keyword == 0, length == 12, text[0] < UInt8(ascii: "A") || !(2...9).contains(digits) { return nil }
    // `Serial No` with the `o` read as zero and joined to the value.
    if innerSpaces > 0, string.hasPrefix("N0"), symbols[start + 2].startsWord { return nil }
    let folds = characters.count(where: \.changed)
    let confidences = zip(symbols[start..<end], characters).map { $0.confidence - ($1.changed ? foldCost : 0) }
    var quality: Float = keyword > 0 ? 20 + 3 * min(keyword, 3) : 0
    quality += endsCleanly ? 12 : 0
    quality -= 8 * Float(innerSpaces) + 6 * Float(folds)
    quality -= fits ? 0 : 25
    quality += text.starts(with: "C02".utf8) ? 8 : 0  // the most frequent plant
    quality += (confidences.reduce(0, +) / Float(length) - 80) * 0.5
    return ParsedCandidate(
      text: text, confidences: confidences, keyword: keyword, firstSymbol: start, endsCleanly: endsCleanly,
      goesOn: goesOn,
      isInDevicePrint: isInDevicePrint, fitsGrammar: fits, folds: folds, innerSpaces: innerSpaces, quality: quality)
  }
}
