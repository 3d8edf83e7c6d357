import AppleSerial
import Imaging
import ScanModel
import TextReading

/// One pass over a picture of rows and labels: finds what has the shape of a serial, reads it, then what stands before it.
///
/// The value is read first, since few things on a screen have its shape; the label beside it decides. Both are read
/// apart, so that words glued together are never taken.
struct LabelledTextPass {
  /// Readings of a value that agree before no further one is made.
  static let leastReadings = 3
  /// The order in which variants are tried: the smallest and the largest letters first, whose readings err least alike.
  static let variants = [0, 3, 1, 2, 4].map { CropVariant.all[$0] }

  var finder: DisplayLineFinder
  var engine: TextEngine
  /// Told of every line that is read.
  var observer: LineObserver?
  /// How much of the photo's time budget is used.
  var timer: ReadingTimer
  /// Where lines are cut from.
  var cut: FinerCut
  /// Told of all that is read.
  var textSeen: TextSeen
  /// The most values read.
  var mostUnits = UnitPass.mostUnits
  /// Whether every serial is looked for: no value ends the pass.
  var wantsEverySerial = false

  /// What the pass found out.
  struct Outcome {
    var reads: [LabelledRead] = []
    /// Lines found, and lines read by the recogniser.
    var lines = 0
    var linesRead = 0
    /// What the first reading of each unit said.
    var firstReadings: [UnitText] = []
    /// Units that were easy to read.
    var clearUnits = 0
    /// Words that were read well but are no serial.
    var otherWords = 0
    /// Whether what was read seems to stand on its head, for which nothing further was read.
    var standsOnHead = false
    /// Words that are known labels: proof that the text stands upright.
    var knownLabels = 0
    /// Whether a serial's label was read: its value must be somewhere.
    var sawSerialLabel = false
    /// Median height of capitals of the lines, in pixels.
    var capitalHeight: Float = 0

    /// Whether the picture was read upright and well, in letters large enough, and none of it is a serial.
    var isExhausted: Bool {
      reads.isEmpty && !sawSerialLabel && otherWords >= 6 && knownLabels > 0 && capitalHeight >= 13
    }
  }

  /// Looks for serials in a picture, along the axis that holds more text, upright first.
  func run(_ decoded: DecodedPicture) throws(ReadFailure) -> Outcome {
    let (rows, columns) = finder.lines(in: decoded.picture)
    let byRows = rows.weight >= columns.weight || (rows.weight < 12 && rows.lines.count >= columns.lines.count)
    let set = byRows ? rows : columns
    textSeen.noteRows(set.lines, in: decoded)
    guard !set.lines.isEmpty else { return Outcome() }
    let capital = Statistics.median(set.lines.map(\.capitalHeight))
    let (picture, lines) = try cut.source(for: set.lines, capital: capital, in: decoded)
    textSeen.linesFound.append(
      LinesFound(
        decoded: decoded, picture: picture, rows: rows.lines, columns: columns.lines, strokes: finder.strokes))
    let source = byRows ? picture : picture.turnedClockwise()
    let direction = ReadingDirection(of: source)
    var outcome = Outcome()
    if !(textSeen.direction?.isOpposite(to: direction) ?? false) {
      textSeen.withoutWrongDirection {
        outcome = read(lines, in: source, doubtsDirection: textSeen.direction == nil)
        return outcome.standsOnHead
      }
      guard outcome.standsOnHead else {
        if outcome.knownLabels > 0 { textSeen.note(direction) }
        return outcome
      }
    }
    let turned = (byRows ? decoded : decoded.turnedClockwise()).turnedUpsideDown()
    let factor = Float(picture.picture.longestSide) / Float(decoded.picture.longestSide)
    let turnedLines = finder.lines(in: turned.picture).rows.lines.map { $0.scaled(by: factor) }
    var other = read(turnedLines, in: source.turnedUpsideDown(), doubtsDirection: false)
    if other.knownLabels > 0 { textSeen.note(direction.opposite) }
    other.linesRead += outcome.linesRead
    other.lines += outcome.lines
    return other
  }

  /// Reads lines as if they were upright.
  private func read(_ lines: [TextSegment], in source: DecodedPicture, doubtsDirection: Bool) -> Outcome {
    textSeen.noteDirected(DirectedLines(lines: lines, source: source, polarity: finder.polarity, isUpsideDown: false))
    let crops = CropReader(
      source: source, polarity: finder.polarity, engine: engine, observer: observer, textSeen: textSeen)
    var pass = UnitPass(
      lines: lines, crops: crops, textSeen: textSeen, timer: timer, mostUnits: mostUnits,
      wantsEverySerial: wantsEverySerial)
    return pass.run(doubtsDirection: doubtsDirection)
  }
}

extension TextSegment {
  /// The characters of one unit, along this line's slope.
  func part(_ unit: WordUnit) -> TextSegment {
    let members = x.indices.filter { x[$0] > unit.left - 0.5 && x[$0] < unit.right + 0.5 }
    var part = self
    part.x = members.map { x[$0] }
    part.y = members.map { y[$0] }
    part.heights = members.map { heights[$0] }
    part.widths = members.map { widths[$0] }
    (part.left, part.right) = (unit.left, unit.right)
    // Between the median and the line's own height, which small letters and labels of another size pull.
    part.capitalHeight = max(0.75 * capitalHeight, min(1.15 * capitalHeight, Statistics.percentile(part.heights, 60)))
    part.offset = Statistics.median(members.map { y[$0] - slope * x[$0] })
    return part
  }
}

extension DecodedPicture {
  /// The same picture turned by 180 degrees.
  func turnedUpsideDown() -> DecodedPicture {
    DecodedPicture(
      picture: picture.turnedUpsideDown(),
      toUploaded: Orientation.down.storedFromUpright(width: picture.width, height: picture.height).then(toUploaded))
  }
}
