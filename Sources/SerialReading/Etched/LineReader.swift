import Imaging
import TextReading

/// Told of every line that is read, with its cut: for looking into why a photo reads as it does.
package typealias LineObserver = (TextLine, GrayPicture) -> Void

/// Reads lines of one picture in one direction of reading, and remembers what was read.
final class LineReader {
  /// One reading of one line.
  struct Reading {
    var line: TextLine
    var crop: LineCrop
    /// The candidates in it, best first.
    var candidates: [ParsedCandidate]
  }

  /// How much of a line's end is read: so many heights of capitals. A serial with its keyword needs about 15.
  static let endLength: Float = 26 * 0.85

  let picture: GrayPicture
  let polarity: StrokePolarity
  private let engine: TextEngine
  private let observer: LineObserver?
  /// Number of lines given to the recogniser so far.
  private(set) var linesRead = 0
  /// Number of readings of several characters that the recogniser was sure of.
  private(set) var legibleLines = 0

  init(picture: GrayPicture, polarity: StrokePolarity, engine: TextEngine, observer: LineObserver? = nil) {
    self.picture = picture
    self.polarity = polarity
    self.engine = engine
    self.observer = observer
  }

  /// Whether a line is so long that only its end is read at first.
  func isLong(_ line: TextSegment) -> Bool { line.length > Self.endLength * line.capitalHeight * 1.3 }

  /// Reads the end of a line, or all of it.
  func read(_ line: TextSegment, isUpsideDown: Bool, variant: CropVariant, whole: Bool = false) -> Reading? {
    var range: ClosedRange<Float>?
    if !whole, isLong(line) {
      let part = Self.endLength * line.capitalHeight
      range = isUpsideDown ? -.infinity...(line.left + part) : (line.right - part)...(.infinity)
    }
    return read(line, range: range, isUpsideDown: isUpsideDown, variant: variant)
  }

  /// Reads a part of a line.
  func read(_ line: TextSegment, range: ClosedRange<Float>?, isUpsideDown: Bool, variant: CropVariant) -> Reading? {
    guard
      let crop = LineCrop(
        picture, line: line, range: range, isUpsideDown: isUpsideDown, variant: variant, polarity: polarity)
    else { return nil }
    linesRead += 1
    let text = engine.read(crop.picture)
    observer?(text, crop.picture)
    if text.symbols.count >= 8, text.meanConfidence > 88 { legibleLines += 1 }
    return Reading(line: text, crop: crop, candidates: CandidateParsing.candidates(in: text))
  }
}
