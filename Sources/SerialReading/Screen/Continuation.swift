import AppleSerial
import TextReading

/// Reads a value together with what stands close beside it in its line, to see whether it goes on there: in some faces a `1` stands as
/// far from its neighbours as words do.
package struct Continuation {
  let crops: CropReader

  /// Gaps up to this many heights of capitals may be within a value.
  private static let closeGap: Float = 0.6
  /// How much of a neighbour is read, in heights of capitals.
  private static let reach: Float = 1.5

  /// Whether a value goes on beyond its unit, by the recogniser, who sees a space between words; nil where nothing stands close to it.
  ///
  /// - Parameter relation: Where its label stands: what stands before it in a label's own line is that label.
  func goesOn(
    _ value: String, unit: WordUnit, in line: TextSegment, labelStands relation: LabelPlace.Relation?
  ) -> Bool? {
    let close = Self.closeGap * line.capitalHeight
    let mayBegin = relation != .sameLine && unit.gapBefore < close
    guard mayBegin || unit.gapAfter < close else { return nil }
    let reach = Self.reach * line.capitalHeight
    let left = unit.left - (mayBegin ? unit.gapBefore + reach : 0.6 * min(unit.gapBefore, line.capitalHeight))
    let right = unit.right + (unit.gapAfter < close ? unit.gapAfter + reach : line.capitalHeight)
    let range = max(0, left)...min(Float(crops.source.picture.width - 1), right)
    guard range.lowerBound < range.upperBound, let crop = crops.cut(line.part(unit), range, .measured),
      let reading = crops.read(crop, .measured)
    else { return nil }
    return Self.goesOn(value, in: reading)
  }

  /// Whether a value stands in a reading with more right before or after it, without a space; also where it is not found.
  package static func goesOn(_ value: String, in reading: TextLine) -> Bool {
    let symbols = reading.symbols
    let bytes = symbols.map { Confusions.folded($0.character)?.byte }
    let start = bytes.indices.first { start in
      start + value.utf8.count <= bytes.count && zip(value.utf8, bytes[start...]).count { $0 != $1 } <= 1
    }
    guard let start else { return true }
    let end = start + value.utf8.count
    return (start > 0 && bytes[start - 1] != nil && !symbols[start].startsWord)
      || (end < bytes.count && bytes[end] != nil && !symbols[end].startsWord)
  }
}
