/// Joins segments of the same line: words that the closing left apart.
enum LineMerging {
  /// The segments, merged if they continue each other. Segments steeper than one in two are dropped.
  static func merged(_ segments: [TextSegment]) -> [TextSegment] {
    var open: [TextSegment?] = segments.filter { abs($0.slope) < 0.5 }.sorted { $0.length > $1.length }
    var changed = true
    while changed {
      changed = false
      for index in open.indices {
        guard var line = open[index], line.length >= 5 * line.capitalHeight else { continue }
        var grown = false
        for other in open.indices where other != index {
          guard let candidate = open[other], continues(line, candidate) else { continue }
          line.absorb(candidate)
          open[other] = nil
          grown = true
        }
        if grown {
          open[index] = line
          changed = true
        }
      }
      open.removeAll { $0 == nil }
    }
    return open.compactMap { $0 }
  }

  /// Whether the second segment continues the first: near its end, of similar height, on its line.
  private static func continues(_ line: TextSegment, _ other: TextSegment) -> Bool {
    let height = line.capitalHeight
    let gap = max(other.left - line.right, line.left - other.right)
    guard gap <= 5 * height, gap >= -0.5 * other.length else { return false }
    let ratio = other.capitalHeight / height
    guard ratio > 0.6, ratio < 1.6 else { return false }
    let offset = abs(other.medianY - line.slope * other.medianX - line.offset)
    let distance = max(0, other.medianX - line.right, line.left - other.medianX)
    return offset <= 0.45 * height + 0.02 * distance
  }
}
