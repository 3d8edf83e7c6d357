import Imaging

/// Parts a piece of ink that is several characters where it is thinnest.
package enum TouchingCharacters {
  /// How far from equal parts the thinnest place may be, in widths of a part, and what being that far off costs, as a share of the
  /// ink there.
  private static let reach = 0.35
  private static let offCost = 0.3
  /// Least width of a character, in pixels.
  private static let leastWidth = 2

  /// The columns of each character; nil for one that nothing is left of.
  ///
  /// - Parameters:
  ///   - piece: Columns of the piece.
  ///   - count: Number of characters in it.
  ///   - line: The line as it was cut, its middle row that of the capitals.
  package static func parts(of piece: Range<Int>, count: Int, in line: GrayPicture) -> [Range<Int>?] {
    let half = Int(0.55 * LineCrop.capitalHeight)
    let rows = max(0, line.height / 2 - half)..<min(line.height, line.height / 2 + half)
    func ink(_ x: Int) -> Double { Double(rows.reduce(0) { $0 + 255 - Int(line[x, $1]) }) }
    let width = Double(piece.count) / Double(count)
    let inner = (1..<count).map { index -> Int in
      let (middle, reach) = (Double(index) * width, reach * width)
      let near = max(1, Int(middle - reach))...max(1, min(piece.count - 1, Int(middle + reach)))
      let costs = near.map {
        (at: $0, cost: ink(piece.lowerBound + $0) * (1 + offCost * abs(Double($0) - middle) / reach))
      }
      return piece.lowerBound + (costs.min { $0.cost < $1.cost }?.at ?? Int(middle))
    }
    let edges = [piece.lowerBound] + inner + [piece.upperBound]
    return zip(edges, edges.dropFirst()).map { $1 - $0 >= leastWidth ? $0..<$1 : nil }
  }
}
