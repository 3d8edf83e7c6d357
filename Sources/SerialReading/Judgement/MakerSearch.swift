import Imaging
import ScanModel
import TextReading

/// Reads the text around a serial that would be shown, to find the maker of its device, and whether it is a part's.
/// Other makers' labels say `S/N` too, and some of their serials fit Apple's formats.
struct MakerSearch {
  let context: ReadingContext
  /// Whether the serial stands in rows of labels and values, as those of parts do.
  let isInRows: Bool

  /// The most lines and labels read, nearest first, and their heights of capitals as ratios to the serial's.
  private static let (mostLines, mostLabels) = (4, 5)
  private static let heights: ClosedRange<Double> = 0.5...2
  /// The most length of a line and of a label that is read, in heights of capitals.
  private static let longest: (line: Float, label: Float) = (24, 14)
  /// The least distance of a line's middle from the serial's, and the length of the serial that shows its polarity, in
  /// heights of capitals.
  private static let (leastDrop, askedLength): (Float, Int) = (0.8, 8)
  /// How much a label's rank falls with its distance along the row, against that across.
  private static let sideways: Float = 0.25
  /// The reach of the cut beyond the serial's ends if labels stand in a column of their own, in heights of capitals.
  private static let besideInRows = 36.0

  private var seen: TextSeen { context.textSeen }

  /// Whether a serial without a frequent plant needs the search: no maker was named yet, or it may be a part's.
  func concerns(_ region: Quadrilateral) -> Bool { seen.makers.isSilent || mayBeOfPart(region) }

  private func mayBeOfPart(_ region: Quadrilateral) -> Bool { isInRows && seen.part(of: region) == nil }

  /// Reads the lines around a serial until one names a maker, and in rows the labels around it until one names a part.
  ///
  /// - Returns: The number of lines read.
  func run(around region: Quadrilateral) throws(ReadFailure) -> Int {
    let beside = isInRows ? Self.besideInRows : Surroundings.aroundPrint.beside
    guard let place = Sighting(region), let cut = try Surroundings.cut(around: place, beside: beside, in: context.photo)
    else {
      return 0
    }
    let polarity = Self.polarity(of: cut.picture)
    let (lines, labels) = Self.lines(around: cut.picture, polarity, beside: Float(beside * Surroundings.capital))
    let crops = CropReader(source: cut, polarity: polarity, in: context, isNoted: true)
    func read(_ line: TextSegment, _ longest: Float) {
      let end = min(line.right, line.left + longest * line.capitalHeight)
      let range = line.left - line.capitalHeight...end + line.capitalHeight
      _ = crops.cut(line, range, .measured).flatMap(crops.read)
    }
    var known: [TextSegment] = []
    for line in lines.prefix(Self.mostLines) where seen.makers.isSilent {
      read(line, Self.longest.line)
      known.append(line)
    }
    let unread = labels.prefix(Self.mostLabels).filter { label in
      !known.contains { ($0.left, $0.offset) == (label.left, label.offset) }
    }
    for label in unread where mayBeOfPart(region) { read(label, Self.longest.label) }
    return crops.linesRead
  }

  /// Whether the serial in the middle of its cut is dark or light.
  private static func polarity(of cut: GrayPicture) -> StrokePolarity {
    let (rows, columns) = (2 * Int(Surroundings.capital), min(cut.width, askedLength * Int(Surroundings.capital)))
    let serial = cut.cropped(x: (cut.width - columns) / 2, y: (cut.height - rows) / 2, width: columns, height: rows)
    return serial.hasDarkStrokes ? .dark : .light
  }

  /// The lines above and below the serial's own line, which lies in the middle of its cut, the nearest first; and those
  /// that begin before it, its own label first.
  ///
  /// - Parameter beside: The reach of the cut beyond the serial's ends, in pixels.
  private static func lines(
    around cut: GrayPicture, _ polarity: StrokePolarity, beside: Float
  ) -> (nearest: [TextSegment], labels: [TextSegment]) {
    guard let finder = Surroundings.finders(polarity).first else { return ([], []) }
    let middle = Float(cut.height) / 2
    let (x, capital) = (Float(cut.width) / 2, Float(Surroundings.capital))
    func drop(_ line: TextSegment) -> Float { abs(line.y(at: x) - middle) }
    func isInOwnRow(_ line: TextSegment) -> Bool { drop(line) <= leastDrop * capital }
    // Texture beside the label has lines too.
    func gap(_ line: TextSegment) -> Float {
      max(drop(line), line.left - (Float(cut.width) - beside), beside - line.right)
    }
    let lines = finder.levelLines(in: cut).filter { heights.contains(Double($0.capitalHeight / capital)) }
    let nearest = lines.filter { !isInOwnRow($0) }.sorted { gap($0) < gap($1) }
    let labels = lines.filter { isInOwnRow($0) ? $0.right < beside : $0.left < beside - capital }
    // A list at the side of the window has lines in the same rows.
    func rank(_ label: TextSegment) -> Float { drop(label) + sideways * max(0, beside - label.right) }
    return (nearest, labels.sorted { rank($0) < rank($1) })
  }
}
