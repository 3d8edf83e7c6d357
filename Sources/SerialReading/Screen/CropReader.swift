import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Crops lines from one image and reads them. Counts every reading, and notes what was read for the whole photo.
final class CropReader {
  let source: DecodedPicture
  private let polarity: StrokePolarity
  private let engine: TextEngine
  private let observer: LineObserver?
  private let textSeen: TextSeen?
  /// Number of lines given to a recogniser so far.
  private(set) var linesRead = 0

  /// Creates a reader of one image.
  ///
  /// - Parameters:
  ///   - source: The image.
  ///   - polarity: Whether strokes are dark or light.
  ///   - engine: The recogniser.
  ///   - observer: Called with every line that is read.
  ///   - textSeen: Record of the readings; nil if the lines were read before.
  init(
    source: DecodedPicture, polarity: StrokePolarity, engine: TextEngine, observer: LineObserver?, textSeen: TextSeen?
  ) {
    self.source = source
    self.polarity = polarity
    self.engine = engine
    self.observer = observer
    self.textSeen = textSeen
  }

  /// Creates a reader for an image that a strategy cropped from the photo.
  ///
  /// - Parameters:
  ///   - source: The image.
  ///   - polarity: Whether strokes are dark or light.
  ///   - context: The photo and the recogniser.
  ///   - isNoted: Whether readings are noted for the whole photo; false if the lines were read before.
  convenience init(
    source: DecodedPicture, polarity: StrokePolarity, in context: ReadingContext, isNoted: Bool
  ) {
    self.init(
      source: source, polarity: polarity, engine: context.engine, observer: context.observer,
      textSeen: isNoted ? context.photo.textSeen : nil)
  }

  /// Crops a part of a line; nil if it lies outside the image.
  func cut(
    _ segment: TextSegment, _ range: ClosedRange<Float>, _ variant: CropVariant, isUpsideDown: Bool = false
  ) -> LineCrop? {
    LineCrop(
      source.picture, line: segment, range: range, isUpsideDown: isUpsideDown, variant: variant, polarity: polarity)
  }

  /// Reads a crop; nil if it shows no print.
  func read(_ crop: LineCrop, _ variant: CropVariant) -> TextLine? {
    guard !crop.picture.isTexture else { return nil }
    let line = engine.read(crop.picture)
    linesRead += 1
    observer?(line, crop.picture)
    textSeen?.note(line, in: crop, variant, polarity: polarity, toUploaded: source.toUploaded)
    return line
  }

  /// The announcement by a label that the recogniser of Latin letters could not read.
  func readInOtherScripts(_ crop: LineCrop, latin: String) -> LabelKeywords.Strengths? {
    guard let labels = engine.labels else { return nil }
    let line = labels.read(crop.picture)
    linesRead += 1
    observer?(line, crop.picture)
    return LabelKeywords.strengths(inOtherScripts: line.text, latin: latin)
  }

  /// A direction in an image with upright lines.
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

  /// Distance from a place to the photo's edge, in pixels of the source; infinite if readings are not noted, because
  /// the photo's size is then unknown.
  func wayToEdge(_ direction: Direction, _ x: Float, _ y: Float) -> Float {
    guard let size = textSeen?.photoSize else { return .infinity }
    let place = source.toUploaded.apply(Double(x), Double(y))
    let next = source.toUploaded.apply(Double(x) + direction.step.x, Double(y) + direction.step.y)
    let pixel = distance(place, next)
    let step = ((next.x - place.x) / pixel, (next.y - place.y) / pixel)
    return Float(Surroundings.way(from: place, step, toEdgeOf: (Double(size.width), Double(size.height))) / pixel)
  }

  /// Notes a text with a serial's format that nothing announces.
  func noteUnannounced(_ value: ValueText, hasOtherLabel: Bool, in crop: LineCrop, _ variant: CropVariant) {
    textSeen?.noteUnannounced(
      value, hasOtherLabel: hasOtherLabel, in: crop, variant, polarity: polarity, toUploaded: source.toUploaded)
  }
}
