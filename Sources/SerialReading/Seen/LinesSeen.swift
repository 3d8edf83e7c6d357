import AppleSerial
import BarcodeReading
import Imaging
import ScanModel
import TextReading

/// A line that was read, with its place.
struct LineSeen {
  /// The line's characters.
  let symbols: [Symbol]
  /// The line as it was read.
  let text: String
  /// What it says of a part, such as a disk or a battery; nil if nothing.
  let part: LabelKeywords.Part?
  /// The place of the cut, in pixels of the photo as uploaded.
  let place: Sighting
  /// Maps the cut to the photo as uploaded; the row of the cut along the middle of the capitals, and their height in
  /// it.
  private let toUploaded: PixelTransform
  private let middle, capital: Double

  init(_ line: TextLine, in crop: LineCrop) {
    (symbols, text) = (line.symbols, line.text)
    part = LabelKeywords.part(in: text)
    place = crop.sighting(from: 0, to: crop.picture.width)
    (toUploaded, middle, capital) = (crop.toUploaded, crop.middle, crop.capital)
  }

  /// The region of some of its characters, in pixels of the photo as uploaded.
  func region(of characters: Range<Int>) -> Quadrilateral? { sighting(of: characters)?.region }

  /// The ends of some of its characters.
  func sighting(of characters: Range<Int>) -> Sighting? {
    let part = symbols.indices.clamped(to: characters)
    guard let first = part.first, let last = part.last else { return nil }
    return Sighting(
      left: toUploaded.apply(Double(symbols[first].left), middle),
      right: toUploaded.apply(Double(symbols[last].right), middle),
      capital: toUploaded.length(down: capital), polarity: place.polarity)
  }

  /// The least confidence of some of its characters, 0...1, on the recogniser's own scale.
  func leastConfidence(of characters: Range<Int>) -> Double {
    let least = symbols[symbols.indices.clamped(to: characters)].map(\.confidence).min() ?? 0
    return Double(least) / 100
  }
}

/// A code that was read, with its place in the photo as uploaded.
struct CodeSeen {
  let code: Barcode
  let region: Quadrilateral?
}

/// A text with a serial's format that nothing announced.
struct ValueSighting: Sendable {
  var place: Sighting
  /// Its text, in upper case.
  var text: String
  /// Whether it was read as one word.
  var isWord: Bool
  /// Whether the text before it announces something else; in a table that may belong to another column.
  var hasOtherLabel: Bool
}

/// A serial's label that was read somewhere in a photo.
package struct LabelSighting: Sendable {
  var place: Sighting
  /// How strongly it announces a serial.
  var strengths: LabelKeywords.Strengths
  var text: String
  /// The recognised text after it in its line, without spaces.
  var following: String
}

/// Lines that a strategy found in a picture, read or not: it may have stopped once it was sure of a serial.
struct LinesFound {
  /// The picture in which the lines were found, and the picture from which they are cut.
  var decoded, picture: DecodedPicture
  /// Lines along the rows and along the columns of the picture in which they were found. Columns have the coordinates
  /// of that picture turned clockwise.
  var rows, columns: [TextSegment]
  /// The strokes that were searched for.
  var strokes: Strokes
  /// The lines along one of the axes in reading direction; nil if they are not text.
  var directed: Directed?

  /// Lines of a picture that was turned so that they run along its rows.
  struct Directed {
    /// The lines, in pixels of the picture.
    let lines: [TextSegment]
    let source: DecodedPicture
    /// Whether their strokes are dark or light.
    let polarity: StrokePolarity
    /// Whether they are read from their right ends.
    var isUpsideDown = false
  }

  /// Pixels of the picture from which lines are cut per pixel of the picture in which they were found.
  var scale: Float { Float(picture.picture.longestSide) / Float(max(1, decoded.picture.longestSide)) }
}

extension TextSeen {
  /// Maximum distance of a part's field from the part's serial along and across the rows, in capital heights: the columns
  /// of labels and values, and a few rows.
  private static let reachOfPart = (along: 40.0, across: 12.0)

  /// What lines say of the part whose serial a read is; nil if they name no part.
  ///
  /// A part's label counts if it stands before the read in its row and no serial's label begins behind it: of `Battery
  /// Serial No.` often the last two words were read as the serial's label, and the first two as another line.
  func part(of region: Quadrilateral) -> LabelKeywords.Part? {
    guard let read = PrintedBox(region) else { return nil }
    func isBeforeInRow(_ offset: (along: Double, across: Double)) -> Bool {
      abs(offset.across) < read.capital && offset.along < read.capital - read.half.along
    }
    if let label = label(of: region), let part = LabelKeywords.part(in: label.text) { return part }
    let starts = labels.map { read.offset(of: $0.place.left) }.filter(isBeforeInRow)
    return lines.lazy.compactMap { line -> LabelKeywords.Part? in
      guard let part = line.part, Sighting.alikeHeights.contains(line.place.capital / read.capital) else { return nil }
      if part == .field {
        let offset = read.offset(of: line.place.left)
        let isNear =
          (-Self.reachOfPart.along * read.capital...0).contains(offset.along + read.half.along)
          && abs(offset.across) <= Self.reachOfPart.across * read.capital
        return isNear ? part : nil
      }
      guard let end = line.sighting(of: line.symbols.indices).map({ read.offset(of: $0.right) }), isBeforeInRow(end)
      else { return nil }
      return starts.contains { $0.along > end.along } ? nil : part
    }.first
  }
}
