import Imaging

/// Finds lines of text along curves: bent pieces of text, continued character by character at both ends.
struct CurvedLineFinder {
  /// Finds the characters and the pieces.
  var finder: TextLineFinder

  /// Minimum number of characters of a bent piece, and its minimum bulge in capital heights.
  private static let leastCharacters = 6
  private static let leastBulge = 0.35
  /// Maximum number of pieces that are continued: texture has any number of bent ones.
  private static let mostPieces = 40
  /// Maximum median distance of the characters from a parabola, as a share of that from a straight line.
  private static let shareOfResidual: Float = 0.7

  /// The curved lines of an image, at most `most`, those from the longest pieces first.
  func lines(in picture: GrayPicture, polarity: StrokePolarity, most: Int) -> [CurvedLine] {
    let strokes = StrokeMask.make(of: picture, threshold: finder.strokeThreshold, polarity: polarity)
    let characters = CharacterComponents(
      strokes, sides: finder.characterSides.lowerBound...2 * finder.characterSides.upperBound)
    var growth = CurveGrowth(characters.components)
    var lines: [CurvedLine] = []
    for piece in pieces(of: characters, height: picture.height).prefix(Self.mostPieces) where lines.count < most {
      guard let chain = growth.grown(piece.middles, capital: piece.capital),
        let line = CurvedLine(through: chain, capital: piece.capital)
      else { continue }
      lines.append(line)
    }
    return lines
  }

  /// Whether a piece of text is bent like one along a curve.
  static func isBent(_ segment: TextSegment) -> Bool {
    guard segment.count >= leastCharacters,
      let (offset, slope, bend) = Statistics.parabola(segment.x.map(Double.init), segment.y.map(Double.init))
    else { return false }
    let half = Double(segment.length) / 2
    let bulge = abs(bend) * half * half
    guard bulge >= leastBulge * Double(segment.capitalHeight), bulge < 2 * half else { return false }
    let off = Statistics.median(
      zip(segment.x, segment.y).map { x, y in
        Float(abs(Double(y) - offset - slope * Double(x) - bend * Double(x) * Double(x)))
      })
    guard let line = Statistics.line(segment.x, segment.y) else { return false }
    let straight = Statistics.median(zip(segment.x, segment.y).map { abs($1 - line.slope * $0 - line.offset) })
    return off <= shareOfResidual * straight && Double(off) <= 0.3 * Double(segment.capitalHeight)
  }

  /// The bent pieces of text along rows and columns, those with most characters first.
  private func pieces(of characters: CharacterComponents, height: Int) -> [(middles: [PlanePoint], capital: Double)] {
    let rows = finder.segments(of: characters).filter(Self.isBent).map { segment in
      (zip(segment.x, segment.y).map { (x: Double($0), y: Double($1)) }.sorted { $0.x < $1.x }, segment)
    }
    let columns = finder.segments(of: characters.turnedClockwise()).filter(Self.isBent).map { segment in
      (
        zip(segment.x, segment.y).sorted { $0.0 < $1.0 }.map { (x: Double($1), y: Double(height) - Double($0)) },
        segment
      )
    }
    return (rows + columns).sorted { $0.1.count > $1.1.count }.map { ($0.0, Double($0.1.capitalHeight)) }
  }
}

/// Extends rows of characters along their curve.
private struct CurveGrowth {
  /// Number of last characters that define the curve, and the maximum number of characters in a line.
  private static let tail = 16
  private static let mostCharacters = 400
  /// Distance range of the next character, and its maximum distance from the curve (near the last character, plus a
  /// slope per pixel from it), in capital heights.
  private static let reach = 0.2...6.0
  private static let off = (near: 0.35, slope: 0.08)
  /// Range of the longer side of a character's box, in capital heights.
  private static let sides = 0.35...4.5
  /// Side of a grid cell, in pixels.
  private static let cell = 32.0

  private let middles: [PlanePoint]
  private let longestSides: [Double]
  private var grid: [Int: [Int]] = [:]
  private var isTaken: [Bool]

  init(_ components: [Component]) {
    middles = components.map { (Double($0.x) + Double($0.width) / 2, Double($0.y) + Double($0.height) / 2) }
    longestSides = components.map { Double($0.longestSide) }
    isTaken = components.map { _ in false }
    for (index, middle) in middles.enumerated() { grid[Self.key(middle.x, middle.y), default: []].append(index) }
  }

  /// The middles of a line's characters, in order, grown from some of them; nil if these belong to another line.
  mutating func grown(_ piece: [PlanePoint], capital: Double) -> [PlanePoint]? {
    var chain = piece.compactMap { place in near(place, within: 1).first { distance(middles[$0], place) < 0.8 } }
    guard chain.count >= 3, chain.count(where: { isTaken[$0] }) * 2 < chain.count else { return nil }
    var used = Set(chain)
    for _ in 0..<2 {
      while chain.count < Self.mostCharacters, let next = next(after: chain.suffix(Self.tail), used, capital) {
        chain.append(next)
        used.insert(next)
      }
      chain.reverse()
    }
    for index in chain { isTaken[index] = true }
    return chain.map { middles[$0] }
  }

  /// The nearest unused character on the curve of the last ones.
  private func next(after tail: ArraySlice<Int>, _ used: Set<Int>, _ capital: Double) -> Int? {
    guard let last = tail.last, let arc = LocalArc(through: tail.map { middles[$0] }, at: middles[last]) else {
      return nil
    }
    var best: (index: Int, along: Double)?
    for index in near(middles[last], within: Self.reach.upperBound * capital) where !used.contains(index) {
      let (along, off) = arc.position(of: middles[index])
      guard Self.reach.contains(along / capital), Self.sides.contains(longestSides[index] / capital),
        abs(off) < Self.off.near * capital + Self.off.slope * along
      else { continue }
      if along < best?.along ?? .infinity { best = (index, along) }
    }
    return best?.index
  }

  private func near(_ place: PlanePoint, within reach: Double) -> [Int] {
    let (left, right) = (Int((place.x - reach) / Self.cell), Int((place.x + reach) / Self.cell))
    let (top, bottom) = (Int((place.y - reach) / Self.cell), Int((place.y + reach) / Self.cell))
    return (top...bottom).flatMap { row in (left...right).flatMap { grid[row << 20 | $0] ?? [] } }
  }

  private static func key(_ x: Double, _ y: Double) -> Int { Int(y / cell) << 20 | Int(x / cell) }
}
