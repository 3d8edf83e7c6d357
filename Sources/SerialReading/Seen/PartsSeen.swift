import AppleSerial
import ScanModel

extension TextSeen {
  /// Maximum distance of a part's field from the part's serial along and across the rows, in capital heights: the columns
  /// of labels and values, and a few rows.
  private static let reachOfPart = (along: 40.0, across: 12.0)

  /// What lines say of the part whose serial a read is; nil if they name no part.
  ///
  /// A part's label counts if it stands before the read in its row and no serial's label begins behind it: of `Battery
  /// Serial No.` often the last two words were read as the serial's label, and the first two as another line.
  func part(of region: Quadrilateral) -> LabelKeywords.Part? {
    guard let read = PrintedBox(region) else { return nil }
    func isBeforeInRow(_ offset: (along: Double, across: Double)) -> Bool {
      abs(offset.across) < read.capital && offset.along < read.capital - read.half.along
    }
    if let label = label(of: region), let part = LabelKeywords.part(in: label.text) { return part }
    let starts = labels.map { read.offset(of: $0.place.left) }.filter(isBeforeInRow)
    return lines.lazy.compactMap { line -> LabelKeywords.Part? in
      guard let part = line.part, Sighting.alikeHeights.contains(line.place.capital / read.capital) else { return nil }
      if part == .field {
        let offset = read.offset(of: line.place.left)
        let isNear =
          (-Self.reachOfPart.along * read.capital...0).contains(offset.along + read.half.along)
          && abs(offset.across) <= Self.reachOfPart.across * read.capital
        return isNear ? part : nil
      }
      guard let end = line.sighting(of: line.symbols.indices).map({ read.offset(of: $0.right) }), isBeforeInRow(end)
      else { return nil }
      return starts.contains { $0.along > end.along } ? nil : part
    }.first
  }
}
