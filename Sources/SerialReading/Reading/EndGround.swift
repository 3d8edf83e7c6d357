import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Measures the ground before the first and after the last character of a read, in the photo's own gray values.
///
/// A finger, a reflection, a sticker or lost data over the last characters of a serial leaves a shorter serial that is
/// also valid and that every reading agrees on. After the end of a complete serial lies the same ground as between its
/// characters. After a covered end something else begins within the distance of the next character.
struct EndGround {
  /// The ground before the first and after the last character, in heights of capitals, up to `reach`; nil if the ends
  /// were not found.
  private(set) var before, after: Double?
  /// Whether the ground above and below the line continues before the first and after the last character. It does where
  /// text stands there, and not where something covers characters: that reaches beyond the line's height.
  private(set) var (continuesBefore, continuesAfter) = (false, false)

  /// The height of capitals in the measured strip, in pixels.
  private static let capital = 24
  /// How far the strip reaches beyond the ends, and half its height, in heights of capitals.
  private static let reach = 1.5
  private static let halfHeight = 0.95
  /// Rows from the middle that belong to the characters, and rows above and below that show the ground next to them, in
  /// pixels.
  private static let halfRows = 11
  private static let band = 17..<22
  /// The error in pixels of a read's place at its ends.
  private static let tolerance = 6
  /// The greatest distance in pixels from the ink to the start of the ground: blurred strokes have halos.
  private static let halo = 14
  /// The least number of consecutive columns that count as ground.
  private static let leastColumns = 4
  /// The columns from an end to which a straight line is fitted; it predicts the ground beyond the end.
  private static let trendColumns = 60
  /// The percentage of those columns, the nearest to the line, to which it is fitted again.
  private static let percentOfTrend = 70
  /// The percentage of pixels darker than the ink's level, and the least contrast between ground and ink.
  private static let (percentOfInk, leastContrast): (Int, Float) = (8, 4)

  /// The greatest deviations of a ground column, as shares of the contrast between ground and ink.
  ///
  /// In order: its mean from the ground above and below, that ground from the trend of the ground next to the
  /// characters, and the spread of its pixels beyond the noise. Tuned on generated pictures with covered ends; see
  /// docs/experiments.md.
  private static let (mostInk, mostStep, mostTexture) = (0.2, 0.25, 0.2)
  /// The least share of the columns beyond an end at which the ground above and below continues.
  private static let shareThatContinues = 0.7

  /// Measures a read in an upright picture, or in a strip that curved text was unrolled into.
  ///
  /// - Parameter edgeCuts: Whether the picture's edge is the photo's, which may cut the text off. A strip ends where its line does.
  init(_ place: ReadPlace, in picture: GrayPicture, edgeCuts: Bool) {
    let strip = place.strip(reach: Self.reach, halfHeight: Self.halfHeight, capital: Double(Self.capital))
    guard strip.width < LineCrop.widths.upperBound else { return }
    let columns = Columns(picture.strip(strip))
    let reach = Int(Self.reach * Double(Self.capital))
    let text = reach..<max(reach + 1, strip.width - reach)
    guard text.upperBound <= columns.mean.count, let ink = columns.ink(in: text) else { return }
    let isInside = { (x: Int) in
      [-Self.halfRows, Self.halfRows].allSatisfy { row in
        let source = strip.toSource.apply(Double(x), Double(strip.height / 2 + row))
        return (0..<Double(picture.width)).contains(source.x) && (0..<Double(picture.height)).contains(source.y)
      }
    }
    let noise = columns.noise(in: text)
    /// The columns of the text next to an end.
    func beside(_ end: Int, by step: Int) -> ClosedRange<Int> {
      let far = end - step * Self.trendColumns
      return max(0, min(end, far))...min(columns.mean.count - 1, max(end, far))
    }
    func width(from end: Int, by step: Int) -> Double {
      let trend = Trend(columns.ground, over: beside(end, by: step))
      let isGround = sequence(first: end + step) { $0 + step }
        .prefix { columns.mean.indices.contains($0) && (isInside($0) || !edgeCuts) }
        .map { !isInside($0) || columns.isGround($0, trend: trend, contrast: ink.contrast, noise: noise) }
      return Double(Self.width(of: isGround)) / Double(Self.capital)
    }
    (before, after) = (width(from: ink.first, by: -1), width(from: ink.last, by: 1))
    func continues(over next: Range<Int>, from end: Int, by step: Int) -> Bool {
      next.count >= Self.capital && next.allSatisfy(isInside)
        && columns.continues(over: next, beside: beside(end, by: step), contrast: ink.contrast)
    }
    continuesBefore = continues(over: max(0, ink.first - reach)..<ink.first, from: ink.first, by: -1)
    let end = min(columns.mean.count, ink.last + 1 + reach)
    continuesAfter = continues(over: min(ink.last + 1, end)..<end, from: ink.last, by: 1)
  }

  /// The column, counted from an end, at which the first run of ground ends; 0 if there is no ground.
  private static func width(of isGround: [Bool]) -> Int {
    let run = isGround.runs.prefix { $0.lowerBound <= halo }
      .first { $0.count >= leastColumns || $0.upperBound == isGround.count }
    return run?.upperBound ?? 0
  }

  /// Measurements of a strip's columns, dark text on lighter ground.
  private struct Columns {
    /// The mean of the characters' rows, and the mean distance of their pixels from it.
    var mean: [Float] = []
    var spread: [Float] = []
    /// The medians of the rows above and below, the lighter and the darker one.
    var ground: [Float] = []
    private var darkerGround: [Float] = []
    private var pixels: GrayPicture
    private var distanceOfBand: [Float] = []

    init(_ strip: GrayPicture) {
      let middle = strip.height / 2
      let bands = [-1, 1].map { side in
        EndGround.band.map { middle + side * $0 }.filter { (0..<strip.height).contains($0) }
      }
      let rows = middle - EndGround.halfRows..<middle + EndGround.halfRows
      func total(_ rows: some Sequence<Int>) -> Int {
        rows.reduce(0) { sum, y in (0..<strip.width).reduce(sum) { $0 + Int(strip[$1, y]) } }
      }
      let bandRows = bands.flatMap(\.self)
      let isDark = total(rows) * bandRows.count <= total(bandRows) * rows.count
      pixels = isDark ? strip : strip.inverted()
      for x in 0..<strip.width {
        let values = rows.map { Float(pixels[x, $0]) }
        let mean = values.reduce(0, +) / Float(values.count)
        self.mean.append(mean)
        spread.append(values.reduce(0) { $0 + abs($1 - mean) } / Float(values.count))
        let sides = bands.map { rows in rows.map { Float(pixels[x, $0]) }.sorted() }.filter { !$0.isEmpty }
          .sorted { $0[$0.count / 2] < $1[$1.count / 2] }
        let (darkest, lightest) = (sides.first ?? [mean], sides.last ?? [mean])
        let median = lightest[lightest.count / 2]
        ground.append(median)
        darkerGround.append(darkest[darkest.count / 2])
        distanceOfBand.append(lightest.reduce(0) { $0 + abs($1 - median) } / Float(lightest.count))
      }
    }

    /// The first and last column with ink in a range of text, and the contrast between ink and ground; nil if there is
    /// no ink.
    func ink(in text: Range<Int>) -> (first: Int, last: Int, contrast: Float)? {
      let rows = pixels.height / 2 - EndGround.halfRows..<pixels.height / 2 + EndGround.halfRows
      let values = text.flatMap { x in rows.map { pixels[x, $0] } }.sorted()
      let grounds = ground[text].sorted()
      guard !values.isEmpty else { return nil }
      let ink = Float(values[values.count * EndGround.percentOfInk / 100])
      let contrast = max(EndGround.leastContrast, grounds[grounds.count / 2] - ink)
      let near = max(0, text.lowerBound - EndGround.tolerance)..<min(mean.count, text.upperBound + EndGround.tolerance)
      let inked = near.filter { x in rows.count { Float(pixels[x, $0]) < ground[x] - 0.5 * contrast } >= 2 }
      guard let first = inked.first, let last = inked.last else { return nil }
      return (first, last, contrast)
    }

    /// The mean distance of the ground's pixels from its level.
    func noise(in text: Range<Int>) -> Float { distanceOfBand[text].reduce(0, +) / Float(text.count) }

    /// Whether the rows above and below most columns show the ground of the text beside them. Letters such as `p` reach
    /// into these rows.
    func continues(over columns: Range<Int>, beside text: ClosedRange<Int>, contrast: Float) -> Bool {
      [ground, darkerGround].allSatisfy { values in
        let trend = Trend(values, over: text)
        let alike = columns.count { abs(values[$0] - trend.value(at: $0)) <= Float(EndGround.mostStep) * contrast }
        return Double(alike) >= EndGround.shareThatContinues * Double(columns.count)
      }
    }

    /// Whether a column shows the ground of the text.
    ///
    /// Its mean may lie between the rows above and below, which differ on uneven ground.
    func isGround(_ x: Int, trend: Trend, contrast: Float, noise: Float) -> Bool {
      let most = Float(EndGround.mostInk) * contrast
      let darkest = max(darkerGround[x], ground[x] - most)
      return mean[x] >= darkest - most && mean[x] <= ground[x] + most
        && abs(ground[x] - trend.value(at: x)) <= Float(EndGround.mostStep) * contrast
        && spread[x] <= noise + Float(EndGround.mostTexture) * contrast
    }
  }

  /// The straight line fitted to the ground next to the characters, which accounts for uneven light.
  private struct Trend {
    private var (slope, offset): (Float, Float) = (0, 0)

    init(_ ground: [Float], over columns: ClosedRange<Int>) {
      func fit(_ columns: [Int]) {
        let values = columns.map { ground[$0] }
        (slope, offset) =
          Statistics.line(columns.map(Float.init), values) ?? (0, values.reduce(0, +) / Float(max(1, values.count)))
      }
      fit(Array(columns))
      let distances = columns.map { abs(ground[$0] - value(at: $0)) }.sorted()
      let most = distances[distances.count * EndGround.percentOfTrend / 100]
      fit(columns.filter { abs(ground[$0] - value(at: $0)) <= most })
    }

    func value(at x: Int) -> Float { offset + slope * Float(x) }
  }
}

/// The text right before and after a serial, read in one line with it.
///
/// In a sentence, spaces are narrower than the ground that `EndGround` asks for. Words, labels and marks that belong
/// together cover nothing: what covers characters does not read as lower-case letters.
package struct TextAround {
  /// Whether such text stands before and after the serial.
  package let (before, after): (Bool, Bool)

  /// How far the line is read, in heights of capitals: before the serial for a label in parentheses.
  static let reach = (before: 14.0, after: 8.0)
  /// Least confidence, 0...100, of each character, and number of lower-case letters of a word.
  private static let leastConfidence: Float = 90
  private static let leastLetters = 2
  /// The widest space, in heights of capitals, in which no worn character can be.
  private static let widestSpace: Float = 0.55
  /// Lower-case letters with the shape of a capital or digit, which the remains of covered characters may resemble.
  private static let likeCapitals: Set<Character> = ["c", "i", "j", "k", "l", "o", "p", "s", "u", "v", "w", "x", "z"]
  /// Marks between a value and the next word.
  private static let marks: Set<Character> = ["|", "/", "·", "•", "-", "–", "—", "("]

  /// Finds a serial in a line; nil if the line does not hold it.
  package init?(_ serial: String, in line: TextLine) {
    let symbols = line.symbols
    guard let place = symbols.map(\.serialByte).firstRange(of: serial.utf8.map(Optional.init)) else { return nil }
    let (start, ahead, rest) = (place.lowerBound, symbols[..<place.lowerBound], symbols[place.upperBound...])
    let opens = Self.isClear(ahead.suffix(1)) && ahead.last?.character == "("
    let closes = Self.isClear(rest.prefix(1)) && rest.first?.character == ")" && ahead.contains { $0.character == "(" }
    let isInTag =
      Self.isClear(ahead.suffix(1) + rest.prefix(2)) && ahead.last?.character == ">"
      && rest.prefix(2).map(\.character) == ["<", "/"]
    let isParted = symbols[start].startsWord && Self.areClose(ahead.last, symbols[start])
    before =
      (opens && closes) || isInTag
      || (isParted && Self.isWord(ahead[(ahead.lastIndex(where: \.startsWord) ?? start)...]))
      || (isParted && Keywords(line).strengths(before: start).announcesSerial)
    after =
      closes || isInTag
      || (Self.areClose(symbols[place.upperBound - 1], rest.first) && Self.isWord(Self.nextWord(rest)))
  }

  /// The next word of what follows a value, without a mark before it; empty if the value continues without a space.
  private static func nextWord(_ symbols: ArraySlice<Symbol>) -> ArraySlice<Symbol> {
    guard let first = symbols.first, first.startsWord || first.character == "/" else { return [] }
    let others = symbols.dropFirst()
    if marks.contains(first.character), others.first?.startsWord ?? false { return nextWord(others) }
    guard first.startsWord else { return [] }
    return symbols[..<(others.firstIndex(where: \.startsWord) ?? symbols.endIndex)]
  }

  /// Whether no character has room between two others.
  private static func areClose(_ first: Symbol?, _ second: Symbol?) -> Bool {
    guard let first, let second else { return false }
    return Float(second.left - first.right) <= widestSpace * LineCrop.capitalHeight
  }

  private static func isWord(_ symbols: ArraySlice<Symbol>) -> Bool {
    let letters = symbols.map(\.character).filter(\.isLowercase)
    return isClear(symbols) && letters.count >= leastLetters && !letters.allSatisfy(likeCapitals.contains)
  }

  private static func isClear(_ symbols: ArraySlice<Symbol>) -> Bool {
    symbols.allSatisfy { $0.confidence >= leastConfidence }
  }
}
