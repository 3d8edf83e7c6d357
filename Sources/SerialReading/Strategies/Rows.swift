import Imaging
import ScanModel
import TextReading

/// Reads one image with rows and labels: finds text with a serial's format, reads it, then reads the text before it.
///
/// The value is read first, because little else on a screen has its format; the label beside it decides. Both are read
/// separately, so that joined words are never taken as a serial.
struct LabelledTextPass {
  /// Number of clearly read units that show the direction of the text.
  private static let leastClearUnits = 3

  var finder: DisplayLineFinder
  let context: ReadingContext
  /// The image from which lines are cropped.
  var cut = FinerCut.never
  /// Maximum number of values read.
  var mostUnits = UnitPass.mostUnits
  /// Whether all serials are sought, so that no value ends the pass.
  var wantsEverySerial = false
  /// Whether to read along the axis of the text that was read clearly before, not along the one with more text: the
  /// columns of monospaced print look like lines.
  var followsClearText = false

  private var textSeen: TextSeen { context.textSeen }

  /// The results of a pass.
  struct Outcome {
    var reads: [LabelledRead] = []
    /// Number of lines found, and of lines read by the recogniser.
    var lines = 0
    var linesRead = 0
    /// Number of clearly read units.
    var clearUnits = 0
    /// Number of words that were read clearly but are not serials.
    var otherWords = 0
    /// Whether the text seems to be upside down, in which case nothing further was read.
    var standsOnHead = false
    /// Whether a known label was read: proof that the text is upright.
    var hasKnownLabel = false
    /// Whether a serial's label was read, so its value must be somewhere.
    var sawSerialLabel = false
    /// Median capital height of the lines, in pixels.
    var capitalHeight: Float = 0

    /// Adds what another pass over the same text read, and its costs.
    mutating func add(_ other: Outcome) {
      reads += other.reads
      lines += other.lines
      linesRead += other.linesRead
    }

    /// Its costs, for the trace.
    var summary: String { "\(lines) lines, \(linesRead) read" }

    /// Whether the image was read upright and clearly, in large enough letters, without a serial.
    var isExhausted: Bool {
      reads.isEmpty && !sawSerialLabel && otherWords >= 6 && hasKnownLabel && capitalHeight >= 13
    }
  }

  /// Searches an image for serials along the axis with more text, upright first.
  ///
  /// - Throws: `ReadFailure` if the photo can't be decoded again.
  func run(_ decoded: DecodedPicture) throws(ReadFailure) -> Outcome {
    let (rows, columns) = finder.lines(in: decoded.picture)
    let weights = (rows: DisplayLineFinder.weight(of: rows), columns: DisplayLineFinder.weight(of: columns))
    let hasMoreRows = weights.rows >= weights.columns || (weights.rows < 12 && rows.count >= columns.count)
    let clear = followsClearText ? textSeen.clearDirection : nil
    let byRows = clear?.isAlong(ReadingDirection(of: decoded)) ?? hasMoreRows
    let asFound = byRows ? rows : columns
    textSeen.noteRows(asFound, in: decoded)
    guard !asFound.isEmpty else { return Outcome() }
    let capital = Statistics.median(asFound.map(\.capitalHeight))
    let (picture, lines) = try cut.source(for: asFound, capital: capital, in: decoded)
    var found = LinesFound(decoded: decoded, picture: picture, rows: rows, columns: columns, strokes: finder.strokes)
    defer { textSeen.note(found) }
    let source = byRows ? picture : picture.turnedClockwise()
    let upright = LinesFound.Directed(lines: lines, source: source, polarity: finder.strokes.polarity)
    let direction = ReadingDirection(of: source)
    var outcome = Outcome()
    if !(textSeen.direction?.isOpposite(to: direction) ?? false) {
      textSeen.withoutWrongDirection {
        outcome = read(upright, doubtsDirection: textSeen.direction == nil)
        return outcome.standsOnHead
      }
      guard outcome.standsOnHead else {
        found.directed = upright
        if outcome.hasKnownLabel { textSeen.note(direction) }
        if outcome.clearUnits >= Self.leastClearUnits { textSeen.clearDirection = textSeen.clearDirection ?? direction }
        return outcome
      }
    }
    let turned = (byRows ? decoded : decoded.turnedClockwise()).turnedUpsideDown()
    let upsideDown = LinesFound.Directed(
      lines: finder.lines(in: turned.picture).rows.map { $0.scaled(by: found.scale) },
      source: source.turnedUpsideDown(), polarity: finder.strokes.polarity)
    found.directed = upsideDown
    var other = read(upsideDown, doubtsDirection: false)
    if other.hasKnownLabel { textSeen.note(direction.opposite) }
    other.linesRead += outcome.linesRead
    other.lines += outcome.lines
    return other
  }

  /// Reads lines as if upright.
  private func read(_ found: LinesFound.Directed, doubtsDirection: Bool) -> Outcome {
    let crops = CropReader(source: found.source, polarity: found.polarity, in: context, isNoted: true)
    var pass = UnitPass(
      lines: found.lines, crops: crops, in: context, mostUnits: mostUnits, wantsEverySerial: wantsEverySerial)
    return pass.run(doubtsDirection: doubtsDirection)
  }
}

extension TextSegment {
  /// The characters of one unit, along this line's slope.
  func part(_ unit: WordUnit) -> TextSegment {
    var part = self
    part.boxes = boxes.filter { $0.x > unit.left - 0.5 && $0.x < unit.right + 0.5 }
    (part.left, part.right) = (unit.left, unit.right)
    // Clamped to 0.75...1.15 of the line's height, which small letters and labels of another size distort.
    let height = Statistics.percentile(part.boxes.map(\.height), 60)
    part.capitalHeight = max(0.75 * capitalHeight, min(1.15 * capitalHeight, height))
    part.offset = Statistics.median(part.boxes.map { $0.y - slope * $0.x })
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

/// Reads rows of label and value in one polarity, at one stroke contrast.
struct RowsStrategy: ReadingStrategy {
  let name: String
  let activity: String
  /// The finder of the strokes that it reads.
  let finder: KeyPath<TextPolarity, DisplayLineFinder?> & Sendable

  var readsOtherPolarity: Bool { finder == \.other }
  let mayReadOtherDevices = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let side = try context.photo.rowsSide(Int(context.parameters["working_side"]))
    let picture = try context.photo.reduced(toSide: side)
    let polarity = try context.photo.polarity(ofSide: side)
    guard let finder = polarity[keyPath: finder] else {
      return StrategyOutcome(summary: "no strokes", exhaustsText: true)
    }
    context.textSeen.hasBothPolarities = polarity.isMixed
    let pass = LabelledTextPass(
      finder: finder, context: context,
      cut: .ofCapitals(below: context.parameters["crop_capital"], from: context.photo),
      wantsEverySerial: context.wantsEverySerial)
    let outcome = try pass.run(picture)
    return StrategyOutcome(
      outcome.reads, strategy: name, summary: outcome.summary,
      exhaustsText: outcome.isExhausted && context.textSeen.labels.isEmpty
        && (readsOtherPolarity || !polarity.isMixed))
  }
}

/// Reads rows of small print at twice the photo's size. With capitals of about ten pixels, as in a desktop screenshot
/// or an image reduced for the web, letters touch and break, and their lines are not found.
struct EnlargedRowsStrategy: ReadingStrategy {
  /// Maximum number of pixels of a photo that is enlarged: larger ones take too long and show print well enough.
  private static let mostPixels = 3_000_000
  private static let factor = 2.0
  /// Maximum number of values read, those most like a serial, so that a page of other small print costs little.
  private static let mostUnits = 8

  let name = "rows-enlarged"
  let activity = "Enlarging small print"
  let readsOtherPolarity = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let photo = context.photo
    let size = photo.uploadedSize
    guard size.width <= Self.mostPixels / max(1, size.height) else {
      return StrategyOutcome(summary: "the photo is large")
    }
    guard photo.textSeen.hasSmallRows else { return StrategyOutcome(summary: "no small print") }
    let full = try photo.full()
    // The strokes are unchanged, and measuring the enlarged image would take as long again.
    let polarity = try photo.polarity(ofSide: photo.rowsSide(Int(context.parameters["working_side"])))
    guard let finder = polarity.main else { return StrategyOutcome(summary: "no strokes") }
    let enlarged = full.scaled(by: Self.factor)
    var found = try run(finder, enlarged, in: context)
    if found.reads.isEmpty, photo.textSeen.hasBothPolarities, let other = polarity.other {
      found.add(try run(other, enlarged, in: context))
    }
    return StrategyOutcome(found.reads, strategy: name, summary: found.summary)
  }

  private func run(
    _ finder: DisplayLineFinder, _ enlarged: DecodedPicture, in context: ReadingContext
  ) throws(ReadFailure) -> LabelledTextPass.Outcome {
    let pass = LabelledTextPass(finder: finder, context: context, mostUnits: Self.mostUnits, followsClearText: true)
    // Lines that are read again were already counted.
    return try context.textSeen.withoutCounting { () throws(ReadFailure) in try pass.run(enlarged) }
  }
}

/// Reads slanted rows in a view of the print that is turned level and enlarged if small.
///
/// The line finder tolerates a few degrees of slant, more only for large, widely spaced print. A lit display or print
/// on a dark device has no bright label whose borders would show the angle.
struct SlantedRowsStrategy: ReadingStrategy {
  /// Slant below which the earlier strategies already read the rows, in radians.
  private static let leastAngle = 8.0 * .pi / 180
  /// Minimum share of the characters along the slant: images without text reach 0.16.
  private static let leastShare = 0.17
  /// Minimum side of characters, in pixels: smaller ones break, and their pieces neighbour each other in any direction.
  private static let leastSide = 9.0

  let name = "rows-slanted"
  let activity = "Turning slanted rows level"

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    // Other strategies search beside a serial's label that was read.
    guard context.textSeen.labels.isEmpty else { return StrategyOutcome(summary: "a label was read") }
    let side = Int(context.parameters["working_side"])
    let picture = try context.photo.reduced(toSide: side)
    let slants = try Self.slants(of: picture.picture, context.photo.polarity(ofSide: side))
    guard !slants.isEmpty else { return StrategyOutcome(summary: "the rows are level") }
    let found = try LevelView.read(slants, in: picture, context)
    let degrees = slants.map { "\(Int(($0.tilt.angle * 180 / .pi).rounded()))" }.joined(separator: " or ")
    return StrategyOutcome(found.reads, strategy: name, summary: "slanted by \(degrees) degrees, \(found.summary)")
  }

  /// The tilt of the rows by the strokes of each polarity, most reliable first.
  private static func slants(of picture: GrayPicture, _ polarity: TextPolarity) -> [PrintTilt] {
    [polarity.main, polarity.other].compactMap { $0 }
      .compactMap { finder in
        TextTilt(of: finder.characters(in: picture).components).map { PrintTilt(tilt: $0, finder: finder) }
      }
      .filter {
        $0.tilt.share >= leastShare && $0.tilt.characterSide >= leastSide && abs($0.tilt.angle) >= leastAngle
      }
      .sorted { $0.tilt.clearness > $1.tilt.clearness }
  }
}
