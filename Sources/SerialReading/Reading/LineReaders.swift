import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Crops lines from one image and reads them. Counts every reading, and notes what was read for the whole photo.
final class CropReader {
  let source: DecodedPicture
  let polarity: StrokePolarity
  private let engine: TextEngine
  private let observer: LineObserver?
  private let textSeen: TextSeen?
  /// Number of lines given to a recogniser so far.
  private(set) var linesRead = 0

  /// Creates a reader of one image.
  ///
  /// - Parameter isNoted: Whether readings are noted for the whole photo; false if the lines were read before.
  init(source: DecodedPicture, polarity: StrokePolarity, in context: ReadingContext, isNoted: Bool) {
    (self.source, self.polarity) = (source, polarity)
    (engine, observer) = (context.engine, context.observer)
    textSeen = isNoted ? context.textSeen : nil
  }

  /// Crops a part of a line, or all of it; nil if it lies outside the image.
  func cut(
    _ segment: TextSegment, _ range: ClosedRange<Float>?, _ variant: CropVariant, isUpsideDown: Bool = false
  ) -> LineCrop? {
    LineCrop(source, line: segment, range: range, isUpsideDown: isUpsideDown, variant: variant, polarity: polarity)
  }

  /// Reads a crop; nil if it shows no print.
  func read(_ crop: LineCrop) -> TextLine? {
    guard let line = readUnnoted(crop) else { return nil }
    textSeen?.note(line, in: crop)
    return line
  }

  /// Reads a crop that may be upside down, so that what it seems to say is not noted; nil if it shows no print.
  func readUnnoted(_ crop: LineCrop) -> TextLine? { printed(in: crop)?.line }

  /// Reads a crop beside a value, which may be a label in any script; nil if it shows no print.
  func readLabel(_ crop: LineCrop) -> (line: TextLine, isOfOtherScript: Bool)? {
    guard let (line, label) = printed(in: crop) else { return nil }
    textSeen?.note(line, in: crop)
    return (label ?? line, label != nil)
  }

  /// What a crop says in Latin letters, and what a label in another script says; nil if it shows no print.
  ///
  /// For labels in other scripts the first model writes `Serial` or `Model`, and the same or something like it (`Seriel`)
  /// for print on its side and texture. The second model knows Latin letters only, so what both read is Latin. What the
  /// first one alone reads, exactly and surely, may be a label if a value stands beside it, and says nothing elsewhere.
  private func printed(in crop: LineCrop) -> (line: TextLine, label: TextLine?)? {
    guard !crop.picture.isTexture else { return nil }
    let first = recognised(by: engine, in: crop)
    guard let edits = LabelKeywords.editsOfOtherScript(first.text), let second = engine.second else {
      return (first, nil)
    }
    let isSure = edits == 0 && first.meanConfidence >= Self.leastOfLabel
    let line = recognised(by: second, in: crop)
    guard isSure else { return (line, nil) }
    return LabelKeywords.editsOfOtherScript(line.text) == nil ? (line, first) : (first, nil)
  }

  private func recognised(by engine: TextEngine, in crop: LineCrop) -> TextLine {
    let line = engine.read(crop.picture).withoutHalvesOfLetters(in: crop.picture, capital: crop.capital)
      .withOverlookedSpaces(in: crop.picture, capital: crop.capital)
    linesRead += 1
    observer?(line, crop.picture)
    return line
  }

  /// Mean confidence, 0...100, from which a label that may be in another script counts: of 39 labels on photographed
  /// screens 38 had 93 or more, texture 87 to 91.
  private static let leastOfLabel: Float = 92.5

  /// A direction in an image with upright lines.
  enum Direction {
    case before, after, above, below

    fileprivate var step: PlanePoint {
      switch self {
      case .before: PlanePoint(-1, 0)
      case .after: PlanePoint(1, 0)
      case .above: PlanePoint(0, -1)
      case .below: PlanePoint(0, 1)
      }
    }
  }

  /// Distance from a place to the photo's edge, in pixels of the source; infinite if readings are not noted, because
  /// the photo's size is then unknown.
  func wayToEdge(_ direction: Direction, _ x: Float, _ y: Float) -> Float {
    guard let size = textSeen?.photoSize else { return .infinity }
    let inSource = PlanePoint(Double(x), Double(y))
    let place = source.toUploaded.apply(inSource)
    let step = source.toUploaded.apply(inSource + direction.step) - place
    let edge = PlanePoint(Double(size.width), Double(size.height))
    return Float(Surroundings.way(from: place, step / step.length, toEdgeOf: edge) / step.length)
  }

  /// Notes a text with a serial's format that nothing announces.
  func noteUnannounced(_ value: ValueText, hasOtherLabel: Bool, in crop: LineCrop) {
    textSeen?.noteUnannounced(value, hasOtherLabel: hasOtherLabel, in: crop)
  }
}

/// Called with every line that is read and its cut, to inspect why a photo reads as it does.
package typealias LineObserver = (TextLine, GrayPicture) -> Void

/// Reads the lines of one picture and caches what it learns about them.
final class LineReader {
  struct Reading {
    var line: TextLine
    var crop: LineCrop

    /// The candidates in the line, best first.
    var candidates: [ParsedCandidate] { CandidateParsing.candidates(in: line) }

    /// The part of the line with a candidate and its label, in the line's x coordinates; nil if it is nearly all that was
    /// read. Other words make a reading slower, and dark edges beside them make its letters faint.
    func part(around candidate: ParsedCandidate) -> ClosedRange<Float>? {
      let capital = Float(crop.capital)
      let left = max(0, Float(candidate.left) - LineReader.partLength.before * capital)
      let right = min(
        Float(crop.picture.width), Float(candidate.rightEnd(in: crop)) + LineReader.partLength.after * capital)
      guard Float(crop.picture.width) - (right - left) >= LineReader.leastLeftOut * capital else { return nil }
      let ends = [left, right].map(crop.x)
      return min(ends[0], ends[1])...max(ends[0], ends[1])
    }
  }

  /// How much of a line is read again before and after a candidate, and the least that is worth leaving out, in heights
  /// of capitals.
  private static let partLength: (before: Float, after: Float) = (12, 3)
  private static let leastLeftOut: Float = 4

  /// The length of a line's end that is read, in heights of capitals, for letters of the usual width. A serial with its
  /// label needs about 15.
  static let endLength: Float = 26 * 0.85
  /// The step by which a line is extended, in heights of capitals, and the most steps.
  static let extensionLength: Float = 5
  static let mostExtensions = 4
  /// The length of a line, in lengths of an end that is read, from which only its end is read at first.
  private static let longLine: Float = 1.3
  /// The length of a line's end that is checked for ink beyond it, in heights of capitals.
  private static let checkedEnd: Float = 6
  /// The least number of characters of a legible line, and the mean confidence that it exceeds.
  private static let legible: (characters: Int, confidence: Float) = (10, 96)

  private(set) var lines: [TextSegment]
  private var isExtended: [Bool]
  /// Whether the letters' width was already measured, by line.
  private var isWidthKnown: [Bool]
  let crops: CropReader
  /// Whether the lines are read from their right ends, turned by 180 degrees.
  var isUpsideDown = false
  /// The number of lines passed to the recogniser so far.
  var readings: Int { crops.linesRead }
  /// The lines of several characters that the recogniser read with high confidence.
  private(set) var legibleLines: Set<Int> = []

  /// Creates a reader of lines that a crop reader cuts from its image.
  init(_ lines: [TextSegment], crops: CropReader) {
    (self.lines, self.crops) = (lines, crops)
    isExtended = lines.map { _ in false }
    isWidthKnown = isExtended
  }

  /// A line, extended if ink shows that its text continues beyond the ends that were found.
  func line(_ index: Int) -> TextSegment {
    if !isExtended[index] {
      isExtended[index] = true
      lines[index] = extended(lines[index])
    }
    return lines[index]
  }

  /// Whether a line is so long that only its end is read at first.
  func isLong(_ index: Int) -> Bool {
    line(index).length > endLength(index) * Self.longLine
  }

  /// The length of a line's end that is read, in pixels.
  private func endLength(_ index: Int) -> Float { Self.endLength * line(index).capitalHeight / line(index).stretch }

  /// Reads the end of a line, or all of it.
  func read(_ index: Int, variant: CropVariant = CropVariant.unlike[0], whole: Bool = false) -> Reading? {
    withUsualWidth(index) {
      let line = line(index)
      var range: ClosedRange<Float>?
      if !whole, isLong(index) {
        let part = endLength(index)
        range = isUpsideDown ? -.infinity...(line.left + part) : (line.right - part)...(.infinity)
      }
      return read(index, range: range, variant: variant)
    }
  }

  /// The first reading of a line, as it is or stretched to the usual letter width if its letters have another one.
  ///
  /// Returns the reading with the higher confidence; the line keeps its width.
  private func withUsualWidth(_ index: Int, read: () -> Reading?) -> Reading? {
    let reading = read()
    guard !isWidthKnown[index], let reading, !reading.line.symbols.isEmpty else { return reading }
    isWidthKnown[index] = true
    guard let stretch = reading.crop.stretch(of: lines[index], readAs: reading.line, isWord: false) else {
      return reading
    }
    lines[index].stretch = stretch
    if let other = read(), other.line.meanConfidence > reading.line.meanConfidence { return other }
    lines[index].stretch = 1
    return reading
  }

  /// Reads a part of a line.
  func read(_ index: Int, range: ClosedRange<Float>?, variant: CropVariant) -> Reading? {
    guard let crop = crops.cut(line(index), range, variant, isUpsideDown: isUpsideDown) else { return nil }
    guard let text = crops.read(crop) else { return Reading(line: TextLine(symbols: []), crop: crop) }
    if text.symbols.count >= Self.legible.characters, text.meanConfidence > Self.legible.confidence {
      legibleLines.insert(index)
    }
    return Reading(line: text, crop: crop)
  }

  private func extended(_ line: TextSegment) -> TextSegment {
    var line = line
    for _ in 0..<Self.mostExtensions {
      let step = Self.extensionLength * line.capitalHeight
      let left = textGoesOn(line, atLeft: true) ? max(0, line.left - step) : line.left
      let right =
        textGoesOn(line, atLeft: false) ? min(Float(crops.source.picture.width - 1), line.right + step) : line.right
      if left == line.left, right == line.right { break }
      line.left = left
      line.right = right
    }
    return line
  }

  /// Whether there is ink just beyond an end of a line.
  private func textGoesOn(_ line: TextSegment, atLeft: Bool) -> Bool {
    let reach = Self.checkedEnd * line.capitalHeight
    let range = atLeft ? -.infinity...(line.left + reach) : (line.right - reach)...(.infinity)
    guard let crop = crops.cut(line, range, CropVariant.unlike[0]) else { return false }
    let ink = InkProfile(crop.picture, capital: Float(crop.capital))
    return atLeft ? ink.touchesLeft : ink.touchesRight
  }
}
