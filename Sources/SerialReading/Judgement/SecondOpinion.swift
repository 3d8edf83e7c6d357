import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Reads the top serial's place again with another model, which was trained on other lines in other typefaces
/// (`Tools/training`). An answer of `other` says little.
package enum SecondOpinion {
  /// The second model's answer.
  package enum Answer: Sendable, Equatable {
    /// It read the same serial.
    case agrees
    /// It read the same number of characters, but some differ: how many, whether all of these are commonly confused,
    /// and which.
    case differs(places: Int, isLikely: Bool, instead: [Difference] = [])
    /// It read a different number of characters, or nothing.
    case other
    /// There is no second model or no place to read.
    case none

    /// A description for the trace.
    var sentence: String {
      switch self {
      case .agrees: "agrees"
      case .differs(let places, let isLikely, _): "differs in \(places)\(isLikely ? ", as readers err" : "")"
      case .other: "reads something else"
      case .none: "not asked"
      }
    }

    /// Whether it is a reason to doubt: one or two characters differ, and they are commonly confused.
    var isDoubt: Bool {
      guard case .differs(let places, let isLikely, _) = self else { return false }
      return isLikely && places <= 2
    }
  }

  /// A character that the second model reads differently.
  package struct Difference: Sendable, Equatable {
    /// The character's index in the serial, from 0.
    var place: Int
    /// The second model's reading, in ASCII.
    var character: UInt8

    package init(place: Int, character: UInt8) {
      self.place = place
      self.character = character
    }
  }

  /// The ground around the place, in heights of capitals.
  private static let margin = 0.6
  /// The height of capitals in pixels below which the place is cut from the full resolution.
  private static let leastCapital = 20.0
  /// Widths of a cut that can be read, in pixels, and the enlargement up to which its characters can.
  private static let (widths, mostEnlarged) = (16...4096, 8.0)

  /// Reads the place of a serial.
  ///
  /// - Parameter engine: The second model's engine; nil if there is none.
  static func answer(of engine: TextEngine?, on serial: FusedSerial, in photo: Photo) throws(ReadFailure) -> Answer {
    guard let engine, let cut = try cut(serial, in: photo) else { return .none }
    return compare(engine.read(cut), with: serial.serial)
  }

  /// Cuts out the place of a serial: level, dark on light, on an even ground; nil if it can't be read.
  ///
  /// - Parameter reach: The picture before and after it, in heights of capitals.
  static func cut(
    _ serial: FusedSerial, in photo: Photo, reach: (before: Double, after: Double) = (margin, margin)
  ) throws(ReadFailure) -> GrayPicture? {
    guard let (source, place) = try place(of: serial, in: photo) else { return nil }
    var strip = place.strip(
      reach: reach.before, after: reach.after, halfHeight: Double(LineCrop.halfStrip),
      capital: Double(LineCrop.capitalHeight))
    guard widths.contains(strip.width), strip.scale < mostEnlarged else { return nil }
    return LineCrop.normalised(&strip, of: source.picture, .measured) { $0.hasDarkStrokes ? $0 : $0.inverted() }.picture
  }

  /// The picture from which a serial is cut, and its place there: the photo, or the strip into which its curved text was
  /// unrolled.
  private static func place(
    of serial: FusedSerial, in photo: Photo
  ) throws(ReadFailure) -> (DecodedPicture, ReadPlace)? {
    if let unrolled = serial.unrolled {
      return ReadPlace(unrolled.recognised, in: unrolled.strip).map { (unrolled.strip, $0) }
    }
    guard let region = serial.asked.region else { return nil }
    let reduced = try photo.workingPicture()
    guard let place = ReadPlace(region, in: reduced) else { return nil }
    if place.capital >= leastCapital { return (reduced, place) }
    let full = try photo.full()
    return ReadPlace(region, in: full).map { (full, $0) }
  }

  private static func compare(_ line: TextLine, with serial: String) -> Answer {
    let (read, wanted) = (line.symbols.compactMap(\.serialByte), Array(serial.utf8))
    // One extra character at either end may be ground; more would be another text.
    if read.firstRange(of: wanted) != nil { return read.count <= wanted.count + 1 ? .agrees : .other }
    guard read.count == wanted.count else { return .other }
    let differing = wanted.indices.filter { read[$0] != wanted[$0] }
    return .differs(
      places: differing.count, isLikely: differing.allSatisfy { Confusions.areConfusable(read[$0], wanted[$0]) },
      instead: differing.map { Difference(place: $0, character: read[$0]) })
  }
}

extension GrayPicture {
  /// Whether the strokes are darker than the ground. Strokes cover the smaller area, so they pull the mean below the
  /// median.
  var hasDarkStrokes: Bool {
    let sorted = pixels.sorted()
    let mean = pixels.reduce(0) { $0 + Int($1) } / max(1, pixels.count)
    return mean <= Int(sorted[sorted.count / 2])
  }
}
