import AppleSerial
import Imaging
import ScanModel

/// Finds the header of a value's column: in tables the label is rows above, with other values between.
struct ColumnHeader {
  /// Maximum number of lines read above a value, nearest first.
  private static let mostLines = 6
  /// Range of a header's capital height as a multiple of the value's.
  private static let heights = 0.6...1.7
  /// Maximum offset of a header's left end, middle or right end from the value's, in capital heights: columns lean in
  /// photos.
  private static let alignment: Float = 2.5

  let value: Sighting
  let context: ReadingContext

  /// Whether a line above the value, in its column, is a serial's label and nothing more.
  func isSerialLabel() throws(ReadFailure) -> Bool {
    guard let cut = try Surroundings.cut(above: value, in: context.photo) else { return false }
    // Headers are often light print on a dark bar.
    return holdsLabel(cut, value.polarity, contrasts: 2) || holdsLabel(cut, value.polarity.opposite, contrasts: 1)
  }

  /// Whether a line of a polarity in the value's column is a serial's label, at one of the first contrasts.
  private func holdsLabel(_ cut: Surroundings.AboveValue, _ polarity: StrokePolarity, contrasts: Int) -> Bool {
    let crops = CropReader(source: cut.source, polarity: polarity, in: context, isNoted: false)
    return Surroundings.contrasts(polarity).prefix(contrasts).contains { threshold in
      let column = DisplayLineFinder(threshold: threshold, polarity: polarity).levelLines(in: cut.source.picture)
        .filter { Self.stands($0, above: cut.columns) }.sorted { $0.medianY > $1.medianY }
      return column.prefix(Self.mostLines).contains { isLabel($0, crops) }
    }
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
    // A header may name two fields: `Serial / Lot`.
    return LabelKeywords.isSerialLabel(text.text)
      || text.text.split(separator: "/").contains(where: LabelKeywords.isSerialLabel)
  }
}
