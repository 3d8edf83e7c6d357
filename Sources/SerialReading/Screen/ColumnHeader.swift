import AppleSerial
import Imaging
import ReaderProtocol

/// Looks for the header of the column that a value stands in: in tables the label is rows above, with other values between.
struct ColumnHeader {
  /// Lines above a value that are read, the nearest first.
  private static let mostLines = 6
  /// Heights of a header's capitals, in heights of the value's.
  private static let heights = 0.6...1.7
  /// How far a header's left end, middle or right end may stand beside the value's, in heights of capitals: columns lean in photos.
  private static let alignment: Float = 2.5

  let value: Sighting
  let context: ReadingContext

  /// Whether a line above the value, in its column, is a serial's label and nothing more.
  func isSerialLabel() throws(ReadFailure) -> Bool {
    guard let cut = try Surroundings.cut(above: value, in: context.photo) else { return false }
    let crops = CropReader(source: cut.source, polarity: value.polarity, in: context, isNoted: false)
    for threshold in Surroundings.contrasts(value.polarity).prefix(2) {
      let finder = DisplayLineFinder(threshold: threshold, polarity: value.polarity)
      let column = finder.levelLines(in: cut.source.picture).filter { Self.stands($0, above: cut.columns) }
        .sorted { $0.medianY > $1.medianY }
      if column.prefix(Self.mostLines).contains(where: { isLabel($0, crops) }) { return true }
    }
    return false
  }

  private static func stands(_ line: TextSegment, above columns: ClosedRange<Float>) -> Bool {
    let capital = Float(Surroundings.capital)
    let ends = [
      line.left - columns.lowerBound, line.right - columns.upperBound,
      (line.left + line.right - columns.lowerBound - columns.upperBound) / 2,
    ]
    return heights.contains(Double(line.capitalHeight / capital))
      && ends.contains { abs($0) < alignment * capital }
  }

  private func isLabel(_ line: TextSegment, _ crops: CropReader) -> Bool {
    let margin = 0.6 * line.capitalHeight
    guard let crop = crops.cut(line, (line.left - margin)...(line.right + margin), LabelReader.variant),
      let text = crops.read(crop, LabelReader.variant)
    else { return false }
    return text.text.split(separator: "/").contains { LabelKeywords.isSerialLabel($0) }
      || LabelKeywords.isSerialLabel(text.text)
  }
}
