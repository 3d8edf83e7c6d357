import Imaging
import TextReading

/// Called with every line that is read and its cut, to inspect why a photo reads as it does.
package typealias LineObserver = (TextLine, GrayPicture) -> Void

/// Reads the lines of one picture and caches what it learns about them.
final class LineReader {
  /// A reading of a line.
  struct Reading {
    var line: TextLine
    var crop: LineCrop

    /// The candidates in the line, best first.
    var candidates: [ParsedCandidate] { CandidateParsing.candidates(in: line) }
  }

  /// The length of a line's end that is read, in heights of capitals, for letters of the usual width. A serial with its
  /// label needs about 15.
  static let endLength: Float = 26 * 0.85
  /// The step by which a line is extended, in heights of capitals, and the most steps.
  static let extensionLength: Float = 5
  static let mostExtensions = 4

  let picture: GrayPicture
  let polarity: StrokePolarity
  private(set) var lines: [TextSegment]
  private var isExtended: [Bool]
  /// Whether the letters' width was already measured, by line.
  private var isWidthKnown: [Bool]
  private let engine: TextEngine
  private let observer: LineObserver?
  /// The number of lines passed to the recogniser so far.
  private(set) var readings = 0
  /// The lines of several characters that the recogniser read with high confidence.
  private(set) var legibleLines: Set<Int> = []

  init(
    picture: GrayPicture, lines: [TextSegment], polarity: StrokePolarity, engine: TextEngine,
    observer: LineObserver? = nil
  ) {
    self.picture = picture
    self.lines = lines
    isExtended = lines.map { _ in false }
    isWidthKnown = isExtended
    self.polarity = polarity
    self.engine = engine
    self.observer = observer
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
    line(index).length > endLength(index) * 1.3
  }

  /// The length of a line's end that is read, in pixels.
  private func endLength(_ index: Int) -> Float { Self.endLength * line(index).capitalHeight / line(index).stretch }

  /// Reads the end of a line, or all of it.
  func read(_ index: Int, isUpsideDown: Bool, variant: CropVariant, whole: Bool = false) -> Reading? {
    withUsualWidth(index, variant) {
      let line = line(index)
      var range: ClosedRange<Float>?
      if !whole, isLong(index) {
        let part = endLength(index)
        range = isUpsideDown ? -.infinity...(line.left + part) : (line.right - part)...(.infinity)
      }
      return read(index, range: range, isUpsideDown: isUpsideDown, variant: variant)
    }
  }

  /// The first reading of a line, as it is or stretched to the usual letter width if its letters have another one.
  ///
  /// Returns the reading with the higher confidence; the line keeps its width.
  private func withUsualWidth(_ index: Int, _ variant: CropVariant, read: () -> Reading?) -> Reading? {
    let reading = read()
    guard !isWidthKnown[index], let reading, !reading.line.symbols.isEmpty else { return reading }
    isWidthKnown[index] = true
    guard let stretch = LineCrop.stretch(of: lines[index], readAs: reading.line, variant, isWord: false)
    else { return reading }
    lines[index].stretch = stretch
    if let other = read(), other.line.meanConfidence > reading.line.meanConfidence { return other }
    lines[index].stretch = 1
    return reading
  }

  /// Reads a part of a line.
  func read(_ index: Int, range: ClosedRange<Float>?, isUpsideDown: Bool, variant: CropVariant) -> Reading? {
    guard
      let crop = LineCrop(
        picture, line: line(index), range: range, isUpsideDown: isUpsideDown, variant: variant, polarity: polarity)
    else { return nil }
    guard !crop.picture.isTexture else { return Reading(line: TextLine(symbols: []), crop: crop) }
    readings += 1
    let text = engine.read(crop.picture)
    observer?(text, crop.picture)
    if text.symbols.count >= 10, text.meanConfidence > 96 { legibleLines.insert(index) }
    return Reading(line: text, crop: crop)
  }

  private func extended(_ line: TextSegment) -> TextSegment {
    var line = line
    for _ in 0..<Self.mostExtensions {
      let step = Self.extensionLength * line.capitalHeight
      let left = textGoesOn(line, atLeft: true) ? max(0, line.left - step) : line.left
      let right = textGoesOn(line, atLeft: false) ? min(Float(picture.width - 1), line.right + step) : line.right
      if left == line.left, right == line.right { break }
      line.left = left
      line.right = right
    }
    return line
  }

  /// Whether there is ink just beyond an end of a line.
  private func textGoesOn(_ line: TextSegment, atLeft: Bool) -> Bool {
    let reach = 6 * line.capitalHeight
    let range = atLeft ? -.infinity...(line.left + reach) : (line.right - reach)...(.infinity)
    guard
      let crop = LineCrop(
        picture, line: line, range: range, isUpsideDown: false, variant: CropVariant.unlike[0], polarity: polarity)
    else { return false }
    let ink = InkProfile(crop.picture, capital: Float(crop.capital))
    return atLeft ? ink.touchesLeft : ink.touchesRight
  }
}
