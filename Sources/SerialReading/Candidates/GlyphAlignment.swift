import Imaging
import TextReading

/// A text laid along the pieces of ink of one cut, in the likeliest way.
///
/// A piece is one character; two may be one that is broken; and one may be several that touch, which are parted where their ink is
/// thinnest once the likeliest way is known.
struct GlyphAlignment {
  /// Which characters have ink of their own, and which.
  private(set) var matched: [(place: Int, glyph: Glyph)] = []

  /// Costs of what seldom happens, as natural logarithms of its share.
  private enum Cost {
    static let broken: Float = 1
    /// Two characters in one piece, and each further one.
    static let touching: Float = 2.5
    static let furtherTouching: Float = 1
    /// A piece that is no character, and a piece or character at either end without its like: the cut's ends are uncertain.
    static let alone: Float = 3
  }

  /// The greatest width of a character in two pieces, as a share of the usual piece's.
  private static let greatestWidthOfBroken: Float = 1.6
  /// The most characters that touch, and the least width of each in such a piece, as a share of the usual one.
  private static let mostTouching = 5
  private static let leastTouchingWidth: Float = 0.7
  /// The most pieces or characters left over at either end.
  private static let mostLeftOver = 3

  /// A way of laying the first characters along the first pieces.
  private struct Path {
    var score: Float
    var matched: [(place: Int, glyph: Glyph)] = []
    /// Pieces that are several characters: the first one's place, and how many.
    var touching: [(place: Int, count: Int, piece: Int)] = []
  }

  /// - Parameters:
  ///   - places: Each character's place in the network's alphabet.
  ///   - pieces: Columns of the pieces, from left to right.
  ///   - line: The line as it was cut.
  init(of places: [Int?], along pieces: [Range<Int>], of line: GrayPicture, _ model: GlyphModel) {
    let path = Self.likeliest(places, pieces, line, model)
    matched = path?.matched ?? []
    for (place, count, piece) in path?.touching ?? [] {
      let parts = TouchingCharacters.parts(of: pieces[piece], count: count, in: line)
      for (index, part) in parts.enumerated() {
        if let part, let glyph = Glyph(part, in: line, model, isParted: true) { matched.append((place + index, glyph)) }
      }
    }
  }

  private static func likeliest(
    _ places: [Int?], _ pieces: [Range<Int>], _ line: GrayPicture, _ model: GlyphModel
  ) -> Path? {
    let usual = Statistics.median(pieces.map { Float($0.count) })
    let alone = pieces.map { Glyph($0, in: line, model) }
    let joined = zip(pieces, pieces.dropFirst()).map { left, right in
      let columns = left.lowerBound..<right.upperBound
      return Float(columns.count) > greatestWidthOfBroken * usual ? nil : Glyph(columns, in: line, model)
    }
    var paths = beginnings(places.count, pieces.count)
    func reach(_ character: Int, _ piece: Int, _ path: Path, _ cost: Float, _ glyph: Glyph?, from place: Int) {
      guard character <= places.count, piece <= pieces.count else { return }
      var next = path
      next.score -= cost
      if let glyph, let own = places[place] {
        next.score += glyph.logs[own]
        next.matched.append((place, glyph))
      } else if character > place + 1 {
        next.touching.append((place, character - place, piece - 1))
      }
      if next.score > paths[character][piece]?.score ?? -.infinity { paths[character][piece] = next }
    }
    for place in places.indices {
      for piece in pieces.indices {
        guard let path = paths[place][piece] else { continue }
        reach(place + 1, piece + 1, path, alone[piece] == nil ? Cost.alone : 0, alone[piece], from: place)
        if piece + 1 < pieces.count, let glyph = joined[piece] {
          reach(place + 1, piece + 2, path, Cost.broken, glyph, from: place)
        }
        for count in 2...mostTouching where Float(pieces[piece].count) >= leastTouchingWidth * Float(count) * usual {
          let cost = Cost.touching + Cost.furtherTouching * Float(count - 2)
          reach(place + count, piece + 1, path, cost, nil, from: place)
        }
      }
    }
    return ends(of: paths).max { $0.score < $1.score }
  }

  /// The ways to begin: with the first character and piece, or with some of either left over.
  private static func beginnings(_ characters: Int, _ pieces: Int) -> [[Path?]] {
    var paths = [[Path?]](repeating: [Path?](repeating: nil, count: pieces + 1), count: characters + 1)
    for left in 0...mostLeftOver {
      if left <= pieces { paths[0][left] = Path(score: -Cost.alone * Float(left)) }
      if left <= characters { paths[left][0] = Path(score: -Cost.alone * Float(left)) }
    }
    return paths
  }

  /// The ways that end with the last character and piece, or with some of either left over.
  private static func ends(of paths: [[Path?]]) -> [Path] {
    let (characters, pieces) = (paths.count - 1, paths[0].count - 1)
    return (0...mostLeftOver).flatMap { left in
      [(characters, pieces - left), (characters - left, pieces)].compactMap { character, piece in
        guard min(character, piece) >= 0, var path = paths[character][piece] else { return nil }
        path.score -= Cost.alone * Float(left)
        return path
      }
    }
  }
}
