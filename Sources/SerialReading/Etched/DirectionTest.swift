import TextReading

/// Finds out which way up the lines stand, and whether they are text at all.
enum DirectionTest {
  /// What was found out.
  enum Outcome {
    /// The lines stand upright or upside down. Readings made on the way that are worth keeping, by line, and the lines that read badly
    /// both ways.
    case text(isUpsideDown: Bool, readings: [Int: LineReader.Reading], illegible: Set<Int>)
    /// Nothing can be read either way: texture, scratches, edges.
    case texture
  }

  /// Mean confidence that only upright text reaches; upside-down text scores 90 to 97.
  static let upright: Float = 98.2
  /// Words and marks of the print around a serial: none can be read into upside-down text.
  static let words = [
    "appl", "model", "mode!", "seri", "calif", "fcc", "emc", "ices", "nmb", "rated", "assem", "china", "iec", "design",
    "bcga", "579c", "device", "rules",
  ]
  /// Mean confidence that text reaches either way up; texture scores about 80.
  static let texture: Float = 84
  /// Mean confidence that text reaches in one of both ways.
  static let legible: Float = 86
  /// Mean confidence that print reaches in one of both ways, and how many lines more are asked where some do not.
  static let print: Float = 90
  static let moreLines = 2
  /// Difference of two legibilities that needs no second line.
  static let clear: Float = 4

  /// Looks at the best lines, so many of them.
  ///
  /// A label with a serial, or a reading without doubt, settles it. Else the middles of the lines are read both ways and
  /// compared; the recogniser's confidence alone says little.
  static func run(_ reader: LineReader, lines: Int) -> Outcome {
    var kept: [Int: LineReader.Reading] = [:]
    var best: Float = 0
    for index in reader.lines.indices.prefix(lines) {
      guard let reading = reader.read(index, isUpsideDown: false, variant: CropVariant.unlike[0]) else { continue }
      kept[index] = reading
      best = max(best, reading.line.symbols.count < 4 ? 0 : reading.line.meanConfidence)
      if isUpright(reading) { return .text(isUpsideDown: false, readings: kept, illegible: []) }
    }
    // An end that was not read says nothing of the middle: lines run on into brushed metal.
    let wasRead = kept.values.contains { !$0.line.symbols.isEmpty }
    if best < texture, wasRead { return .texture }
    var comparison = Comparison()
    for index in reader.lines.indices.prefix(lines + moreLines) where comparison.asked < lines {
      let ways = [false, true].map { middle(index, isUpsideDown: $0, reader) }
      best = max(best, ways.map { $0.symbols.count < 4 ? 0 : $0.meanConfidence }.max() ?? 0)
      if best < legible { return .texture }
      comparison.add(index, ways)
      if comparison.isClear { break }
    }
    if best < legible { return .texture }
    let isUpsideDown = comparison.isUpsideDown
    return .text(isUpsideDown: isUpsideDown, readings: isUpsideDown ? [:] : kept, illegible: comparison.illegible)
  }

  /// Lines that were read both ways, upright first.
  private struct Comparison {
    /// How many of them can be read, and those that can't.
    private(set) var asked = 0
    private(set) var illegible: Set<Int> = []
    /// How well each way reads, of both.
    private var legibilities: [Float] = [0, 0]
    private var ofIllegible: [Float] = [0, 0]

    mutating func add(_ index: Int, _ ways: [TextLine]) {
      let scores = ways.map { legibility($0) + (holdsWords($0) ? 2 * clear : 0) }
      if ways.contains(where: { $0.meanConfidence >= print || holdsWords($0) }) {
        asked += 1
        legibilities = zip(legibilities, scores).map(+)
      } else {
        // The bars of a code read badly both ways, which says nothing of the print beside it.
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

  private static func isUpright(_ reading: LineReader.Reading) -> Bool {
    if holdsWords(reading.line) { return true }
    if reading.line.symbols.count >= 12, reading.line.meanConfidence >= upright { return true }
    guard let best = reading.candidates.first, best.keyword > 0 else { return false }
    return best.confidences.reduce(0, +) / Float(best.count) > 90
  }

  private static func holdsWords(_ line: TextLine) -> Bool {
    let text = String(line.symbols.map(\.character)).lowercased()
    return words.contains { text.contains($0) }
  }

  private static func middle(_ index: Int, isUpsideDown: Bool, _ reader: LineReader) -> TextLine {
    let line = reader.line(index)
    let middle = (line.left + line.right) / 2
    let half = min(line.length / 2, 9 * line.capitalHeight)
    let variant = CropVariant(heightFactor: 0.9, halfHeight: 0.88, shift: 0)
    let reading = reader.read(
      index, range: (middle - half)...(middle + half), isUpsideDown: isUpsideDown, variant: variant)
    return reading?.line ?? TextLine(symbols: [])
  }

  /// How well a line reads: the mean of what confidences exceed 70 by, short lines counted as 8 characters.
  private static func legibility(_ line: TextLine) -> Float {
    line.symbols.reduce(0) { $0 + max(0, $1.confidence - 70) } / Float(max(8, line.symbols.count))
  }
}
