import AppleSerial
import BarcodeReading
import Imaging
import ScanModel
import TextReading

/// Where a label or a value was read in a photo.
package struct Sighting: Sendable {
  /// The middle of its left and of its right end, in pixels of the photo as uploaded, in the direction in which it reads.
  package var left, right: (x: Double, y: Double)
  /// Height of its capitals, in pixels of the photo as uploaded.
  package var capital: Double
  /// Whether its strokes are dark or light.
  var polarity: StrokePolarity

  package init(
    left: (x: Double, y: Double), right: (x: Double, y: Double), capital: Double, polarity: StrokePolarity
  ) {
    (self.left, self.right, self.capital, self.polarity) = (left, right, capital, polarity)
  }

  /// Half way between its ends.
  var middle: (x: Double, y: Double) { ((left.x + right.x) / 2, (left.y + right.y) / 2) }

  /// The same place read from its other end.
  var reversed: Sighting {
    Sighting(left: right, right: left, capital: capital, polarity: polarity)
  }

  /// Whether it is another reading of the same place.
  func isNear(_ other: Sighting) -> Bool { distance(right, other.right) < 1.5 * capital }
}

extension Sighting {
  /// The place as the region of a read, whose height tells that of the capitals.
  package var region: Quadrilateral {
    let length = max(1e-9, distance(left, right))
    let half = capital / LineCrop.capitalShare / 2
    let down = (x: -(right.y - left.y) / length * half, y: (right.x - left.x) / length * half)
    func corner(_ end: (x: Double, y: Double), _ side: Double) -> PixelPoint {
      PixelPoint(x: end.x + side * down.x, y: end.y + side * down.y)
    }
    return Quadrilateral(corner(left, -1), corner(right, -1), corner(right, 1), corner(left, 1))
  }

  /// The place of a read, dark; nil where it has none.
  package init?(_ region: Quadrilateral) {
    let corners = region.corners.map { (x: $0.x, y: $0.y) }
    guard corners.count == 4 else { return nil }
    func middle(_ a: Int, _ b: Int) -> (x: Double, y: Double) {
      ((corners[a].x + corners[b].x) / 2, (corners[a].y + corners[b].y) / 2)
    }
    self.init(
      left: middle(0, 3), right: middle(1, 2),
      capital: distance(corners[0], corners[3]) * LineCrop.capitalShare, polarity: .dark)
  }
}

/// A text with a serial's shape that nothing announced as one.
struct ValueSighting: Sendable {
  var place: Sighting
  /// Whether what stands before it announces something else: in a table that may be another column's.
  var hasOtherLabel: Bool
}

/// A serial's label that was read somewhere in a photo.
package struct LabelSighting: Sendable {
  var place: Sighting
  /// How strongly it announces a serial.
  var strengths: LabelKeywords.Strengths
  /// Its text as read.
  var text: String
}

/// What was read in one photo so far, over all strategies, whether or not it was a serial.
package final class TextSeen {
  /// Mean confidence, 0...100, and length of a line that is easy to read; text upside down reaches 97.
  private static let clearConfidence: Float = 97.5
  private static let clearLength = 5
  /// Mean confidence, 0...100, from which a value that nothing announces is worth another look around it.
  private static let leastOfUnannounced: Float = 95
  /// Distance of two lines, in heights of capitals, up to which they are one block of print.
  private static let blockReach = 10.0
  /// Readings of such lines after which a photo counts as read, and the different texts among them: repeated readings of a few large
  /// lines say nothing of the small ones beside them. Of 100 generated pictures with other print 50 have as many before a further strategy
  /// is tried; of 47 with a serial that was not read 4 (7 by the readings alone).
  private static let clear = (readings: 12, texts: 10)

  /// Pixels of the photo for one of the picture that lines are looked for in, from which on small print is looked around once more, and the
  /// height of its capitals in that picture, in pixels: of lines as small as this every second is not found.
  private static let leastDetail = 1.5
  private static let smallCapital = 9.0

  /// Height of capitals of small rows, in pixels of the photo as uploaded, and how many of them there must be; and how many rows are hardly any.
  private static let capitalOfSmallRows: Float = 12
  private static let leastSmallRows = 2
  private static let fewRows = 3
  private var foundRows: Int?
  private var smallRows = 0

  /// Width and height of the photo as uploaded, in pixels.
  let photoSize: PixelSize
  /// Pixels of the photo as uploaded for one of the picture that lines are looked for in, along a side; at least 1.
  private var detail: Double { max(1, Double(max(photoSize.width, photoSize.height)) / Double(Photo.workingSide)) }
  /// Labels of serials, each once, in the order in which they were read.
  var labels: [LabelSighting] { labelLog.all }
  /// The direction in which the photo's text runs, once a known label was read.
  private(set) var direction: ReadingDirection?
  private var labelLog = Log<LabelSighting>()
  private var deviceMarks: [DeviceMark] = []
  /// Places around which a serial may stand that the whole picture is too coarse for: a line of each block of what is printed on devices, or
  /// of small print, and codes.
  private var landmarks = Log<Sighting>()
  /// Texts with a serial's shape that nothing announced as one, each once.
  private var unannouncedValues = Log<ValueSighting>()
  private var longWords = LongWords()
  /// The makers that are named.
  private(set) var makers: MakersSeen
  /// Serials that were read surely: where every serial is looked for, their lines are not read again.
  private var sureSerials: [PrintedBox] = []
  /// Every line that was read and every code, for the fields that stand beside serials.
  private(set) var lines: [LineSeen] = []
  private(set) var codes: [CodeSeen] = []
  /// The lines of each picture in the direction in which they read, read or not.
  private(set) var directedLines: [DirectedLines] = []
  /// The lines that were found in each picture, read or not.
  var linesFound: [LinesFound] = []
  private var clearTexts: Set<String> = []
  private var clearReadings = 0

  /// What was seen, in order, each of which is handed out once.
  private struct Log<Seen> {
    private(set) var all: [Seen] = []
    /// Indices of those that were not handed out yet.
    private var waiting: [Int] = []

    mutating func append(_ seen: Seen) {
      waiting.append(all.count)
      all.append(seen)
    }

    /// Hands out so many at most, those first that come first; the others wait.
    mutating func take(most: Int, first isFirst: (Seen) -> Bool = { _ in true }) -> [Seen] {
      let ordered = waiting.filter { isFirst(all[$0]) } + waiting.filter { !isFirst(all[$0]) }
      let taken = ordered.prefix(most)
      waiting.removeAll { taken.contains($0) }
      return taken.map { all[$0] }
    }
  }

  /// - Parameter makers: Those that are known already.
  package init(photoSize: PixelSize, makers: MakersSeen = MakersSeen()) {
    (self.photoSize, self.makers) = (photoSize, makers)
  }

  /// Whether much was read with ease and nothing of it announces a serial.
  var isOtherText: Bool {
    clearReadings >= Self.clear.readings && clearTexts.count >= Self.clear.texts && labels.isEmpty
  }

  /// Forgets what was read in a direction that turns out to be wrong: text upside down is read with ease, and values have their labels on the other
  /// side there.
  ///
  /// - Parameter read: Reads, and says whether it was the wrong direction.
  package func withoutWrongDirection(_ read: () -> Bool) {
    let before = (
      labelLog, deviceMarks, landmarks, unannouncedValues, longWords, makers, clearTexts, clearReadings
    )
    let (linesBefore, foundBefore) = (lines.count, directedLines.count)
    guard read() else { return }
    (labelLog, deviceMarks, landmarks, unannouncedValues, longWords, makers, clearTexts, clearReadings) = before
    lines.removeLast(max(0, lines.count - linesBefore))
    directedLines.removeLast(max(0, directedLines.count - foundBefore))
  }

  /// Reads what does not count as other text, however easy it is: a look at a part of the photo, or along one direction, says little of the rest.
  func withoutCounting<Result>(_ read: () throws(ReadFailure) -> Result) throws(ReadFailure) -> Result {
    let before = (clearReadings, clearTexts)
    defer { (clearReadings, clearTexts) = before }
    return try read()
  }

  /// Notes where a serial was read surely.
  func noteSure(_ region: Quadrilateral) {
    if let box = PrintedBox(region) { sureSerials.append(box) }
  }

  /// Whether a line of a picture passes through a serial that was read surely.
  func holdsSureSerial(
    _ line: TextSegment, from left: Float, to right: Float, toUploaded: PixelTransform
  ) -> Bool {
    guard !sureSerials.isEmpty, let toPicture = toUploaded.inverse else { return false }
    return sureSerials.contains { box in
      let middle = toPicture.apply(box.middle.x, box.middle.y)
      let height = Double(line.slope) * middle.x + Double(line.offset)
      return (Double(left)...Double(max(left, right))).contains(middle.x)
        && abs(height - middle.y) < 0.7 * Double(line.capitalHeight)
    }
  }

  /// Labels that were not handed out before, at most so many.
  package func takeNewLabels(most: Int) -> [LabelSighting] { labelLog.take(most: most) }

  /// Unannounced values that were not handed out before, at most so many, those without any label first.
  func takeNewUnannouncedValues(most: Int) -> [ValueSighting] {
    unannouncedValues.take(most: most) { !$0.hasOtherLabel }
  }

  /// Landmarks that were not handed out before, at most so many.
  package func takeNewLandmarks(most: Int) -> [Sighting] { landmarks.take(most: most) }

  /// How far before a value its label ends, and how far above it stands, in heights of the value's capitals.
  private static let labelReach = (before: 14.0, above: 5.0)

  /// The label that stands before a value or above it, the nearest; nil where none was read.
  func label(of region: Quadrilateral) -> LabelSighting? {
    guard let box = PrintedBox(region) else { return nil }
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

  /// Notes a text with a serial's shape that nothing announces as one, where it was read with ease.
  func noteUnannounced(
    _ value: ValueText, hasOtherLabel: Bool, in crop: LineCrop, _ variant: CropVariant, polarity: StrokePolarity,
    toUploaded: PixelTransform
  ) {
    guard value.meanConfidence >= Self.leastOfUnannounced else { return }
    let place = Self.sighting(from: value.left, to: value.right, in: crop, variant, polarity, toUploaded)
    guard !unannouncedValues.all.contains(where: { place.isNear($0.place) }) else { return }
    unannouncedValues.append(ValueSighting(place: place, hasOtherLabel: hasOtherLabel))
  }

  /// Whether rows were found whose capitals are so low that many of their neighbours are not found, or hardly any rows at all.
  var hasSmallRows: Bool { smallRows >= Self.leastSmallRows || (foundRows.map { $0 < Self.fewRows } ?? false) }

  /// Notes the rows that were found in a picture of the whole photo.
  func noteRows(_ rows: [TextSegment], in picture: DecodedPicture) {
    let scale = Float(max(photoSize.width, photoSize.height)) / Float(max(1, picture.picture.longestSide))
    guard scale >= 1 else { return }
    foundRows = max(foundRows ?? 0, rows.count)
    smallRows = max(smallRows, rows.count { $0.capitalHeight * scale < Self.capitalOfSmallRows })
  }

  /// Notes in which direction the text runs; the first to know is believed.
  func note(_ direction: ReadingDirection) {
    self.direction = self.direction ?? direction
  }

  /// Notes a line that was read, with the label in it, if there is one.
  ///
  /// - Parameters:
  ///   - line: As the recogniser read it.
  ///   - crop: What it read.
  ///   - variant: How that was cut.
  ///   - toUploaded: From the picture that the crop was taken of to the photo as uploaded.
  func note(
    _ line: TextLine, in crop: LineCrop, _ variant: CropVariant, polarity: StrokePolarity, toUploaded: PixelTransform
  ) {
    let whole = Self.sighting(from: 0, to: crop.picture.width, in: crop, variant, polarity, toUploaded)
    noteField(line, in: crop, at: whole, toUploaded)
    let isClear = line.symbols.count >= Self.clearLength && line.meanConfidence >= Self.clearConfidence
    // Of small print in a large photo much more may not have been found.
    let isSmall = isCoarse && whole.capital < Self.smallCapital * detail
    if isClear, !isSmall {
      clearReadings += 1
      clearTexts.insert(line.text.filter { $0 != " " })
    }
    longWords.note(line)
    makers.note(line)
    if DeviceMark.isDevicePrint(line.text) {
      noteDevicePrint(line.text, at: whole)
    } else if isClear, isSmall {
      noteLandmark(whole)
    }
    guard let label = Self.label(in: line) else { return }
    let place = Self.sighting(from: label.left, to: label.right, in: crop, variant, polarity, toUploaded)
    guard !labels.contains(where: { place.isNear($0.place) }) else { return }
    labelLog.append(LabelSighting(place: place, strengths: label.strengths, text: label.text))
  }

  /// Lines and codes that are kept.
  private static let mostLines = 2_000
  private static let mostCodes = 200
  /// Characters of the shortest line that is kept.
  private static let leastCharacters = 3

  private func noteField(_ line: TextLine, in crop: LineCrop, at place: Sighting, _ toUploaded: PixelTransform) {
    guard lines.count < Self.mostLines, line.symbols.count >= Self.leastCharacters else { return }
    lines.append(LineSeen(line, in: crop, at: place, toUploaded: toUploaded))
  }

  /// Pictures whose lines are kept.
  private static let mostFound = 8

  /// Notes the lines that were found in a picture.
  func noteDirected(_ lines: DirectedLines) {
    if directedLines.count < Self.mostFound { directedLines.append(lines) }
  }

  /// Notes a line that was read for its fields alone: it says nothing more of the serial, which is settled.
  func noteForFields(
    _ line: TextLine, in crop: LineCrop, _ variant: CropVariant, polarity: StrokePolarity, toUploaded: PixelTransform
  ) {
    noteField(
      line, in: crop, at: Self.sighting(from: 0, to: crop.picture.width, in: crop, variant, polarity, toUploaded),
      toUploaded)
  }

  /// Notes codes that were read.
  package func note(_ found: [Barcode], _ toUploaded: PixelTransform) {
    for code in found where codes.count < Self.mostCodes {
      let region = BarcodeStrategy.region(code, toUploaded)
      codes.append(CodeSeen(code: code, region: region))
    }
  }

  private func noteDevicePrint(_ text: String, at place: Sighting) {
    let middle = PixelPoint(x: place.middle.x, y: place.middle.y)
    if let mark = DeviceMark(text, middle: middle, capital: place.capital) { deviceMarks.append(mark) }
    noteLandmark(place)
  }

  /// Notes a code that holds no serial: it may stand on the device's label.
  package func noteCode(at place: Sighting) {
    if isCoarse { noteLandmark(place) }
  }

  private func noteLandmark(_ place: Sighting) {
    if !landmarks.all.contains(where: { Self.isOneBlock($0, place) }) { landmarks.append(place) }
  }

  /// Whether the photo shows much more than the picture that lines are looked for in.
  var isCoarse: Bool { detail >= Self.leastDetail }

  private static func isOneBlock(_ first: Sighting, _ second: Sighting) -> Bool {
    distance(first.middle, second.middle) < blockReach * first.capital
      + max(distance(first.left, first.right), distance(second.left, second.right)) / 2
  }

  /// Where some columns of a crop stand in the photo as uploaded.
  private static func sighting(
    from left: Int, to right: Int, in crop: LineCrop, _ variant: CropVariant, _ polarity: StrokePolarity,
    _ toUploaded: PixelTransform
  ) -> Sighting {
    let map = crop.toSource.then(toUploaded)
    let middle = Double(crop.picture.height) / 2
    return Sighting(
      left: map.apply(Double(left), middle), right: map.apply(Double(right), middle),
      capital: distance(map.apply(0, 0), map.apply(0, Double(LineCrop.capitalHeight / variant.heightFactor))),
      polarity: polarity)
  }

  /// Whether a word was read that goes on before or after a serial, as in `LongWords`.
  func continues(_ serial: String) -> Bool { longWords.continues(serial) }

  /// Whether a line that names a device stands beside a read.
  func isBesideDeviceMark(_ region: Quadrilateral) -> Bool { deviceMarks.contains { $0.isBeside(region) } }

  /// Whether a line that names a device stands beside a value.
  func isBesideDeviceMark(_ value: Sighting) -> Bool {
    let middle = PixelPoint(x: value.middle.x, y: value.middle.y)
    return deviceMarks.contains { $0.isBeside(middle, capital: value.capital) }
  }

  /// The longest beginning of a line that ends in a serial's label.
  private static func label(
    in line: TextLine
  ) -> (left: Int, right: Int, strengths: LabelKeywords.Strengths, text: String)? {
    let symbols = line.symbols
    for end in symbols.indices.map({ $0 + 1 }).reversed()
    where end == symbols.count || symbols[end].startsWord || symbols[end - 1].character == ":" {
      let text = TextLine(symbols: Array(symbols[..<end])).text
      let strengths = LabelKeywords.strengths(before: text)
      guard strengths.announcesSerial, strengths.serial >= LabelKeywords.Strengths.leastOfKnown else { continue }
      return (symbols[max(0, end - 20)].left, symbols[end - 1].right, strengths, text)
    }
    return nil
  }
}

/// Of two places, in pixels.
func distance(_ a: (x: Double, y: Double), _ b: (x: Double, y: Double)) -> Double {
  let (x, y) = (a.x - b.x, a.y - b.y)
  return (x * x + y * y).squareRoot()
}
