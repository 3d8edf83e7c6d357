import AppleSerial
import TextReading

/// Takes serials out of a line as it was read, by the grammar, the spaces and the keywords.
enum CandidateParsing {
  /// What a replaced look-alike costs, on the recogniser's scale of confidence.
  static let foldCost: Float = 15

  /// All candidates of a line, best first.
  static func candidates(in line: TextLine) -> [ParsedCandidate] {
    let symbols = line.symbols
    let keywords = Keywords.ends(in: symbols.map(\.character))
    var found: [ParsedCandidate] = []
    for start in symbols.indices {
      for length in [12, 11, 10] where start + length <= symbols.count {
        if let candidate = candidate(symbols, start, length, keywords[start] ?? 0) { found.append(candidate) }
      }
    }
    return found.sorted { $0.quality > $1.quality }
  }

  private static func candidate(_ symbols: [Symbol], _ start: Int, _ length: Int, _ keyword: Int) -> ParsedCandidate? {
    let end = start + length
    let startsWord = start == 0 || symbols[start].startsWord
    let endsCleanly = end == symbols.count || symbols[end].startsWord
    let innerSpaces = symbols[start + 1..<end].count { $0.startsWord }
    let isWhole = endsCleanly && innerSpaces == 0
    // Without a keyword only a whole word can be a serial; the shorter forms need both.
    guard keyword > 0 || (startsWord && isWhole), length == 12 || (keyword > 0 && isWhole) else { return nil }
    var text: [UInt8] = []
    var confidences: [Float] = []
    var folds = 0
    for symbol in symbols[start..<end] {
      guard let (byte, replaced) = LookAlikes.fold(symbol.character) else { return nil }
      text.append(byte)
      confidences.append(symbol.confidence - (replaced ? foldCost : 0))
      folds += replaced ? 1 : 0
    }
    guard folds <= 3 else { return nil }
    let digits = text.count { $0 < UInt8(ascii: "A") }
    let breaksGrammar =
      length == 12 && !(SerialNumber.halfYears.contains(text[3]) && SerialNumber.weeks.contains(text[4]))
    if length == 12, keyword == 0,
      breaksGrammar || text[0] < UInt8(ascii: "A") || !(2...9).contains(digits)
    {
      return nil
    }
    let mean = confidences.reduce(0, +) / Float(length)
    var quality: Float = keyword > 0 ? 20 + 3 * Float(keyword) : 0
    quality += endsCleanly ? 12 : 0
    quality -= 8 * Float(innerSpaces) + 6 * Float(folds)
    quality -= breaksGrammar ? 25 : 0
    quality += text.starts(with: "C02".utf8) ? 8 : 0  // the plant most often seen
    quality += length == 12 ? 4 : 0
    quality += (mean - 80) * 0.5
    return ParsedCandidate(
      text: text, confidences: confidences, keyword: keyword, firstSymbol: start, endsCleanly: endsCleanly,
      breaksGrammar: breaksGrammar, folds: folds, innerSpaces: innerSpaces, quality: quality)
  }
}
