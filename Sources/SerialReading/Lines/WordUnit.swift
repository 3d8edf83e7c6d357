/// A word, or a few close together, within a line, with the shape of a possible serial.
struct WordUnit: Sendable {
  /// Index of the line in the list from which the units were made.
  var line: Int
  /// Left and right end in pixels, along the line's x coordinates.
  var left, right: Float
  /// Median height of its characters in pixels.
  var height: Float
  /// Similarity to a serial, 0...1: even heights, the usual number of strokes and proportions.
  var likeness: Float
  /// The same where a pixel is certain, as in a screenshot: lower-case letters of small print are a pixel or two lower
  /// than a capital.
  var sharpLikeness: Float
  /// Gaps to the neighbouring words of the line, in pixels; infinite at the line's ends.
  var gapBefore, gapAfter: Float
  /// Whether a word of it was parted from its neighbour at a gap narrower than between words.
  var isParted = false

  /// Gap that separates words, in capital heights; one pixel is added.
  static let wordGap: Float = 0.36
  /// Maximum gap between words of one value, in capital heights.
  static let joinableGap: Float = 0.9
  /// Range of a serial's width in capital heights: from condensed typefaces to wide ones with a short label.
  static let widths: ClosedRange<Float> = 4.6...13.5
  /// The same in most typefaces.
  private static let usualWidths: ClosedRange<Float> = 6...11.5

  /// What its shape makes of a unit's likeness.
  private enum Shape {
    /// Factors for few strokes as wide as characters that touch, for another number of strokes, and for another width.
    static let (joined, otherCount, otherWidth): (Float, Float, Float) = (0.42, 0.6, 0.7)
    /// The cost of each word after the first, and the least likeness.
    static let (costOfWord, least): (Float, Float) = (0.15, 0.4)
  }

  /// Range of a serial's number of strokes, and of one whose characters don't break or touch.
  private static let (counts, usualCounts) = (5...17, 8...13)

  /// The units of a line that have the shape of a serial.
  static func units(of line: TextSegment, at index: Int) -> [WordUnit] {
    let words = Word.words(of: line)
    var units: [WordUnit] = []
    for first in words.indices {
      for last in first..<min(first + 3, words.count) {
        if last > first, words[last].left - words[last - 1].right > joinableGap * line.capitalHeight { break }
        if let unit = unit(words, first, last, index) { units.append(unit) }
      }
    }
    return units
  }

  private static func unit(_ words: [Word], _ first: Int, _ last: Int, _ line: Int) -> WordUnit? {
    let part = words[first...last]
    guard let height = part.map(\.height).max(), let evenness = part.map(\.evenness).min(),
      let sharpEvenness = part.map(\.sharpEvenness).min()
    else { return nil }
    let (left, right) = (words[first].left, words[last].right)
    let count = part.reduce(0) { $0 + $1.count }
    let proportion = (right - left) / height
    // Where characters touch, a serial has few strokes, and is read after all others.
    let isJoined = count < counts.lowerBound && usualCounts.contains(part.reduce(0) { $0 + $1.characters })
    guard widths.contains(proportion), counts.contains(count) || isJoined else { return nil }
    let shape: Float =
      (usualCounts.contains(count) ? 1 : isJoined ? Shape.joined : Shape.otherCount)
      * (usualWidths.contains(proportion) ? 1 : Shape.otherWidth)
    let costOfWords = Shape.costOfWord * Float(last - first)
    let likeness = evenness * shape - costOfWords
    guard likeness >= Shape.least else { return nil }
    return WordUnit(
      line: line, left: left, right: right, height: height, likeness: likeness,
      sharpLikeness: sharpEvenness * shape - costOfWords,
      gapBefore: first > 0 ? left - words[first - 1].right : .infinity,
      gapAfter: last < words.count - 1 ? words[last + 1].left - right : .infinity,
      isParted: part.contains(where: \.isParted))
  }
}

extension WordUnit {
  /// Whether both cover part of the same line.
  func overlaps(_ other: WordUnit) -> Bool { line == other.line && left < other.right && right > other.left }

  /// Creates a unit from two columns of a line, whatever its shape, with little background before it; nil if nothing
  /// stands there.
  init?(_ columns: ClosedRange<Float>, of line: TextSegment, at index: Int) {
    let heights = line.boxes.filter { columns.contains($0.x) }.map(\.height)
    guard !heights.isEmpty else { return nil }
    self.init(
      line: index, left: columns.lowerBound, right: columns.upperBound, height: Statistics.median(heights), likeness: 1,
      sharpLikeness: 1, gapBefore: Self.wordGap * line.capitalHeight, gapAfter: .infinity)
  }
}

/// Characters of a line without a wide gap between them.
struct Word: Sendable {
  var left, right: Float
  var height: Float
  var count: Int
  /// Number of characters, touching ones counted by their width.
  var characters: Int
  /// Share of the characters with the usual height.
  var evenness: Float
  /// The same with less tolerance for single pixels.
  var sharpEvenness: Float
  /// Whether it was parted from its neighbour at a gap narrower than between words.
  var isParted = false

  static func words(of line: TextSegment) -> [Word] {
    let boxes = line.boxes.sorted { $0.left < $1.left }
    let limit = gapLimit(of: boxes, line.capitalHeight)
    return boxes.parted { gap, _ in gap > limit }.flatMap { members in
      let whole = Word(members)
      // Narrow or blurred spaces: a label and its value seem to be one word.
      guard whole.right - whole.left > WordUnit.widths.upperBound * whole.height,
        let widest = gaps(in: members).max(), widest > leastSpace * line.capitalHeight
      else { return [whole] }
      return members.parted { gap, _ in gap > likeWidest * widest }.map { Word($0, isParted: true) }
    }
  }

  /// Least space between the words of what seems to be one long word, in capital heights, and its share of the widest one.
  private static let (leastSpace, likeWidest): (Float, Float) = (0.2, 0.75)

  /// The gaps between successive characters.
  private static func gaps(in boxes: [TextSegment.Box]) -> [Float] {
    zip(boxes, boxes.dropFirst()).map { $1.left - $0.right }
  }

  /// The gap that separates words: by capital height, and wider in letterspaced and monospaced print.
  private static func gapLimit(of boxes: [TextSegment.Box], _ capital: Float) -> Float {
    let median = Statistics.median(gaps(in: boxes))
    let isLetterspaced = median > 0.28 * capital
    return isLetterspaced ? 1.9 * median + 1 : WordUnit.wordGap * capital + 1
  }

  /// Width of a stroke from which it is several touching characters, and the width of one of these with its space, in
  /// heights.
  private static let (leastJoined, pitch): (Float, Float) = (1.5, 0.7)

  /// Number of characters in a stroke.
  private static func characters(width: Float, height: Float) -> Int {
    width < leastJoined * height ? 1 : Int((width / (pitch * max(1, height))).rounded())
  }

  private init(_ boxes: [TextSegment.Box], isParted: Bool = false) {
    let height = Statistics.median(boxes.map(\.height))
    func share(within pixels: Float) -> Float {
      Float(boxes.count { abs($0.height - height) < 0.15 * height + pixels }) / Float(boxes.count)
    }
    left = boxes.map(\.left).min() ?? 0
    right = boxes.map(\.right).max() ?? 0
    (self.height, count, self.isParted) = (height, boxes.count, isParted)
    characters = boxes.reduce(0) { $0 + Self.characters(width: $1.width, height: height) }
    (evenness, sharpEvenness) = (share(within: 1), share(within: 0.5))
  }
}
