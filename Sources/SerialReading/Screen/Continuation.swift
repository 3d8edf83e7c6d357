import AppleSerial
import TextReading

/// Reads a value together with its close neighbours in the line, to detect whether the value continues there: in some
/// typefaces a `1` is as far from its neighbours as words are.
package struct Continuation {
  let crops: CropReader

  /// Maximum gap within a value, in capital heights.
  private static let closeGap: Float = 0.6
  /// Length of a neighbour that is read, in capital heights.
  private static let reach: Float = 1.5

  /// Whether a value continues beyond its unit, by the recogniser, which detects spaces between words; nil if nothing
  /// stands close to it.
  ///
  /// - Parameters:
  ///   - value: The value as read.
  ///   - unit: The value's unit.
  ///   - line: The unit's line.
  ///   - relation: Position of the value's label. In the label's own line, the text before the value is the label.
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

  /// Whether a reading contains a value with more characters directly before or after it, without a space; true if the
  /// value is not found.
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
