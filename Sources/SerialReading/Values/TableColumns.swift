import ScanModel

/// The columns of tables whose headers were read. A header is read once and counts for all rows below it, also for
/// those too far from it to find it between the rows above them.
package struct TableColumns {
  private var values: [(box: PrintedBox, isOfSerials: Bool)] = []

  /// Distance of two neighbouring rows, in capital heights; a row without a value may stand between them.
  private static let rows = 1.2...9.0
  /// Maximum offset of two values' left ends, middles or right ends, in capital heights, and how much it grows with the
  /// distance of their rows: columns lean in photos.
  private static let (alignment, lean) = (1.0, 0.12)
  /// Range of the ratio of two values' capital heights, and the minimum cosine of the angle between them.
  private static let heights = 0.8...1.25
  private static let leastCosine = 0.99

  package init() {}

  /// Notes a value of a column, and whether the column's header is a serial's label.
  package mutating func add(_ value: Sighting, isOfSerials: Bool) {
    if let box = PrintedBox(value.region) { values.append((box, isOfSerials)) }
  }

  /// Whether a value continues a column of serials; nil if it continues no column whose header was read.
  package func isOfSerials(_ value: Sighting) -> Bool? {
    guard let box = PrintedBox(value.region) else { return nil }
    let above = values.compactMap { upper -> (down: Double, isOfSerials: Bool)? in
      let cosine = upper.box.direction.x * box.direction.x + upper.box.direction.y * box.direction.y
      let capital = upper.box.capital
      guard cosine > Self.leastCosine, Self.heights.contains(box.capital / capital) else { return nil }
      let middle = upper.box.offset(of: box.middle)
      let (start, end) = (upper.box.offset(of: value.left).along, upper.box.offset(of: value.right).along)
      let offsets = [start + upper.box.half.along, end - upper.box.half.along, middle.along]
      guard Self.rows.contains(middle.across / capital),
        offsets.contains(where: { abs($0) < Self.alignment * capital + Self.lean * middle.across })
      else { return nil }
      return (middle.across, upper.isOfSerials)
    }
    return above.min { $0.down < $1.down }?.isOfSerials
  }

  /// Values in the order of their rows, from the top by the direction of the first one.
  static func downwards(_ values: [ValueSighting]) -> [ValueSighting] {
    guard let first = values.first.flatMap({ PrintedBox($0.place.region) }) else { return values }
    return values.sorted { first.offset(of: $0.place.middle).across < first.offset(of: $1.place.middle).across }
  }
}
