import Imaging

/// Finds where a piece of ink can be split into several characters: at columns with less ink than on both sides.
package enum TouchingCharacters {
  /// Minimum width of a piece that may hold several characters, in usual character widths.
  private static let leastWidth: Float = 1.2
  /// Minimum distance between two splits, and between a split and the piece's ends, in usual character widths.
  private static let leastDistance: Float = 0.2
  /// Maximum distance between splits, in usual character widths. If no column is thinner than its neighbours, the
  /// thinnest near the middle is used.
  private static let greatestDistance: Float = 1

  /// The columns at which a new character may begin, from left to right.
  ///
  /// - Parameters:
  ///   - piece: Columns of the piece.
  ///   - usual: Width of the usual character, in pixels.
  ///   - line: The line's crop; its middle row is the middle of the capitals.
  ///   - capital: Height of its capitals, in pixels.
  /// - Returns: The columns, with their ink as a share of the piece's fullest column.
  package static func partings(of piece: Range<Int>, usual: Float, in line: GrayPicture, capital: Float = 24) -> [(
    column: Int, ink: Float
  )] {
    let distance = max(2, Int(leastDistance * usual))
    guard Float(piece.count) >= leastWidth * usual, piece.count >= 2 * distance else { return [] }
    let ink = smoothedInk(of: piece, in: line, capital: capital)
    var chosen: [Int] = []
    // Thinnest first, so that the thinner of two close columns stays.
    for column in minima(of: ink, distance: distance).sorted(by: { (ink[$0], $0) < (ink[$1], $1) })
    where min(column, piece.count - column) >= distance && chosen.allSatisfy({ abs($0 - column) >= distance }) {
      chosen.append(column)
    }
    chosen.sort()
    chosen += between([0] + chosen + [piece.count], ink, widest: greatestDistance * usual)
    let fullest = max(1, ink.max() ?? 1)
    return chosen.sorted().map { (piece.lowerBound + $0, ink[$0] / fullest) }
  }

  /// Darkness of each column over the rows of the capitals, smoothed with half the weight of each neighbour.
  private static func smoothedInk(of piece: Range<Int>, in line: GrayPicture, capital: Float) -> [Float] {
    let half = Int(0.55 * min(capital, Float(line.height)))
    let rows = max(0, line.height / 2 - half)..<min(line.height, line.height / 2 + half)
    let ink = piece.map { x in Float(rows.reduce(0) { $0 + 255 - Int(line[x, $1]) }) }
    return ink.indices.map { index in
      (ink[max(0, index - 1)] + 2 * ink[index] + ink[min(ink.count - 1, index + 1)]) / 4
    }
  }

  /// Columns with less ink than on both sides: the middle of such a run, and the middles of its halves if the run is
  /// long.
  private static func minima(of ink: [Float], distance: Int) -> [Int] {
    var found: [Int] = []
    var first = 0
    for last in ink.indices.dropLast() where ink[last + 1] != ink[first] {
      if first > 0, ink[first - 1] > ink[first], ink[last + 1] > ink[first] {
        let length = last - first
        found.append(first + length / 2)
        if length >= 4 * distance { found += [first + length / 4, last - length / 4] }
      }
      first = last + 1
    }
    return found
  }

  /// The thinnest columns in the middle third of each gap that is too wide.
  private static func between(_ edges: [Int], _ ink: [Float], widest: Float) -> [Int] {
    zip(edges, edges.dropFirst()).compactMap { left, right in
      guard Float(right - left) > widest else { return nil }
      let third = max(1, (right - left) / 3)
      return (left + third..<right - third).min { ink[$0] < ink[$1] }
    }
  }
}
