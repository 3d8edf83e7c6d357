import Foundation
import Imaging
import ScanModel

/// The part of a photo around a label or a value, cut level.
enum Surroundings {
  /// Where a value may stand to its label.
  enum Side: CaseIterable {
    case right
    case below

    /// For the read.
    var relation: LabelPlace.Relation { self == .right ? .row : .above }

    /// Lengths in heights of the label's capitals: how far the cut begins from the label, how long and high it is, and
    /// how far its middle lies below the label's.
    fileprivate var shape: (start: Double, length: Double, height: Double, drop: Double) {
      switch self {
      case .right: (0.3, 60, 3.4, 0)
      case .below: (-1, 22, 3.6, 2.4)
      }
    }

    /// A label's place turned by an angle (radians, clockwise) about where its cut begins.
    func turned(_ label: Sighting, by angle: Double) -> Sighting {
      let (c, s) = (cos(angle), sin(angle))
      let way = (x: label.right.x - label.left.x, y: label.right.y - label.left.y)
      let turned = (x: c * way.x - s * way.y, y: s * way.x + c * way.y)
      var place = label
      switch self {
      case .right: place.left = (label.right.x - turned.x, label.right.y - turned.y)
      case .below: place.right = (label.left.x + turned.x, label.left.y + turned.y)
      }
      return place
    }

    /// Whether a line of the cut may be the value's: in the label's row, or anywhere below it.
    func holds(_ line: TextSegment, in picture: GrayPicture) -> Bool {
      guard (capital * 0.55...capital * 1.8).contains(Double(line.capitalHeight)) else { return false }
      guard self == .right else { return true }
      let middle = Double(line.slope * line.left + line.offset)
      return abs(middle - Double(picture.height) / 2) < 0.9 * capital
    }
  }

  /// A value with what stands to its left and above it.
  struct BeforeValue {
    var source: DecodedPicture
    /// Where the value stands in it.
    var columns: ClosedRange<Float>
    var row: Float
  }

  /// What stands above a value.
  struct AboveValue {
    var source: DecodedPicture
    /// The value's columns.
    var columns: ClosedRange<Float>
  }

  /// Height of the label's or value's capitals in the cut, in pixels, at least.
  static let capital = 18.0
  /// How far a cut before a value reaches to its left and right, above and below its middle, in heights of its capitals.
  private static let beforeValue = (left: 22.0, right: 1.5, above: 4.4, below: 3.2)
  /// How far a cut above a value reaches to both sides, and from where to where it reaches above the value's middle.
  private static let aboveValue = (beside: 5.0, from: 1.0, to: 40.0)

  /// How far a cut around a line of print reaches beyond its ends, and how high it is, in heights of its capitals.
  private static let aroundPrint = (beside: 24.0, height: 18.0)

  /// What is around a line, level with it; nil where that is too small to be read.
  static func cut(around line: Sighting, in photo: Photo) throws(ReadFailure) -> DecodedPicture? {
    guard let frame = try Frame(line, in: photo) else { return nil }
    let (beside, height) = aroundPrint
    let start = frame.point(from: frame.left, along: -beside, down: 0)
    let length = distance(frame.left, frame.right) + 2 * beside * frame.capital
    return frame.cut(from: start, length: length, height: height)
  }

  /// What is beside a label, level, in the label's direction of reading; nil where the photo ends there.
  static func cut(
    _ side: Side, of label: Sighting, in photo: Photo
  ) throws(ReadFailure) -> DecodedPicture? {
    guard let frame = try Frame(label, in: photo) else { return nil }
    let origin = side == .right ? frame.right : frame.left
    let (start, length, high, drop) = side.shape
    let from = frame.point(from: origin, along: start, down: drop)
    let reach = min(length * frame.capital, way(from: from, frame.direction, toEdgeOf: frame.size))
    guard reach > 5 * frame.capital else { return nil }
    return frame.cut(from: from, length: reach, height: high)
  }

  /// What is before and above a value, level, with the value.
  static func cut(before value: Sighting, in photo: Photo) throws(ReadFailure) -> BeforeValue? {
    guard let frame = try Frame(value, in: photo) else { return nil }
    let (left, right, above, below) = beforeValue
    let back = (x: -frame.direction.x, y: -frame.direction.y)
    let reach = min(left * frame.capital, way(from: frame.left, back, toEdgeOf: frame.size))
    let drop = (below - above) / 2
    let from = frame.point(from: frame.left, along: -reach / frame.capital, down: drop)
    let length = reach + distance(frame.left, frame.right) + right * frame.capital
    let source = frame.cut(from: from, length: length, height: above + below)
    let start = Float(reach * frame.scale)
    let end = Float((reach + distance(frame.left, frame.right)) * frame.scale)
    return BeforeValue(
      source: source, columns: start...end, row: Float(source.picture.height) / 2 - Float(drop * capital))
  }

  /// What is above a value, level, with the value.
  static func cut(above value: Sighting, in photo: Photo) throws(ReadFailure) -> AboveValue? {
    guard let frame = try Frame(value, in: photo) else { return nil }
    let (beside, from, to) = aboveValue
    let start = frame.point(from: frame.left, along: -beside, down: -(from + to) / 2)
    let length = distance(frame.left, frame.right)
    let source = frame.cut(from: start, length: length + 2 * beside * frame.capital, height: to - from)
    let left = Float(beside * capital)
    return AboveValue(source: source, columns: left...left + Float(length * frame.scale))
  }

  /// Contrasts at which strokes are looked for in a cut, as shares of their surroundings: fainter than what the whole picture is
  /// searched for with, and for light strokes stronger, which parts letters that glow into each other.
  static func contrasts(_ polarity: StrokePolarity) -> [Double] {
    switch polarity {
    case .dark: [0.05, 0.03, 0.12]
    case .light: [0.1, 0.3, 0.05]
    }
  }

  /// A label's or value's place in the photo at the size from which it is cut.
  private struct Frame {
    var source: DecodedPicture
    /// The middles of its ends, in pixels of `source`.
    var left, right: (x: Double, y: Double)
    /// The direction in which it reads, of length 1.
    var direction: (x: Double, y: Double)
    /// Height of its capitals in `source`, in pixels.
    var capital: Double
    /// Where the last pixels of `source` lie.
    var size: (width: Double, height: Double) { (Double(source.picture.width - 1), Double(source.picture.height - 1)) }
    /// From pixels of `source` to those of the cut.
    var scale: Double { Surroundings.capital / capital }

    init?(_ place: Sighting, in photo: Photo) throws(ReadFailure) {
      source = try Surroundings.picture(for: place, of: photo)
      guard let toSource = source.toUploaded.inverse else { return nil }
      left = toSource.apply(place.left.x, place.left.y)
      right = toSource.apply(place.right.x, place.right.y)
      let length = distance(left, right)
      capital = place.capital * Double(source.picture.longestSide) / Double(photo.longestUploadedSide)
      guard length > 4, capital > 2 else { return nil }
      direction = ((right.x - left.x) / length, (right.y - left.y) / length)
    }

    /// A place so many heights of capitals further along the text and below it.
    func point(from start: (x: Double, y: Double), along: Double, down: Double) -> (x: Double, y: Double) {
      (
        start.x + capital * (along * direction.x - down * direction.y),
        start.y + capital * (along * direction.y + down * direction.x)
      )
    }

    /// A level cut whose left end's middle stands at a place, so many pixels long and heights of capitals high.
    func cut(from: (x: Double, y: Double), length: Double, height: Double) -> DecodedPicture {
      let cutHeight = height * Surroundings.capital
      let toPicture = PixelTransform(
        xx: direction.x / scale, xy: -direction.y / scale, yx: direction.y / scale, yy: direction.x / scale,
        dx: from.x + cutHeight / 2 / scale * direction.y, dy: from.y - cutHeight / 2 / scale * direction.x)
      let cut = source.picture.resampled(width: Int(length * scale), height: Int(cutHeight), from: toPicture)
      return DecodedPicture(picture: cut, toUploaded: toPicture.then(source.toUploaded))
    }
  }

  /// The photo in the size in which capitals are large enough.
  fileprivate static func picture(for place: Sighting, of photo: Photo) throws(ReadFailure) -> DecodedPicture {
    let reduced = try photo.reduced(toSide: Photo.workingSide)
    let capital = place.capital * Double(reduced.picture.longestSide) / Double(photo.longestUploadedSide)
    return capital < Self.capital ? try photo.full() : reduced
  }

  /// How far one can go from a point in a direction until a picture of a width and a height ends, in pixels; 0 outside of it.
  static func way(
    from start: (x: Double, y: Double), _ direction: (x: Double, y: Double),
    toEdgeOf size: (width: Double, height: Double)
  ) -> Double {
    func reach(_ place: Double, _ step: Double, _ end: Double) -> Double {
      if place < 0 || place > end { return 0 }
      return abs(step) < 1e-9 ? .infinity : step > 0 ? (end - place) / step : -place / step
    }
    return min(reach(start.x, direction.x, size.width), reach(start.y, direction.y, size.height))
  }
}
