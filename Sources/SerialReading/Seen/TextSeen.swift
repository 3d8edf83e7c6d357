import AppleSerial
import BarcodeReading
import Imaging
import ScanModel
import TextReading

/// The text and codes read in one photo so far, by all strategies, serials or not.
package final class TextSeen {
  /// Minimum mean confidence, 0...100, and length of a clearly read line; upside-down text reaches 97.
  private static let clearConfidence: Float = 97.5
  private static let clearLength = 5
  /// Mean confidence, 0...100, from which the surroundings of an unannounced value are read again.
  private static let leastOfUnannounced: Float = 95
  /// Maximum distance of two lines in one block of print, in capital heights.
  private static let blockReach = 10.0
  /// Number of clear readings, and of different texts among them, after which a photo counts as read. Both are needed,
  /// because repeated readings of a few large lines say nothing about small ones beside them. Of 100 generated images
  /// of other print 50 reach this before another strategy is tried; of 47 with an unread serial, 4.
  private static let clear = (readings: 12, texts: 10)

  /// Pixels of the photo per pixel of the search image from which the surroundings of small print are read again, and
  /// the capital height of small print in the search image, in pixels. Half of the lines this small are not found.
  private static let leastDetail = 1.5
  private static let smallCapital = 9.0

  /// Capital height of small rows in pixels of the photo as uploaded, the minimum number of them, and the number of
  /// rows below which a photo has few.
  private static let capitalOfSmallRows: Float = 12
  private static let leastSmallRows = 2
  private static let fewRows = 3
  /// Number of rows of a page of text.
  private static let manyRows = 20
  private var foundRows: Int?
  /// Whether the photo has light text and dark text. What was read of one says little about the other.
  var hasBothPolarities = false
  private var smallRows = 0

  /// Width and height of the photo as uploaded, in pixels.
  let photoSize: PixelSize
  /// Pixels of the photo as uploaded per pixel of the search image, along a side; at least 1.
  private var detail: Double {
    let side = isOfScreenshot ? Photo.screenshotSide : Photo.workingSide
    return max(1, Double(max(photoSize.width, photoSize.height)) / Double(side))
  }
  /// Whether the photo is a screenshot, whose rows are searched in a larger image.
  var isOfScreenshot = false
  /// Labels of serials, each once, in the order in which they were read.
  var labels: [LabelSighting] { noted.labels.all }
  /// The direction of the photo's text, known once a known label was read.
  private(set) var direction: ReadingDirection?
  /// The direction in which text was first read clearly, labels or not; nil if it was not.
  var clearDirection: ReadingDirection?
  private var noted: Noted
  /// The makers named so far.
  var makers: MakersSeen { noted.makers }
  /// Whether text was read that stands beside serials: a label of one, a device's print or Apple's name.
  var promisesSerial: Bool { !labels.isEmpty || !noted.deviceMarks.isEmpty || makers.isAppleNamed }
  /// Serials that were read with certainty. If all serials are sought, their lines are not read again.
  private var sureSerials: [PrintedBox] = []
  /// Every line and code that was read, for the fields that stand beside serials.
  var lines: [LineSeen] { noted.lines }
  private(set) var codes: [CodeSeen] = []
  /// The lines found in each image, whether read or not.
  private(set) var linesFound: [LinesFound] = []
  private let wantsEverySerial: Bool
  /// The columns of tables whose headers were read.
  var columns = TableColumns()

  /// What lines said, which is wrong if they were read in a wrong direction.
  private struct Noted {
    var makers: MakersSeen
    var lines: [LineSeen] = []
    var labels = Log<LabelSighting>()
    var deviceMarks: [DeviceMark] = []
    /// Places around which a serial too small for the whole image may stand: one line of each block of device print or
    /// small print, and codes.
    var landmarks = Log<Sighting>()
    /// Texts with a serial's format that nothing announced, each once.
    var unannouncedValues = Log<ValueSighting>()
    var longWords = LongWords()
    /// The clear readings, and the texts among them.
    var clear = (readings: 0, texts: Set<String>())
    /// The places that are not read again if every serial is wanted.
    var clearPlaces = ClearTexts()
  }

  /// An ordered log that hands out each entry once.
  private struct Log<Seen> {
    private(set) var all: [Seen] = []
    /// Indices of entries not yet handed out.
    private var waiting: [Int] = []

    mutating func append(_ seen: Seen) {
      waiting.append(all.count)
      all.append(seen)
    }

    /// Hands out at most `most` entries, preferred ones first; the others stay.
    mutating func take(most: Int, first isFirst: (Seen) -> Bool = { _ in true }) -> [Seen] {
      let ordered = waiting.filter { isFirst(all[$0]) } + waiting.filter { !isFirst(all[$0]) }
      let taken = ordered.prefix(most)
      waiting.removeAll { taken.contains($0) }
      return taken.map { all[$0] }
    }
  }

  /// Creates an empty record.
  ///
  /// - Parameters:
  ///   - photoSize: Width and height of the photo as uploaded, in pixels.
  ///   - makers: Makers that are already known.
  ///   - wantsEverySerial: Whether every serial is wanted. Only then are places noted that need not be read again.
  package init(photoSize: PixelSize, makers: MakersSeen = MakersSeen(), wantsEverySerial: Bool = false) {
    (self.photoSize, noted, self.wantsEverySerial) = (photoSize, Noted(makers: makers), wantsEverySerial)
  }

  /// Whether much text was read clearly and none of it announces a serial.
  var isOtherText: Bool {
    noted.clear.readings >= Self.clear.readings && noted.clear.texts.count >= Self.clear.texts && labels.isEmpty
  }

  /// Discards what was read in a direction that turns out to be wrong. Upside-down text reads clearly, and labels are
  /// then on the wrong side of their values.
  ///
  /// - Parameter read: Reads, and returns whether the direction was wrong.
  package func withoutWrongDirection(_ read: () -> Bool) {
    let before = noted
    if read() { noted = before }
  }

  /// Reads without counting toward `isOtherText`: part of a photo, or one direction, says little about the rest.
  ///
  /// - Throws: The error of `read`.
  func withoutCounting<Result>(_ read: () throws(ReadFailure) -> Result) throws(ReadFailure) -> Result {
    let before = noted.clear
    defer { noted.clear = before }
    return try read()
  }

  /// Notes the place of a serial that was read with certainty, unless it lies outside the photo or the part of it.
  func noteSure(_ region: Quadrilateral) {
    guard let box = PrintedBox(region), (0...Double(photoSize.width)).contains(box.middle.x),
      (0...Double(photoSize.height)).contains(box.middle.y)
    else { return }
    sureSerials.append(box)
  }

  /// Whether a line of an image passes through a serial that was read with certainty.
  func holdsSureSerial(_ line: TextSegment, from left: Float, to right: Float, toUploaded: PixelTransform) -> Bool {
    guard !sureSerials.isEmpty, let toPicture = toUploaded.inverse else { return false }
    return sureSerials.contains { box in
      let middle = toPicture.apply(box.middle)
      let height = Double(line.slope) * middle.x + Double(line.offset)
      return (Double(left)...Double(max(left, right))).contains(middle.x)
        && abs(height - middle.y) < Sighting.rowTolerance * Double(line.capitalHeight)
    }
  }

  /// Whether a part of a line was read clearly before and has nothing to do with serials, as in `ClearTexts`.
  func wasRead(
    _ line: TextSegment, from left: Float, to right: Float, polarity: StrokePolarity, toUploaded: PixelTransform
  ) -> Bool {
    noted.clearPlaces.cover(line, from: left, to: right, polarity: polarity, toUploaded: toUploaded)
  }

  /// Takes over what was read clearly in the photo of which this one is a part.
  func takeOver(_ whole: TextSeen, in part: Photo) {
    noted.clearPlaces = whole.noted.clearPlaces.saidNothing(in: part)
    let texts = noted.clearPlaces.plain
    noted.clear.readings += texts.count
    noted.clear.texts.formUnion(texts)
  }

  /// Whether any serial was read with certainty. Noted only if every serial is wanted.
  var hasSureSerial: Bool { !sureSerials.isEmpty }

  /// Whether a place holds a serial that was read with certainty.
  func holdsSureSerial(_ place: Sighting) -> Bool {
    PrintedBox(place.region).map { box in sureSerials.contains { $0.isOneLine(with: box) } } ?? false
  }

  /// Whether a label announces a serial that was read with certainty.
  func announcesSureSerial(_ label: LabelSighting) -> Bool {
    sureSerials.contains { sure in self.label(of: sure).map { $0.place.isNear(label.place) } ?? false }
  }

  /// The values in a serial's format that nothing announced, each once.
  var valuesUnannounced: [ValueSighting] { noted.unannouncedValues.all }

  /// Labels not handed out before, at most `most`.
  package func takeNewLabels(most: Int) -> [LabelSighting] { noted.labels.take(most: most) }

  /// Unannounced values not handed out before, at most `most`, those without any label first.
  func takeNewUnannouncedValues(most: Int) -> [ValueSighting] {
    noted.unannouncedValues.take(most: most) { !$0.hasOtherLabel }
  }

  /// Landmarks not handed out before, at most `most`.
  package func takeNewLandmarks(most: Int) -> [Sighting] { noted.landmarks.take(most: most) }

  /// Maximum distance between a label's end and its value, and between a value and a label above it, in heights of the
  /// value's capitals.
  private static let labelReach = (before: Double(LabelPlace.reach), above: 5.0)

  /// The nearest label before or above a value; nil if none was read.
  func label(of region: Quadrilateral) -> LabelSighting? { PrintedBox(region).flatMap(label) }

  private func label(of box: PrintedBox) -> LabelSighting? {
    func gap(_ label: LabelSighting) -> Double? {
      let (start, end) = (box.offset(of: label.place.left), box.offset(of: label.place.right))
      guard start.along < end.along else { return nil }
      let before = -box.half.along - end.along
      if abs(end.across) < box.capital, before > -box.capital, before < Self.labelReach.before * box.capital {
        return max(0, before)
      }
      let isAbove = -end.across > box.capital && -end.across < Self.labelReach.above * box.capital
      return isAbove && start.along < box.half.along && end.along > -box.half.along ? -end.across : nil
    }
    return labels.compactMap { label in gap(label).map { (label, $0) } }.min { $0.1 < $1.1 }?.0
  }

  /// Notes a text with a serial's format that nothing announces, if it was read with confidence.
  func noteUnannounced(_ value: ValueText, hasOtherLabel: Bool, in crop: LineCrop) {
    guard value.meanConfidence >= Self.leastOfUnannounced else { return }
    let place = crop.sighting(from: value.left, to: value.right)
    guard !valuesUnannounced.contains(where: { place.isNear($0.place) }) else { return }
    noted.unannouncedValues.append(
      ValueSighting(place: place, text: value.string, isWord: value.spaces == 0, hasOtherLabel: hasOtherLabel))
  }

  /// Whether rows were found whose capitals are so low that many neighbours are missed, or almost no rows were found.
  var hasSmallRows: Bool { smallRows >= Self.leastSmallRows || (foundRows.map { $0 < Self.fewRows } ?? false) }

  /// Whether as many rows were found as a page of text has.
  var hasManyRows: Bool { (foundRows ?? 0) >= Self.manyRows }

  /// Notes the rows found in an image of the whole photo.
  func noteRows(_ rows: [TextSegment], in picture: DecodedPicture) {
    let scale = Float(max(photoSize.width, photoSize.height)) / Float(max(1, picture.picture.longestSide))
    guard scale >= 1 else { return }
    foundRows = max(foundRows ?? 0, rows.count)
    smallRows = max(smallRows, rows.count { $0.capitalHeight * scale < Self.capitalOfSmallRows })
  }

  /// Notes the direction of the text; the first one noted stays.
  func note(_ direction: ReadingDirection) {
    self.direction = self.direction ?? direction
  }

  /// Notes a line that was read, and any label in it.
  func note(_ line: TextLine, in crop: LineCrop) {
    noteForFields(line, in: crop)
    let whole = crop.sighting(from: 0, to: crop.picture.width)
    let isClear = line.symbols.count >= Self.clearLength && line.meanConfidence >= Self.clearConfidence
    // Small print in a large photo may have many more lines that were not found.
    let isSmall = isCoarse && whole.capital < Self.smallCapital * detail
    if isClear, !isSmall {
      noted.clear.readings += 1
      noted.clear.texts.insert(line.text.filter { $0 != " " })
    }
    noted.longWords.note(line)
    noted.makers.note(line)
    if let mark = DeviceMark(line.text, at: whole) { noted.deviceMarks.append(mark) }
    if DeviceMark.isDevicePrint(line.text) || (isClear && isSmall) { noteLandmark(whole) }
    let label = Self.label(in: line)
    if wantsEverySerial, isClear, let first = line.symbols.first, let last = line.symbols.last {
      noted.clearPlaces.note(line, at: crop.sighting(from: first.left, to: last.right), hasLabel: label != nil)
    }
    guard let label else { return }
    let place = crop.sighting(from: label.left, to: label.right)
    guard !labels.contains(where: { place.isNear($0.place) }) else { return }
    noted.labels.append(
      LabelSighting(place: place, strengths: label.strengths, text: label.text, following: label.following))
  }

  /// Maximum number of lines and codes kept.
  private static let mostLines = 2_000
  private static let mostCodes = 200
  /// Minimum number of characters of a line that is kept.
  private static let leastCharacters = 3

  /// Notes a line only for its fields. If the serial is already settled, the line does not affect it.
  func noteForFields(_ line: TextLine, in crop: LineCrop) {
    guard lines.count < Self.mostLines, line.symbols.count >= Self.leastCharacters else { return }
    noted.lines.append(LineSeen(line, in: crop))
  }

  /// Maximum number of turned images that are kept.
  private static let mostDirected = 8

  func note(_ lines: LinesFound) {
    linesFound.append(lines)
    if linesFound.count(where: { $0.directed != nil }) > Self.mostDirected {
      linesFound[linesFound.count - 1].directed = nil
    }
  }

  /// Notes codes that were read.
  package func note(_ found: [Barcode], _ toUploaded: PixelTransform) {
    for code in found where codes.count < Self.mostCodes {
      let region = BarcodeStrategy.region(code, toUploaded)
      codes.append(CodeSeen(code: code, region: region))
    }
  }

  /// The contents of codes that hold no serial, each once: single lines of up to `Reading.longestCode` characters.
  var otherCodes: [String] {
    let texts = codes.filter { SerialCodes.serials(in: [$0.code]).isEmpty }
      .map { $0.code.text.trimmingCharacters(in: .whitespacesAndNewlines) }
    let lines = texts.filter { text in
      (1...Reading.longestCode).contains(text.unicodeScalars.count)
        && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
    return lines.distinct(most: Reading.mostCodes, by: ==)
  }

  /// Notes a code without a serial, which may stand on the device's label.
  package func noteCode(at place: Sighting) {
    if isCoarse { noteLandmark(place) }
  }

  private func noteLandmark(_ place: Sighting) {
    if !noted.landmarks.all.contains(where: { Self.isOneBlock($0, place) }) { noted.landmarks.append(place) }
  }

  /// Whether the photo shows much more detail than the search image.
  var isCoarse: Bool { detail >= Self.leastDetail }

  private static func isOneBlock(_ first: Sighting, _ second: Sighting) -> Bool {
    (first.middle - second.middle).length < blockReach * first.capital
      + max((first.right - first.left).length, (second.right - second.left).length) / 2
  }

  /// Whether a word was read that extends a serial, as in `LongWords`.
  func continues(_ serial: String) -> Bool { noted.longWords.continues(serial) }

  /// Whether a line that names a device stands beside a read.
  func isBesideDeviceMark(_ region: Quadrilateral) -> Bool { Sighting(region).map(isBesideDeviceMark) ?? false }

  /// Whether a line that names a device stands beside a value.
  func isBesideDeviceMark(_ value: Sighting) -> Bool { noted.deviceMarks.contains { $0.isBeside(value) } }

  /// The longest beginning of a line that ends in a serial's label.
  private static func label(
    in line: TextLine
  ) -> (left: Int, right: Int, strengths: LabelKeywords.Strengths, text: String, following: String)? {
    let symbols = line.symbols
    for end in symbols.indices.map({ $0 + 1 }).reversed()
    where end == symbols.count || symbols[end].startsWord || symbols[end - 1].character == ":" {
      let text = symbols[..<end].text
      let strengths = LabelKeywords.strengths(before: text)
      guard strengths.announcesSerial, strengths.serial >= LabelKeywords.Strengths.leastOfKnown else { continue }
      let following = String(symbols[end...].map(\.character))
      return (symbols[max(0, end - 20)].left, symbols[end - 1].right, strengths, text, following)
    }
    return nil
  }
}
