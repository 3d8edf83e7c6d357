import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Reads one image with rows and labels: finds text with a serial's format, reads it, then reads the text before it.
///
/// The value is read first, because little else on a screen has its format; the label beside it decides. Both are read
/// separately, so that joined words are never taken as a serial.
struct LabelledTextPass {
  /// Number of agreeing readings of a value after which no further one is made.
  static let leastReadings = 3
  /// The order of crop variants: the smallest and the largest letters first, because their errors are least alike.
  static let variants = [0, 3, 1, 2, 4].map { CropVariant.all[$0] }

  var finder: DisplayLineFinder
  var engine: TextEngine
  /// Called with every line that is read.
  var observer: LineObserver?
  /// The photo's time budget.
  var timer: ReadingTimer
  /// The image from which lines are cropped.
  var cut: FinerCut
  /// Record of the readings.
  var textSeen: TextSeen
  /// Maximum number of values read.
  var mostUnits = UnitPass.mostUnits
  /// Whether all serials are sought, so that no value ends the pass.
  var wantsEverySerial = false

  /// The results of a pass.
  struct Outcome {
    var reads: [LabelledRead] = []
    /// Number of lines found, and of lines read by the recogniser.
    var lines = 0
    var linesRead = 0
    /// The first reading of each unit.
    var firstReadings: [UnitText] = []
    /// Number of clearly read units.
    var clearUnits = 0
    /// Number of words that were read clearly but are not serials.
    var otherWords = 0
    /// Whether the text seems to be upside down, in which case nothing further was read.
    var standsOnHead = false
    /// Number of known labels: proof that the text is upright.
    var knownLabels = 0
    /// Whether a serial's label was read, so its value must be somewhere.
    var sawSerialLabel = false
    /// Median capital height of the lines, in pixels.
    var capitalHeight: Float = 0

    /// Whether the image was read upright and clearly, in large enough letters, without a serial.
    var isExhausted: Bool {
      reads.isEmpty && !sawSerialLabel && otherWords >= 6 && knownLabels > 0 && capitalHeight >= 13
    }
  }

  /// Searches an image for serials along the axis with more text, upright first.
  ///
  /// - Throws: `ReadFailure` if the photo can't be decoded again.
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

  /// Reads lines as if upright.
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
    // Clamped to 0.75...1.15 of the line's height, which small letters and labels of another size distort.
    part.capitalHeight = max(0.75 * capitalHeight, min(1.15 * capitalHeight, Statistics.percentile(part.heights, 60)))
    part.offset = Statistics.median(members.map { y[$0] - slope * x[$0] })
    return part
  }
}

extension DecodedPicture {
  /// The image turned by 180 degrees.
  func turnedUpsideDown() -> DecodedPicture {
    DecodedPicture(
      picture: picture.turnedUpsideDown(),
      toUploaded: Orientation.down.storedFromUpright(width: picture.width, height: picture.height).then(toUploaded))
  }
}
