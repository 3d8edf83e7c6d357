import TextReading

/// Finds out which way up the lines stand.
enum DirectionTest {
  /// Whether the lines stand upside down; and the readings made on the way that are worth keeping, by line.
  ///
  /// A keyword with a serial, read well, settles it. Else the middles of the two best lines are read both ways and
  /// compared; the recogniser's confidence alone says little, since upside-down text scores about 90.
  static func isUpsideDown(_ reader: LineReader) -> (Bool, [Int: LineReader.Reading]) {
    var kept: [Int: LineReader.Reading] = [:]
    for index in reader.lines.indices.prefix(2) {
      guard let reading = reader.read(index, isUpsideDown: false, variant: CropVariant.unlike[0]) else { continue }
      kept[index] = reading
      if let best = reading.candidates.first, best.keyword > 0,
        best.confidences.reduce(0, +) / Float(best.count) > 90
      {
        return (false, kept)
      }
    }
    var scores: [Float] = [0, 0]
    for index in reader.lines.indices.prefix(2) {
      for way in [0, 1] { scores[way] += legibility(index, isUpsideDown: way == 1, reader) }
    }
    return scores[1] > scores[0] ? (true, [:]) : (false, kept)
  }

  /// How well the middle of a line reads: the mean of what confidences exceed 70 by, short lines counted as 8 characters.
  private static func legibility(_ index: Int, isUpsideDown: Bool, _ reader: LineReader) -> Float {
    let line = reader.line(index)
    let middle = (line.left + line.right) / 2
    let half = min(line.length / 2, 9 * line.capitalHeight)
    let variant = CropVariant(heightFactor: 0.9, halfHeight: 0.88, shift: 0)
    guard
      let reading = reader.read(
        index, range: (middle - half)...(middle + half), isUpsideDown: isUpsideDown, variant: variant)
    else { return 0 }
    let symbols = reading.line.symbols
    return symbols.reduce(0) { $0 + max(0, $1.confidence - 70) } / Float(max(8, symbols.count))
  }
}
