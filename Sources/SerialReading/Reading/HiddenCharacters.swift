import Imaging
import TextReading

/// Looks for places in a text where a character may be hidden or changed, so that what is left looks like another serial: a
/// gap too wide for the text, as worn print leaves; a white spot, as a reflection; or a dark one, as dirt.
///
/// All lengths are in pixels of a cut whose capitals have a height of 24 pixels, dark on light. They were set so that hardly
/// any of 711 undamaged drawn serials has such a place (docs/experiments.md).
enum HiddenCharacters {
  /// Rows above and below the middle that are searched.
  private static let halfRows = 15
  /// The least width of a character's ink.
  private static let leastInk = 2
  /// How much wider than the usual gap one is in which part of a character may be hidden, whatever stands beside it.
  private static let wide: Float = 12
  /// The same for a whole character: then the distance of the characters beside it is as many times the usual one.
  private static let (wideForCharacter, pitch): (Float, Float) = (8, 1.5)
  /// Gray value above which a pixel is ground.
  private static let leastGround: UInt8 = 150
  /// The side of a square in a white spot, and by how much it is brighter than the ground. A large spot counts as ground
  /// itself where the light is evened.
  private static let whiteSquares = [(side: 7, brighter: 36), (side: 10, brighter: 20)]
  /// How many times larger than in the usual character the largest square of ink is in a dark spot, and by how much.
  private static let (thicker, leastThicker): (Float, Float) = (2.1, 2)
  /// The enlargement at which such squares are measured: strokes are only three to five pixels thick.
  private static let enlargement = 2

  /// Whether a text may hide a character.
  static func areIn(_ text: [UInt8], of cut: GrayPicture) -> Bool {
    let pieces = LengthProof(
      cut, columns: 0...max(0, cut.width - 1), capitalHeight: Double(LineCrop.capitalHeight)
    ).pieces
    guard let columns = GlyphVote.columns(of: text, along: pieces, of: cut)?.clamped(to: 0..<cut.width) else {
      return false
    }
    let rows = cut.rows(aroundMiddle: halfRows)
    let grays = rows.flatMap { y in columns.map { cut[$0, y] } }.sorted()
    // Otherwise ground and strokes were mistaken for each other.
    guard !grays.isEmpty, grays[grays.count / 2] > leastGround else { return false }
    let ink = columns.map { x in rows.contains { cut[x, $0] < LengthProof.inkLevel } }.runs
      .filter { $0.count >= leastInk }
      .map { $0.lowerBound + columns.lowerBound..<$0.upperBound + columns.lowerBound }
    return hasWideGap(between: ink) || hasWhiteSpot(in: cut, rows, columns, grays) || hasDarkSpot(in: cut, rows, ink)
  }

  private static func hasWideGap(between ink: [Range<Int>]) -> Bool {
    let pairs = zip(ink, ink.dropFirst())
    let gaps = pairs.map { Float($1.lowerBound - $0.upperBound) }
    let distances = pairs.map { Float($1.lowerBound + $1.upperBound - $0.lowerBound - $0.upperBound) / 2 }
    guard !gaps.isEmpty else { return false }
    let usual = (gap: Statistics.median(gaps), distance: Statistics.median(distances))
    return zip(gaps, distances).contains { gap, distance in
      gap - usual.gap >= wide || (gap - usual.gap >= wideForCharacter && distance >= pitch * usual.distance)
    }
  }

  private static func hasWhiteSpot(
    in cut: GrayPicture, _ rows: Range<Int>, _ columns: Range<Int>, _ grays: [UInt8]
  ) -> Bool {
    let grounds = grays.drop { $0 <= leastGround }
    let ground = Int(grounds[(grounds.startIndex + grounds.endIndex) / 2])
    return whiteSquares.contains { square in
      let level = min(255, ground + square.brighter)
      return largestSquares(in: cut, rows) { Int($0) >= level }[columns].contains { $0 >= square.side }
    }
  }

  private static func hasDarkSpot(in cut: GrayPicture, _ rows: Range<Int>, _ ink: [Range<Int>]) -> Bool {
    let large = cut.scaled(by: Double(enlargement))
    let largeRows = rows.lowerBound * enlargement..<min(rows.upperBound * enlargement, large.height)
    let sides = largestSquares(in: large, largeRows) { $0 < LengthProof.inkLevel }
    let thickest = ink.map { run in
      let columns = (run.lowerBound * enlargement..<run.upperBound * enlargement).clamped(to: sides.indices)
      return Float(sides[columns].max() ?? 0) / Float(enlargement)
    }
    let usual = Statistics.median(thickest)
    return thickest.contains { $0 >= thicker * usual && $0 - usual >= leastThicker }
  }

  /// By column, the side of the largest square of such pixels whose right edge is there.
  private static func largestSquares(
    in cut: GrayPicture, _ rows: Range<Int>, of isSuch: (UInt8) -> Bool
  ) -> [Int] {
    var (largest, above) = ([Int](repeating: 0, count: cut.width), [Int](repeating: 0, count: cut.width))
    for y in rows {
      var here = above
      for x in 0..<cut.width {
        here[x] = !isSuch(cut[x, y]) ? 0 : x == 0 ? 1 : 1 + min(above[x], above[x - 1], here[x - 1])
        largest[x] = max(largest[x], here[x])
      }
      above = here
    }
    return largest
  }
}
