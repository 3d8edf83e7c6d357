import AppleSerial
import Imaging
import TextReading

/// Determines which way up the lines are, and whether they are text at all.
enum DirectionTest {
  /// The readings worth keeping, by line, and the lines that are illegible both ways.
  typealias Outcome = (readings: [Int: LineReader.Reading], illegible: Set<Int>)

  /// The mean confidence that only upright text reaches.
  static let upright: Float = 98.9
  /// Words and marks in the print around a serial. None of them can be misread from upside-down text.
  static let words = [
    "appl", "model", "mode!", "seri", "calif", "fcc", "emc", "ices", "nmb", "rated", "assem", "china", "iec", "design",
    "bcga", "579c", "device", "rules",
  ]
  /// The mean confidence that text reaches either way up; texture scores about 80.
  static let texture: Float = 84
  /// The mean confidence that text reaches in at least one direction.
  static let legible: Float = 86
  /// The mean confidence that print reaches in at least one direction, and the number of further lines tried if some do
  /// not.
  static let print: Float = 90
  static let moreLines = 2
  /// Difference of both ways' legibility, or mean confidence, from which no further line is read.
  static let clear: Float = 2
  /// What a known word adds to the legibility, or mean confidence, of its line.
  static let wordWeight: Float = 8
  /// The number of characters from which a line's mean confidence counts, and from which `upright` does.
  private static let leastCharacters = (ofLine: 4, ofUpright: 12)
  /// The mean confidence above which a labelled value is upright.
  private static let uprightValue: Float = 90
  /// Half the length of the middle of a line that is read both ways, in capital heights: some 18 characters in all.
  static let halfMiddle: Float = 9
  /// The crop of that middle.
  private static let variant = CropVariant(heightFactor: 0.9)
  /// The confidence above which a character is legible, and the number of characters that shorter lines count as.
  private static let base: (confidence: Float, characters: Int) = (70, 8)

  /// Tests the best `lines` lines, and sets the reader's direction; nil if nothing is legible either way: texture,
  /// scratches, edges.
  ///
  /// A label with a serial or a confident reading decides at once. Otherwise the middles of the lines are read both
  /// ways and compared; the recogniser's confidence alone is a weak criterion.
  static func run(_ reader: LineReader, lines: Int) -> Outcome? {
    var kept: [Int: LineReader.Reading] = [:]
    var best: Float = 0
    for index in reader.lines.indices.prefix(lines) {
      guard let reading = reader.read(index) else { continue }
      kept[index] = reading
      best = max(best, confidence(reading.line))
      if isUpright(reading) { return (kept, []) }
    }
    // An empty reading of a line's end does not rule out text in the middle: lines may extend into brushed metal.
    let wasRead = kept.values.contains { !$0.line.symbols.isEmpty }
    if best < texture, wasRead { return nil }
    var comparison = Comparison()
    for index in reader.lines.indices.prefix(lines + moreLines) where comparison.asked < lines {
      let ways = [false, true].map { isUpsideDown in
        reader.isUpsideDown = isUpsideDown
        return middle(index, reader)
      }
      best = max(best, ways.map(confidence).max() ?? 0)
      if best < legible { return nil }
      comparison.add(index, ways)
      if comparison.isClear { break }
    }
    if best < legible { return nil }
    reader.isUpsideDown = comparison.isUpsideDown
    return (reader.isUpsideDown ? [:] : kept, comparison.illegible)
  }

  /// A comparison of lines read both ways, upright first.
  private struct Comparison {
    /// The number of legible lines, and the illegible ones.
    private(set) var asked = 0
    private(set) var illegible: Set<Int> = []
    /// The summed legibility of each direction, for legible and for illegible lines.
    private var legibilities: [Float] = [0, 0]
    private var ofIllegible: [Float] = [0, 0]

    mutating func add(_ index: Int, _ ways: [TextLine]) {
      let scores = ways.map { legibility($0) + (holdsWords($0) ? wordWeight : 0) }
      if ways.contains(where: { $0.meanConfidence >= print || holdsWords($0) }) {
        asked += 1
        legibilities = zip(legibilities, scores).map(+)
      } else {
        // The bars of a code are illegible both ways, which does not affect the print next to it.
        illegible.insert(index)
        ofIllegible = zip(ofIllegible, scores).map(+)
      }
    }

    /// Whether no further line is needed.
    var isClear: Bool { abs(legibilities[0] - legibilities[1]) > clear }

    var isUpsideDown: Bool {
      let scores = asked > 0 ? legibilities : ofIllegible
      return scores[1] > scores[0]
    }
  }

  private static func confidence(_ line: TextLine) -> Float {
    line.symbols.count < leastCharacters.ofLine ? 0 : line.meanConfidence
  }

  private static func isUpright(_ reading: LineReader.Reading) -> Bool {
    if holdsWords(reading.line) { return true }
    if reading.line.symbols.count >= leastCharacters.ofUpright, reading.line.meanConfidence >= upright { return true }
    guard let best = reading.candidates.first, best.keyword > 0 else { return false }
    return best.confidences.reduce(0, +) / Float(best.text.count) > uprightValue
  }

  private static func holdsWords(_ line: TextLine) -> Bool {
    let text = String(line.symbols.map(\.character)).lowercased()
    return words.contains { text.contains($0) }
  }

  private static func middle(_ index: Int, _ reader: LineReader) -> TextLine {
    let line = reader.line(index)
    let middle = (line.left + line.right) / 2
    let half = min(line.length / 2, halfMiddle * line.capitalHeight)
    return reader.read(index, range: (middle - half)...(middle + half), variant: variant)?.line ?? TextLine(symbols: [])
  }

  /// The legibility of a line: the mean excess of its confidences over `base`.
  private static func legibility(_ line: TextLine) -> Float {
    line.symbols.reduce(0) { $0 + max(0, $1.confidence - base.confidence) }
      / Float(max(base.characters, line.symbols.count))
  }
}

/// The reading of a unit as if upright.
struct UnitText {
  /// The unit's place.
  var segment: TextSegment
  /// The first reading.
  var line: TextLine

  /// Whether it is text, either way up: texture scores about 80, and higher by chance if it has only a few characters.
  var isLegible: Bool { line.symbols.count >= Self.leastCharacters && line.meanConfidence >= DirectionTest.print }
  private static let leastCharacters = 5
}

/// Detects whether lines are upside down, by reading some of them both ways.
///
/// Upside-down text reads nearly as well, so both ways are cut alike, and known words weigh more: those of labels, and a
/// few that stand on every device.
struct UprightTest {
  let crops: CropReader

  /// Maximum number of lines tried.
  private static let mostLines = 3
  /// The least length of a line that is tried, in capital heights, and its least number of characters.
  private static let least: (length: Float, characters: Int) = (4, 5)
  private static let knownWords = [
    "apple", "california", "designed", "assembled", "model", "serial", "number", "version", "iphone", "address", "name",
    "about", "macos", "memory", "phone", "china",
  ]

  /// Whether lines read better when turned by 180 degrees. Tests those with the most characters among the legible ones,
  /// or among all if none was legible.
  ///
  /// On a screen with moiré the longest lines are stripes, which read equally badly both ways.
  ///
  /// - Parameter asRead: The lines that were read as if upright.
  func isUpsideDown(_ lines: [TextSegment], asRead: [UnitText]) -> Bool {
    let legible = asRead.filter(\.isLegible).sorted { $0.line.symbols.count > $1.line.symbols.count }.map(\.segment)
    let long = lines.filter { $0.length >= Self.least.length * $0.capitalHeight && $0.count >= Self.least.characters }
      .sorted { $0.count > $1.count }
    var difference: Float = 0
    for line in (legible.isEmpty ? long : legible).prefix(Self.mostLines) where abs(difference) <= DirectionTest.clear {
      guard let upright = score(line, isUpsideDown: false), let upsideDown = score(line, isUpsideDown: true) else {
        continue
      }
      difference += upsideDown - upright
    }
    return difference > 0
  }

  /// The score of a line read one way; nil if it is not print.
  private func score(_ line: TextSegment, isUpsideDown: Bool) -> Float? {
    // The middle of a line is enough.
    let middle = (line.left + line.right) / 2
    let half = min(line.length / 2 + line.capitalHeight, DirectionTest.halfMiddle * line.capitalHeight)
    guard let crop = crops.cut(line, (middle - half)...(middle + half), .measured, isUpsideDown: isUpsideDown),
      // Upside-down lines resemble order numbers and labels. If the text turns out to be upside down, it is read again.
      let text = isUpsideDown ? crops.readUnnoted(crop) : crops.read(crop)
    else { return nil }
    let lower = text.text.lowercased()
    let isKnown =
      Self.knownWords.contains { lower.contains($0) } || LabelKeywords.strengths(before: text.text).isKnown
    return text.meanConfidence + (isKnown ? DirectionTest.wordWeight : 0)
  }
}
