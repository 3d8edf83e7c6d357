import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Cuts lines out of one picture and reads them; every reading is counted, and what was read noted for the whole photo.
final class CropReader {
  let source: DecodedPicture
  private let polarity: StrokePolarity
  private let engine: TextEngine
  private let observer: LineObserver?
  private let textSeen: TextSeen?
  /// Lines given to a recogniser so far.
  private(set) var linesRead = 0

  /// - Parameters:
  ///   - polarity: Whether strokes are dark or light.
  ///   - observer: Told of every line that is read.
  ///   - textSeen: Told of all that is read; nil where others have read it before.
  init(
    source: DecodedPicture, polarity: StrokePolarity, engine: TextEngine, observer: LineObserver?, textSeen: TextSeen?
  ) {
    self.source = source
    self.polarity = polarity
    self.engine = engine
    self.observer = observer
    self.textSeen = textSeen
  }

  /// Reads in a picture that a strategy cut out of the photo.
  ///
  /// - Parameter isNoted: Whether what is read is noted for the whole photo; not where others have read it before.
  convenience init(
    source: DecodedPicture, polarity: StrokePolarity, in context: ReadingContext, isNoted: Bool
  ) {
    self.init(
      source: source, polarity: polarity, engine: context.engine, observer: context.observer,
      textSeen: isNoted ? context.photo.textSeen : nil)
  }

  /// Cuts a part of a line; nil where that lies outside the picture.
  func cut(
    _ segment: TextSegment, _ range: ClosedRange<Float>, _ variant: CropVariant, isUpsideDown: Bool = false
  ) -> LineCrop? {
    LineCrop(
      source.picture, line: segment, range: range, isUpsideDown: isUpsideDown, variant: variant, polarity: polarity)
  }

  /// Reads a cut line; nil where there is no print to read.
  func read(_ crop: LineCrop, _ variant: CropVariant) -> TextLine? {
    guard !crop.picture.isTexture else { return nil }
    let line = engine.read(crop.picture)
    linesRead += 1
    observer?(line, crop.picture)
    textSeen?.note(line, in: crop, variant, polarity: polarity, toUploaded: source.toUploaded)
    return line
  }

  /// What a label says that the recogniser of Latin letters made nothing of.
  func readInOtherScripts(_ crop: LineCrop, latin: String) -> LabelKeywords.Strengths? {
    guard let labels = engine.labels else { return nil }
    let line = labels.read(crop.picture)
    linesRead += 1
    observer?(line, crop.picture)
    return LabelKeywords.strengths(inOtherScripts: line.text, latin: latin)
  }

  /// A direction in a picture whose lines stand upright.
  enum Direction {
    case before, after, above, below

    fileprivate var step: (x: Double, y: Double) {
      switch self {
      case .before: (-1, 0)
      case .after: (1, 0)
      case .above: (0, -1)
      case .below: (0, 1)
      }
    }
  }

  /// How far the photo reaches from a place, in pixels of the source; nothing is known of cuts that are not noted.
  func wayToEdge(_ direction: Direction, _ x: Float, _ y: Float) -> Float {
    guard let size = textSeen?.photoSize else { return .infinity }
    let place = source.toUploaded.apply(Double(x), Double(y))
    let next = source.toUploaded.apply(Double(x) + direction.step.x, Double(y) + direction.step.y)
    let pixel = distance(place, next)
    let step = ((next.x - place.x) / pixel, (next.y - place.y) / pixel)
    return Float(Surroundings.way(from: place, step, toEdgeOf: (Double(size.width), Double(size.height))) / pixel)
  }

  /// Notes a text with a serial's shape that nothing announces as one.
  func noteUnannounced(_ value: ValueText, hasOtherLabel: Bool, in crop: LineCrop, _ variant: CropVariant) {
    textSeen?.noteUnannounced(
      value, hasOtherLabel: hasOtherLabel, in: crop, variant, polarity: polarity, toUploaded: source.toUploaded)
  }
}
