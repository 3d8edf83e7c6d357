import AppleSerial
import TextReading

extension SerialNumber.Format {
  /// The numbers of characters that any format has.
  static let lengths = ten.length...twelve.length
}

/// The reading of a value's place: one string of the alphabet of serials, and the text joined before it.
package struct ValueText: VotedReading, Sendable {
  /// Upper-case characters of the alphabet, 8...14 of them.
  package var text: [UInt8]
  /// The recogniser's confidence per character, 0...100, minus the cost of replaced look-alikes.
  package var confidences: [Float]
  /// Number of characters replaced as look-alikes.
  package var folds: Int
  /// Number of spaces inside it.
  package var spaces: Int
  /// Text before it in the same reading, such as `S/N:`.
  package var prefix: String
  /// Whether it is the end of a computer's name, `MBP-` being its prefix.
  package private(set) var isInComputerName = false
  /// Left end of the first and right end of the last character in the crop, in pixels.
  package var left, right: Int
  /// The possible characters at each time step; empty if the recogniser reported none.
  package var steps: [CharacterLattice.Step]

  /// Lengths that are kept. Those that no serial has show that characters were dropped or doubled.
  package static let lengths = 8...14
  static let inkMargins = (ground: 6, characters: 6)
  static let isBetweenWords = false

  /// Parses the whole reading as one value, after a label that ends in `:`, `#`, `)` or `=`; nil if invalid.
  ///
  /// - Parameters:
  ///   - isOpen: Whether text before the line opens a parenthesis.
  ///   - isLabel: Whether a short word before the last one is a label or the rest of one.
  package init?(_ line: TextLine, isOpen: Bool = false, afterLabel isLabel: (String) -> Bool = { _ in false }) {
    var symbols = line.symbols[...]
    var isInParentheses = false
    while let last = symbols.last, Self.marks.contains(last.character) || "->)_/".contains(last.character) {
      isInParentheses = isInParentheses || last.character == ")"
      symbols.removeLast()
    }
    symbols = symbols.drop { Self.marks.contains($0.character) || "-_<".contains($0.character) }
    var prefix = ""
    if let end = symbols.lastIndex(where: { ":#)=".contains($0.character) }) {
      prefix = symbols[...end].text
      symbols = symbols[(end + 1)...]
    }
    if let word = Self.lastWordAfterLabel(symbols) ?? Self.lastWord(of: symbols, after: isLabel) {
      prefix += symbols[..<word].text + " "
      symbols = symbols[word...]
    }
    symbols = symbols.drop { Self.marks.contains($0.character) }
    if let hyphen = symbols.lastIndex(where: { $0.character == "-" }) {
      let name = symbols[...hyphen].text
      if ComputerName.begins(name) {
        (isInComputerName, prefix) = (true, prefix + name)
        symbols = symbols[(hyphen + 1)...]
      }
    }
    // An unclosed parenthesis may be a `C`.
    if isInParentheses, symbols.first?.character == "(" { symbols.removeFirst() }
    let isUnclosed = !isInParentheses && (isOpen || LabelKeywords.openParenthesis(in: prefix) != nil)
    if isUnclosed, ClosingMark.isLast(of: symbols) { symbols.removeLast() }
    guard Self.lengths.contains(symbols.count) else { return nil }
    var text: [UInt8] = []
    var confidences: [Float] = []
    var folds = 0
    for symbol in symbols {
      guard let (byte, changed) = Confusions.folded(symbol.character) else { return nil }
      text.append(byte)
      confidences.append(symbol.confidence - (changed ? Confusions.foldCost : 0))
      folds += changed ? 1 : 0
    }
    guard folds <= Confusions.mostFolds, let first = symbols.first, let last = symbols.last else { return nil }
    self.text = text
    self.confidences = confidences
    self.folds = folds
    spaces = symbols.dropFirst().count { $0.startsWord }
    self.prefix = prefix
    (left, right) = (first.left, last.right)
    steps = line.lattice?.steps(of: symbols.startIndex..<symbols.endIndex) ?? []
  }

  /// Quotation marks and punctuation around a value: `"serial_number" : "XK4Q2M9TRW",`.
  private static let marks = ".,:;|'\"`“”„‘’«»"

  /// Index of the last word if it has a value's length and follows a label or its last words: `SN XK4Q2M9TRW`,
  /// `number XK4Q2M9TRW`. In small print the spaces are too narrow to part words before they are read.
  private static func lastWordAfterLabel(_ symbols: ArraySlice<Symbol>) -> Int? {
    guard let start = symbols.indices.dropFirst().last(where: { symbols[$0].startsWord }),
      lengths.contains(symbols[start...].count)
    else { return nil }
    let before = symbols[..<start].text
    let strengths = LabelKeywords.strengths(before: before)
    return strengths.announcesSerial || strengths.announcesOther || LabelKeywords.endsSerialLabel(before) ? start : nil
  }

  /// Index of the last word if it has a serial's length and follows one short word that counts as a label.
  private static func lastWord(of symbols: ArraySlice<Symbol>, after isLabel: (String) -> Bool) -> Int? {
    guard let start = symbols.indices.dropFirst().last(where: { symbols[$0].startsWord }),
      SerialNumber.Format.lengths.contains(symbols[start...].count),
      (1...mostOfCutLabel).contains(symbols[..<start].count)
    else { return nil }
    return isLabel(symbols[..<start].text) ? start : nil
  }

  /// Maximum length of a word that may be the rest of a label.
  private static let mostOfCutLabel = 3

  /// Whether the last words of a serial's label stand before it, which announce nothing without the first.
  var followsEndOfLabel: Bool {
    LabelKeywords.endsSerialLabel(prefix) && !LabelKeywords.strengths(before: prefix).announcesSerial
  }
  package var string: String { String(decoding: text, as: UTF8.self) }
  func isWhole(by ink: LengthProof) -> Bool { ink.verdict(for: text.count) == .proven }
  func rightEnd(in crop: LineCrop) -> Int { right }
  /// The mean confidence, 0...100.
  package var meanConfidence: Float { confidences.reduce(0, +) / Float(max(1, confidences.count)) }
  /// Its weight in a vote.
  var rank: Float { meanConfidence }
  /// Whether a serial can look like this: of a known length, with digits or a frequent plant's code, more than one letter,
  /// and not a word.
  package var isPlausible: Bool { SerialNumber.Format.lengths.contains(text.count) && isMixed }
  /// Whether a serial can look like this, or one with a doubled character.
  package var isPlausibleOrDoubled: Bool {
    (SerialNumber.Format.lengths.contains(text.count) || SerialNumber.Format.lengths.contains(text.count - 1))
      && isMixed
  }

  private var isMixed: Bool {
    let digits = text.count { $0 <= UInt8(ascii: "9") }
    return digits < text.count - 1 && (digits > 0 || SerialNumber(string)?.hasFrequentPlant == true)
      && !SerialNumber.isWord(string, isAnnounced: false)
  }
}

extension TextSegment {
  /// The width of capitals and digits in most typefaces, in heights of capitals.
  private static let usualWidth: Float = 0.65

  /// The height of its capitals, or more if they are wide. From above or below, rows are foreshortened across, and gaps
  /// are wide for that height.
  fileprivate var capitalByWidth: Float { max(capitalHeight, Statistics.median(boxes.map(\.width)) / Self.usualWidth) }

  /// The right end of the last character that begins before a place of the line, so that none is cut in two.
  fileprivate func endOfCharacter(at place: Float) -> Float {
    boxes.filter { $0.left < place }.map(\.right).max() ?? place
  }
}

/// Reads a value together with its close neighbours in the line, to detect whether the value continues there: in some
/// typefaces a `1` is as far from its neighbours as words are.
package struct Continuation {
  let crops: CropReader

  /// Maximum gap within a value, in capital heights: of twelve characters, and of fewer, which may be part of such a one.
  private static let closeGap: (whole: Float, short: Float) = (0.6, 1)
  /// Length of a neighbour that is read, in capital heights.
  private static let reach: Float = 1.5

  /// Whether a value continues beyond its unit, by the recogniser, which detects spaces between words; nil if nothing
  /// stands close to it.
  ///
  /// - Parameter relation: Position of the value's label. In the label's own line, the text before the value is the label.
  func goesOn(
    _ value: String, unit: WordUnit, in line: TextSegment, labelStands relation: LabelPlace.Relation?
  ) -> Bool? {
    let part = line.part(unit)
    let capital = part.capitalByWidth
    let isShort = value.utf8.count < SerialNumber.Format.twelve.length
    let close = (isShort ? Self.closeGap.short : Self.closeGap.whole) * capital
    let mayBegin = relation != .sameLine && unit.gapBefore < close
    guard mayBegin || unit.gapAfter < close else { return nil }
    let reach = Self.reach * capital
    let ground = UnitReader.shareOfGap * min(unit.gapBefore, capital)
    let left = unit.left - (mayBegin ? unit.gapBefore + reach : ground)
    let right =
      unit.gapAfter < close
      ? line.endOfCharacter(at: unit.right + unit.gapAfter + reach) : unit.right + capital
    let range = max(0, left)...min(Float(crops.source.picture.width - 1), right)
    guard range.lowerBound < range.upperBound, let crop = crops.cut(part, range, .measured),
      let reading = crops.read(crop)
    else { return nil }
    return Self.goesOn(value, in: reading)
  }

  /// Whether a reading contains a value with more characters directly before or after it, without a space; true if the
  /// value is not found.
  package static func goesOn(_ value: String, in reading: TextLine) -> Bool {
    let symbols = reading.symbols
    let bytes = symbols.map(\.serialByte)
    let start = bytes.indices.first { start in
      start + value.utf8.count <= bytes.count && zip(value.utf8, bytes[start...]).count { $0 != $1 } <= 1
    }
    guard let start else { return true }
    let end = start + value.utf8.count
    return (start > 0 && bytes[start - 1] != nil && !symbols[start].startsWord)
      || (end < bytes.count && bytes[end] != nil && !symbols[end].startsWord)
  }
}
