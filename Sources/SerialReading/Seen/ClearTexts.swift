import AppleSerial
import Imaging
import ScanModel
import TextReading

/// The places of a photo whose text was read clearly. If every serial is wanted, all strategies run, and what one of
/// them read clearly is not read again by the others.
package struct ClearTexts {
  /// One text with its place.
  private struct Entry {
    var place: Sighting
    /// Whether it is neither a serial nor part of one, and announces none.
    var isOther: Bool
    /// Whether it also says nothing about serials elsewhere in the photo: no maker, device or approval.
    var saysNothing: Bool
    /// The text without spaces.
    var plain: String
  }

  private var entries: [Entry] = []

  /// Maximum number of texts kept.
  private static let most = 1_000
  /// Shares of a line that must be covered by clear texts: of the line's own polarity, and of the other one. Between
  /// the strokes of clear text, strokes of the other polarity are found too, and their lines reach further.
  private static let leastShare: (own: Float, other: Float) = (0.9, 0.5)
  /// Distance that a text covers beyond its ends, in capital heights: the space to the next word.
  private static let reach: Float = 0.5
  /// Maximum distance of a text from the middle of a line, and range of its capital height, both as shares of the
  /// line's.
  private static let tolerance: Float = 0.5
  private static let heights: ClosedRange<Float> = 0.6...1.6
  /// Minimum cosine of the angle between a text and a line.
  private static let leastCosine = 0.97

  /// Notes a text that was read clearly.
  mutating func note(_ line: TextLine, at place: Sighting, hasLabel: Bool) {
    guard entries.count < Self.most else { return }
    let isOther = !hasLabel && !Self.mayBeSerial(line.text)
    var makers = MakersSeen()
    if isOther { makers.note(line) }
    entries.append(
      Entry(
        place: place, isOther: isOther,
        saysNothing: isOther && makers.isSilent && !DeviceMark.isDevicePrint(line.text),
        plain: line.text.filter { $0 != " " }))
  }

  /// Whether a word of a text may be a serial, a part of one, or a part of an identifier that resembles serials. Dates,
  /// prices and room numbers have no such words.
  package static func mayBeSerial(_ text: String) -> Bool {
    text.split { !$0.isLetter && !$0.isNumber }.contains { word in
      let digits = word.count(where: \.isNumber)
      if digits == word.count { return digits > mostDigits }
      return digits > 0 ? word.count >= leastMixed : word.count >= leastCapitals && word == word.uppercased()
    }
  }

  /// Maximum length of a number, and minimum lengths of a word of letters and digits and of a word of capitals that may
  /// be a serial or part of one.
  private static let (mostDigits, leastMixed, leastCapitals) = (8, 4, 8)

  /// Whether a part of a line shows text that was read clearly and has nothing to do with serials, or strokes between
  /// those of any clear text.
  func cover(
    _ line: TextSegment, from left: Float, to right: Float, polarity: StrokePolarity, toUploaded: PixelTransform
  ) -> Bool {
    guard !entries.isEmpty, right > left, let toPicture = toUploaded.inverse else { return false }
    let (direction, pixel) = toUploaded.alongRows
    func share(_ isCounted: (Entry) -> Bool) -> Float {
      var spans: [ClosedRange<Float>] = []
      for entry in entries where isCounted(entry) {
        let height = Float(entry.place.capital / pixel) / line.capitalHeight
        guard Self.heights.contains(height) else { continue }
        let ends = [entry.place.left, entry.place.right].map(toPicture.apply)
        let (first, last) = (Float(min(ends[0].x, ends[1].x)), Float(max(ends[0].x, ends[1].x)))
        let (x, y) = ((first + last) / 2, Float(ends[0].y + ends[1].y) / 2)
        guard abs(line.y(at: x) - y) < Self.tolerance * line.capitalHeight else { continue }
        let reach = Self.reach * line.capitalHeight
        let (start, end) = (max(left, first - reach), min(right, last + reach))
        if start < end { spans.append(start...end) }
      }
      var (covered, end): (Float, Float) = (0, left)
      for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) where span.upperBound > end {
        covered += span.upperBound - max(end, span.lowerBound)
        end = span.upperBound
      }
      return covered / (right - left)
    }
    func cosine(_ place: Sighting) -> Double {
      let way = place.right - place.left
      return way.dot(direction) / max(.leastNormalMagnitude, way.length)
    }
    return share { $0.place.polarity == polarity && $0.isOther && cosine($0.place) > Self.leastCosine }
      >= Self.leastShare.own
      || share { $0.place.polarity != polarity && abs(cosine($0.place)) > Self.leastCosine } >= Self.leastShare.other
  }

  /// The texts that say nothing about serials, for a part of the photo that is read on its own.
  func saidNothing(in part: Photo) -> ClearTexts {
    var texts = ClearTexts()
    let size = part.uploadedSize
    for entry in entries where entry.saysNothing {
      guard let place = Sighting(part.unplaced(entry.place.region)),
        (0..<Double(size.width)).contains(place.middle.x), (0..<Double(size.height)).contains(place.middle.y)
      else { continue }
      var moved = entry
      (moved.place.left, moved.place.right) = (place.left, place.right)
      texts.entries.append(moved)
    }
    return texts
  }

  /// The texts without spaces.
  var plain: [String] { entries.map(\.plain) }
}
