import AppleSerial
import Imaging
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
      let capital = upper.box.capital
      guard upper.box.direction.dot(box.direction) > Self.leastCosine, Self.heights.contains(box.capital / capital)
      else { return nil }
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

/// Finds the header of a value's column: in tables the label is rows above, with other values between.
struct ColumnHeader {
  /// Maximum number of lines read above a value, nearest first.
  private static let mostLines = 6
  /// The same for words of two or three letters.
  private static let mostAbbreviations = 2
  /// Maximum offset of a header's left end, middle or right end from the value's, in capital heights: columns lean in
  /// photos.
  private static let alignment: Float = 2.5

  private let value: Sighting
  private let context: ReadingContext
  /// Whether it is a serial's label; nil if it was not read, neither for this value nor for one above it.
  private(set) var known: Bool?

  init(of value: Sighting, in context: ReadingContext) {
    (self.value, self.context) = (value, context)
    if context.wantsEverySerial, let isOfSerials = context.textSeen.columns.isOfSerials(value) { note(isOfSerials) }
  }

  /// Whether it is a serial's label and nothing more. It is read once.
  mutating func isSerialLabel() throws(ReadFailure) -> Bool {
    if let known { return known }
    let found = try isRead()
    note(found)
    return found
  }

  private mutating func note(_ isOfSerials: Bool) {
    known = isOfSerials
    context.textSeen.columns.add(value, isOfSerials: isOfSerials)
  }

  /// Whether a line above the value, in its column, is a serial's label and nothing more.
  private func isRead() throws(ReadFailure) -> Bool {
    guard let cut = try Surroundings.cut(above: value, in: context.photo) else { return false }
    // Headers are often light print on a dark bar.
    return holdsLabel(cut.source, cut.columns, value.polarity, contrasts: 2)
      || holdsLabel(cut.source, cut.columns, value.polarity.opposite, contrasts: 1)
  }

  /// Whether a line of a polarity in the value's column is a serial's label, at one of the first contrasts.
  private func holdsLabel(
    _ source: DecodedPicture, _ columns: ClosedRange<Float>, _ polarity: StrokePolarity, contrasts: Int
  ) -> Bool {
    let crops = CropReader(source: source, polarity: polarity, in: context, isNoted: false)
    return Surroundings.finders(polarity).prefix(contrasts).contains { finder in
      let column = finder.levelLines(in: source.picture)
        .flatMap(cells).filter { Self.stands($0, above: columns) }.sorted { $0.medianY > $1.medianY }
      return column.prefix(Self.mostLines).contains { isLabel($0, crops) }
        || TextSegment.abbreviations(of: finder.characters(in: source.picture).components)
          .filter { Self.stands($0, above: columns) }.sorted { $0.medianY > $1.medianY }
          .prefix(Self.mostAbbreviations).contains { isLabel($0, crops) }
    }
  }

  /// The cells of a row, each with its own ends: neighbouring headers of narrow columns form one line. If a single serial
  /// is wanted, the row as a whole.
  private func cells(of line: TextSegment) -> [TextSegment] {
    guard context.wantsEverySerial else { return [line] }
    return Word.words(of: line).reduce(into: []) { cells, word in
      if let last = cells.last, word.left - last.right <= WordUnit.joinableGap * line.capitalHeight {
        cells[cells.count - 1].right = word.right
      } else {
        var cell = line
        (cell.left, cell.right) = (word.left, word.right)
        cells.append(cell)
      }
    }
  }

  private static func stands(_ line: TextSegment, above columns: ClosedRange<Float>) -> Bool {
    let capital = Float(Surroundings.capital)
    let ends = [
      line.left - columns.lowerBound, line.right - columns.upperBound,
      (line.left + line.right - columns.lowerBound - columns.upperBound) / 2,
    ]
    return Sighting.alikeHeights.contains(Double(line.capitalHeight / capital))
      && ends.contains { abs($0) < alignment * capital }
  }

  private func isLabel(_ line: TextSegment, _ crops: CropReader) -> Bool {
    let margin = LabelPlace.margin * line.capitalHeight
    guard let crop = crops.cut(line, (line.left - margin)...(line.right + margin), .measured),
      let text = crops.read(crop)
    else { return false }
    // A header may name two fields: `Serial / Lot`.
    return LabelKeywords.isSerialLabel(text.text)
      || text.text.split(separator: "/").contains(where: LabelKeywords.isSerialLabel)
  }
}
