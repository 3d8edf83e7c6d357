import AppleSerial
import Foundation
import Imaging
import ScanModel

/// Text elsewhere in the photo that is probably another device's serial, though nothing announces it or it was not read
/// well enough to report it.
package struct LikelySerial {
  /// The text as it was read.
  let text: String
  /// Its region in the photo as uploaded.
  let region: Quadrilateral

  /// The least distance from the device's serial in heights of capitals. Nearer text belongs to the same device.
  static let reach = 8.0
  /// The character counts of text in which one character may be dropped or doubled.
  static let counts = 9...13
  /// The least number of letters, and of digits behind a label and without one. Words and other numbers have fewer.
  private static let (leastLetters, leastDigits) = (3, (labelled: 1, unlabelled: 2))
  /// The number of characters in a row that only readings of the same serial have in common.
  private static let shared = 5

  /// The likely serials of a photo, each text once.
  ///
  /// - Parameter others: Other serials that were read and would be shown or have a label.
  static func all(apartFrom own: FusedSerial, among others: [FusedSerial], _ textSeen: TextSeen) -> [LikelySerial] {
    func read(_ serials: [FusedSerial]) -> [LikelySerial] {
      serials.compactMap { serial in
        serial.places.first.map { LikelySerial(text: serial.serial, region: $0) }
      }
    }
    let unlabelled =
      textSeen.valuesUnannounced.filter { !$0.hasOtherLabel && $0.isWord }.map {
        LikelySerial(text: $0.text, region: $0.place.region)
      } + read(others.filter { !$0.isAnnouncedText })
    let labelled =
      read(others.filter(\.isAnnouncedText))
      + textSeen.labels.map { label in
        let text = label.following.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.uppercased()
        return LikelySerial(text: text, region: label.place.region)
      }
    let all = unlabelled.filter { isLikely($0.text) } + labelled.filter { isLikelyBehindLabel($0.text) }
    return all.filter { $0.isApart(from: own) }.distinct { $1.isReading(of: $0.text) }
  }

  /// Whether a text behind a serial's label may be one. It needs fewer digits than text without a label.
  package static func isLikelyBehindLabel(_ text: String) -> Bool {
    counts.contains(text.count) && isMixed(text, leastDigits.labelled)
  }

  /// Whether a text without a label may be a serial, or one with a character dropped or doubled. One in 1,900 of those
  /// with ten random characters has hexadecimal digits alone; the last group of a universally unique identifier has
  /// nothing else.
  package static func isLikely(_ text: String) -> Bool {
    let isOfOtherLength = counts.contains(text.count) && !SerialNumber.Format.lengths.contains(text.count)
    return (SerialNumber(text) != nil || isOfOtherLength) && LookAlike(text) == nil
      && isMixed(text, leastDigits.unlabelled) && !text.allSatisfy(\.isHexDigit)
  }

  private static func isMixed(_ text: String, _ leastDigits: Int) -> Bool {
    text.count(where: \.isLetter) >= leastLetters && text.count(where: \.isNumber) >= leastDigits
  }

  /// Whether it stands apart from a serial and reads as a different one.
  private func isApart(from own: FusedSerial) -> Bool {
    guard let box = PrintedBox(region), !isReading(of: own.serial) else { return false }
    return own.places.compactMap(PrintedBox.init).allSatisfy {
      $0.gap(to: box) >= Self.reach * max($0.capital, box.capital)
    }
  }

  /// Whether it may be a reading of a serial that is printed once more.
  private func isReading(of serial: String) -> Bool {
    FusedSerial.isNear(text, serial)
      || text.indices.contains { start in
        let run = text[start...].prefix(Self.shared)
        return run.count == Self.shared && serial.contains(run)
      }
  }
}

extension SerialRead {
  /// Converts the read's place from the read area of a photo to the whole photo.
  func placed(in photo: Photo) -> SerialRead {
    var placed = self
    placed.region = region.map(photo.placed)
    placed.places = places?.map(photo.placed)
    return placed
  }
}

extension Photo {
  /// A note for the user about what seems to be another device's serial, at a region of the whole photo.
  func note(onOther what: String, at region: Quadrilateral?) -> String {
    "\(what), was seen\(region.flatMap(whereabouts).map { " \($0)" } ?? ""): check which belongs to the device."
  }

  /// The position of a region of the whole photo when upright, such as `at the upper left`; nil for an invalid region.
  private func whereabouts(_ region: Quadrilateral) -> String? {
    guard region.corners.count == 4, let upright = file.uploadedFromUpright.inverse else { return nil }
    let middle = upright.apply(region.corners.map(PlanePoint.init).reduce(.zero, +) / Double(region.corners.count))
    func third(_ place: Double, _ side: Int, _ names: [String]) -> String {
      names[place < Double(side) / 3 ? 0 : place < Double(side) * 2 / 3 ? 1 : 2]
    }
    let down = third(middle.y, file.uprightHeight, ["upper ", "", "lower "])
    let across = third(middle.x, file.uprightWidth, ["left", "", "right"])
    if across.isEmpty { return down.isEmpty ? "in the middle" : "at the \(down == "upper " ? "top" : "bottom")" }
    return "at the \(down)\(across)"
  }
}

/// Reads lines and values elsewhere in the photo that were found but not read, once a text is accepted. They may belong
/// to another device.
///
/// Uses lines found earlier, so that a photo of one device costs at most a few more readings.
struct OtherLinesStrategy: ReadingStrategy {
  /// The known serials, and the places where they were read.
  private let known: [FusedSerial]
  private let own: [PrintedBox]
  /// Whether the first of them was read as etched text, whose serials stand at the end of long lines.
  private let isEtched: Bool

  init(known: [FusedSerial], isEtched: Bool) {
    (self.known, self.isEtched) = (known, isEtched)
    own = known.flatMap(\.places).compactMap(PrintedBox.init)
  }

  let name = "other-lines"
  let activity = "Looking for other devices' serials"

  /// The most values read.
  private static let mostValues = 4
  /// The most long lines and readings of them, and the least number of a long line's characters.
  private static let (mostLong, mostReadings, leastLong) = (3, 7, 10)
  /// The least height of capitals, in pixels of the picture from which they are cut.
  private static let leastCapital: Float = 8
  /// The ratio of the heights of capitals on two devices in one photo.
  private static let heights: ClosedRange<Double> = 0.4...2.5
  /// How much a value's rank falls with the log ratio of its capitals' height to the known serial's.
  private static let weightOfHeight: Float = 0.3
  /// The confidence below which a value that nearly equals a known serial is a misreading of it on another label.
  private static let leastOfNear = 0.9

  /// A value worth reading.
  private struct Value {
    /// The lines among which it was found.
    var view: LinesView
    /// Whether it runs across the known serial, so that both ways up are as likely.
    var isAcross: Bool
    var unit: WordUnit
    var box: PrintedBox
    /// The places where its label may stand.
    var places: [LabelPlace]
    var rank: Float

    /// The same value the other way up.
    var turned: Value {
      var turned = self
      turned.view = view.turned
      let width = Float(view.size.width)
      (turned.unit.left, turned.unit.right) = (width - unit.right, width - unit.left)
      (turned.unit.gapBefore, turned.unit.gapAfter) = (unit.gapAfter, unit.gapBefore)
      turned.places = turned.view.places(of: turned.unit)
      return turned
    }
  }

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let found = context.textSeen.linesFound + (try otherPolarity(context))
    let views = found.flatMap { [LinesView($0, runsAlongColumns: false), LinesView($0, runsAlongColumns: true)] }
    let ofLines = isEtched ? try readLongLines(in: views, context) : nil
    let values = values(in: views, read: Self.linesRead(context))
    let reads = values.compactMap { context.hasTime ? read($0, context) : nil }
    var outcome = StrategyOutcome(
      reads, strategy: name, summary: "\(ofLines?.readings ?? 0) readings, \(values.count) values")
    outcome.candidates += ofLines?.candidates ?? []
    outcome.candidates.removeAll(where: isMisreadOfKnown)
    return outcome
  }

  /// Reads the ends of the longest lines of one view; nil if there are none.
  private func readLongLines(
    in views: [LinesView], _ context: ReadingContext
  ) throws(ReadFailure) -> EtchedTextPass.Outcome? {
    let read = Self.linesRead(context)
    let others = views.map { view in
      let unread = view.lines.filter { line in
        guard line.count >= Self.leastLong, let box = view.box(of: line) else { return false }
        return isWorthReading(line, at: box) && !read.contains { $0.isOneLine(with: box) }
      }
      return (view, lines: Array(EtchedTextPass.ordered(unread).prefix(Self.mostLong)))
    }
    guard let (view, lines) = others.max(by: { $0.lines.weight < $1.lines.weight }), !lines.isEmpty
    else { return nil }
    var found = view.found
    found.decoded = found.picture
    (found.rows, found.columns) = view.runsAlongColumns ? ([], lines) : (lines, [])
    let pass = EtchedTextPass(
      finder: TextLineFinder(found.strokes, context.parameters), context: context, strategy: name, isFallback: true,
      lineLimit: Self.mostLong, readingLimit: Self.mostReadings, cut: .never, textSeen: context.textSeen)
    return try pass.read(&found, byRows: !view.runsAlongColumns)
  }

  /// The places of the lines that were read.
  private static func linesRead(_ context: ReadingContext) -> [PrintedBox] {
    context.textSeen.lines.compactMap { PrintedBox($0.place.region) }
  }

  /// Whether a line stands apart from the known serials, and has about the size of the first.
  private func isWorthReading(_ line: TextSegment, at box: PrintedBox) -> Bool {
    guard let first = own.first, line.capitalHeight >= Self.leastCapital,
      Self.heights.contains(box.capital / first.capital)
    else { return false }
    return own.allSatisfy { $0.gap(to: box) >= LikelySerial.reach * max($0.capital, box.capital) }
  }

  /// Reads a value, either way up.
  private func read(_ value: Value, _ context: ReadingContext) -> LabelledRead? {
    func read(_ value: Value) -> UnitReading {
      let view = value.view
      let crops = CropReader(source: view.source, polarity: view.found.strokes.polarity, in: context, isNoted: false)
      return UnitReader(crops: crops).read(value.unit, in: view.lines, places: value.places)
    }
    var reading = read(value)
    if value.isAcross || !reading.isClear {
      let turned = read(value.turned)
      if turned.meanConfidence > reading.meanConfidence { reading = turned }
    }
    if let (text, crop) = reading.unlabelled {
      context.textSeen.noteUnannounced(text, hasOtherLabel: false, in: crop)
    }
    return reading.serial.flatMap { $0.goesOn ? nil : $0 }
  }

  /// Lines of the polarity opposite to most of the photo's text, such as on a dark device next to a light one.
  ///
  /// Searched only if rows were read, which required measuring both polarities. Reading a line directly costs less than
  /// such a search.
  private func otherPolarity(_ context: ReadingContext) throws(ReadFailure) -> [LinesFound] {
    let photo = context.photo
    let side = try photo.rowsSide(Photo.workingSide)
    guard var finder = photo.knownPolarity(ofSide: side)?.other,
      !photo.textSeen.linesFound.contains(where: { $0.strokes.polarity == finder.strokes.polarity })
    else { return [] }
    finder.partsJoined = false
    let decoded = try photo.reduced(toSide: side)
    let (rows, columns) = finder.lines(in: decoded.picture)
    // The finest picture that other strategies decoded.
    let picture = photo.textSeen.linesFound.filter { $0.decoded.toUploaded == decoded.toUploaded }.map(\.picture)
      .max { $0.picture.longestSide < $1.picture.longestSide }
    return [
      LinesFound(decoded: decoded, picture: picture ?? decoded, rows: rows, columns: columns, strokes: finder.strokes)
    ]
  }

  private func isMisreadOfKnown(_ candidate: Candidate) -> Bool {
    candidate.confidence < Self.leastOfNear && known.contains { FusedSerial(candidate, at: nil).isNear($0) }
  }

  /// The values worth reading, the most like a serial first.
  private func values(in views: [LinesView], read: [PrintedBox]) -> [Value] {
    guard let first = own.first else { return [] }
    let unread = views.flatMap { view in
      let cosine = view.toUploaded.alongRows.direction.dot(first.direction)
      let view = cosine < -0.5 ? view.turned : view
      return units(in: view).compactMap { unit, box -> Value? in
        if read.contains(where: { $0.isOneLine(with: box) }) { return nil }
        let places = view.places(of: unit)
        let unlikeness = Self.weightOfHeight * Float(abs(log(box.capital / first.capital)))
        return Value(
          view: view, isAcross: abs(cosine) < 0.5, unit: unit, box: box, places: places,
          rank: unit.likeness + (places.isEmpty ? 0 : UnitPass.weightOfLabel) - unlikeness)
      }
    }
    return unread.sorted { $0.rank > $1.rank }.distinct(most: Self.mostValues) { $0.box.isOneLine(with: $1.box) }
  }

  /// The units shaped like a serial in lines away from known serials. Print on a lid can be 60 heights of capitals
  /// long.
  private func units(in view: LinesView) -> [(unit: WordUnit, box: PrintedBox)] {
    view.lines.indices.flatMap { index -> [(unit: WordUnit, box: PrintedBox)] in
      let line = view.lines[index]
      guard let whole = view.box(of: line), isWorthReading(line, at: whole) else { return [] }
      return WordUnit.units(of: line, at: index).compactMap { unit in
        view.box(of: line, from: unit.left, to: unit.right, unit.height).map { (unit, $0) }
      }
    }
  }
}

/// The lines along one axis of a picture, in reading orientation, and the picture from which they are cut, which is
/// turned once for all of them.
private final class LinesView {
  let lines: [TextSegment]
  let found: LinesFound
  let runsAlongColumns: Bool
  private let standsOnHead: Bool
  /// Width and height of the picture, turned so that the lines run along its rows.
  let size: (width: Int, height: Int)
  /// The same lines the other way up.
  private(set) lazy var turned = LinesView(found, runsAlongColumns: runsAlongColumns, standsOnHead: !standsOnHead)
  private lazy var slope = RowSlope(lines)

  init(_ found: LinesFound, runsAlongColumns: Bool, standsOnHead: Bool = false) {
    (self.found, self.runsAlongColumns, self.standsOnHead) = (found, runsAlongColumns, standsOnHead)
    let picture = found.picture.picture
    let size = runsAlongColumns ? (picture.height, picture.width) : (picture.width, picture.height)
    self.size = size
    lines = (runsAlongColumns ? found.columns : found.rows).map { line in
      var line = line.scaled(by: found.scale)
      if standsOnHead { line.turnUpsideDown(width: Float(size.0), height: Float(size.1)) }
      return line
    }
  }

  /// The picture, turned so that the lines run along its rows and are upright.
  private(set) lazy var source: DecodedPicture = {
    let turned = runsAlongColumns ? found.picture.turnedClockwise() : found.picture
    return standsOnHead ? turned.turnedUpsideDown() : turned
  }()

  /// Maps its coordinates to the photo as uploaded.
  private(set) lazy var toUploaded: PixelTransform = {
    var map = found.picture.toUploaded
    if runsAlongColumns {
      // The turned picture's width is the height of the one that was decoded.
      map = Orientation.right.storedFromUpright(width: size.height, height: size.width).then(map)
    }
    return standsOnHead ? Orientation.down.storedFromUpright(width: size.width, height: size.height).then(map) : map
  }()

  /// The places where a unit's label may stand.
  func places(of unit: WordUnit) -> [LabelPlace] { LabelPlace.places(of: unit, in: lines, slope: slope) }

  /// The place of a line in the photo as uploaded.
  func box(of line: TextSegment) -> PrintedBox? { box(of: line, from: line.left, to: line.right, line.capitalHeight) }

  /// The place of a part of a line, with the height of its capitals.
  func box(of line: TextSegment, from left: Float, to right: Float, _ height: Float) -> PrintedBox? {
    func place(_ x: Float) -> PlanePoint { toUploaded.apply(Double(x), Double(line.y(at: x))) }
    let capital = Double(height) * toUploaded.alongRows.pixel
    let place = Sighting(left: place(left), right: place(right), capital: capital, polarity: .dark)
    return PrintedBox(place.region)
  }
}
