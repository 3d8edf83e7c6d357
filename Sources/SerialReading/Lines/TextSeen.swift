import AppleSerial
import Imaging
import ReaderProtocol
import TextReading

/// A serial's label that was read somewhere in a photo.
struct LabelSighting: Sendable {
  /// The middle of its left and of its right end, in pixels of the photo as uploaded, in the direction in which it reads.
  var left, right: (x: Double, y: Double)
  /// Height of its capitals, in pixels of the photo as uploaded.
  var capital: Double
  /// How strongly it announces a serial.
  var strengths: LabelKeywords.Strengths
  /// Its text as read.
  var text: String
  /// Whether its strokes are dark or light.
  var polarity: StrokePolarity
}

/// What was read in one photo so far, over all strategies, whether or not it was a serial.
final class TextSeen {
  /// Strength from which a label is noted: every letter of `Serial`, or nearly all of a longer one.
  private static let leastStrength = 2.5
  /// Mean confidence, 0...100, and length of a line that is easy to read; text upside down reaches 97.
  private static let clearConfidence: Float = 97.5
  private static let clearLength = 5
  /// Readings of such lines after which a photo counts as read. Of pictures with a serial that needed a further strategy,
  /// hardly any had more of them before, and most pictures with other print have.
  private static let clearReadings = 12

  /// Labels of serials, each once, in the order in which they were read.
  private(set) var labels: [LabelSighting] = []
  /// The direction in which the photo's text runs, once a known label was read.
  private(set) var direction: ReadingDirection?
  private var deviceMarks: [DeviceMark] = []
  private var longWords = LongWords()
  private var taken = 0
  private var clear = 0

  /// Whether much was read with ease and nothing of it announces a serial.
  var isOtherText: Bool { clear >= Self.clearReadings && labels.isEmpty }

  /// The labels that were read since it was last asked, at most so many.
  func takeNewLabels(most: Int) -> [LabelSighting] {
    defer { taken = labels.count }
    return Array(labels[taken...].prefix(most))
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
    if line.symbols.count >= Self.clearLength, line.meanConfidence >= Self.clearConfidence { clear += 1 }
    longWords.note(line)
    let map = crop.toSource.then(toUploaded)
    let middle = Double(crop.picture.height) / 2
    let capital = distance(map.apply(0, 0), map.apply(0, Double(LineCrop.capitalHeight / variant.heightFactor)))
    let place = map.apply(Double(crop.picture.width) / 2, middle)
    if let mark = DeviceMark(line.text, middle: PixelPoint(x: place.x, y: place.y), capital: capital) {
      deviceMarks.append(mark)
    }
    guard let label = Self.label(in: line) else { return }
    let sighting = LabelSighting(
      left: map.apply(Double(label.left), middle), right: map.apply(Double(label.right), middle),
      capital: capital, strengths: label.strengths, text: label.text, polarity: polarity)
    guard !labels.contains(where: { distance($0.right, sighting.right) < 1.5 * sighting.capital }) else { return }
    labels.append(sighting)
  }

  /// Whether a word was read that goes on before or after a serial, as in `LongWords`.
  func continues(_ serial: String) -> Bool { longWords.continues(serial) }

  /// Whether a line that names a device stands beside a read.
  func isBesideDeviceMark(_ region: Quadrilateral) -> Bool { deviceMarks.contains { $0.isBeside(region) } }

  /// The longest beginning of a line that ends in a serial's label.
  private static func label(
    in line: TextLine
  ) -> (left: Int, right: Int, strengths: LabelKeywords.Strengths, text: String)? {
    let symbols = line.symbols
    for end in symbols.indices.map({ $0 + 1 }).reversed()
    where end == symbols.count || symbols[end].startsWord || symbols[end - 1].character == ":" {
      let text = TextLine(symbols: Array(symbols[..<end])).text
      let strengths = LabelKeywords.strengths(before: text)
      guard strengths.announcesSerial, strengths.serial >= leastStrength else { continue }
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
