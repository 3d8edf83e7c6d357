import Foundation
import Imaging
import ScanModel

/// Level crops of the part of a photo around a label or value.
enum Surroundings {
  /// The side of a label on which a value may stand.
  enum Side: CaseIterable {
    case right
    case below

    /// The label's relation to the value on this side.
    var relation: LabelPlace.Relation { self == .right ? .row : .above }

    fileprivate typealias Shape = (start: Double, length: Double, height: Double, drop: Double)
    /// The crop in heights of the label's capitals: its start from the label, its length and height, and how far its
    /// middle lies below the label's.
    fileprivate var shape: Shape {
      self == .right ? (0.3, Double(LabelPlace.reach), 3.4, 0) : (-1, 22, 3.6, 2.4)
    }
    /// Height of a value's capitals, and greatest distance of its middle from the label's row, in heights of the
    /// label's capitals.
    private static let (heights, mostOff) = (0.55...1.8, 0.9)

    /// A label's place turned by an angle (radians, clockwise) about the start of its crop.
    func turned(_ label: Sighting, by angle: Double) -> Sighting {
      let way = label.right - label.left
      let turned = cos(angle) * way + sin(angle) * way.down
      var place = label
      switch self {
      case .right: place.left = label.right - turned
      case .below: place.right = label.left + turned
      }
      return place
    }

    /// Whether a line of the crop may be the value's: in the label's row, or anywhere below it.
    func holds(_ line: TextSegment, in picture: GrayPicture) -> Bool {
      let heights = capital * Self.heights.lowerBound...capital * Self.heights.upperBound
      guard heights.contains(Double(line.capitalHeight)) else { return false }
      guard self == .right else { return true }
      let middle = Double(line.y(at: line.left))
      return abs(middle - Double(picture.height) / 2) < Self.mostOff * capital
    }
  }

  /// A value with the area to its left and above it.
  struct BeforeValue {
    var source: DecodedPicture
    /// The value's columns and row in the source.
    var columns: ClosedRange<Float>
    var row: Float
  }

  /// Height of the label's or value's capitals in the crop, in pixels.
  static let capital = 18.0
  /// Least length of a crop beside a label, in capital heights.
  private static let leastLength = 5.0
  /// Reach of a crop before a value: to its left and right, and above and below its middle, in capital heights.
  private static let beforeValue = (left: Double(LabelPlace.reach), right: 1.5, above: 4.4, below: 3.2)
  /// Reach of a crop above a value: beyond both sides, and its lower and upper bound above the value's middle, in
  /// capital heights.
  private static let aboveValue = (beside: 5.0, from: 1.0, to: 40.0)

  /// Reach of a crop around a line of print beyond its ends, and its height, in capital heights.
  static let aroundPrint = (beside: 24.0, height: 18.0)

  /// The area around a line, level with it; nil if the line is too small to read.
  ///
  /// - Parameter beside: Its reach beyond the line's ends, in capital heights.
  static func cut(
    around line: Sighting, beside: Double = aroundPrint.beside, in photo: Photo
  ) throws(ReadFailure) -> DecodedPicture? {
    guard let frame = try Frame(line, in: photo) else { return nil }
    let height = aroundPrint.height
    let start = frame.point(from: frame.left, along: -beside, down: 0)
    let length = frame.length + 2 * beside * frame.capital
    return frame.cut(from: start, length: length, height: height)
  }

  /// The area beside a label, level, in the label's reading direction; nil if the photo ends there or the label is too
  /// small.
  static func cut(_ side: Side, of label: Sighting, in photo: Photo) throws(ReadFailure) -> DecodedPicture? {
    guard let frame = try Frame(label, in: photo) else { return nil }
    let origin = side == .right ? frame.right : frame.left
    let (start, length, high, drop) = side.shape
    let from = frame.point(from: origin, along: start, down: drop)
    let reach = min(length * frame.capital, way(from: from, frame.direction, toEdgeOf: frame.size))
    guard reach > leastLength * frame.capital else { return nil }
    return frame.cut(from: from, length: reach, height: high)
  }

  /// The area before and above a value, level, with the value; nil if the value is too small.
  static func cut(before value: Sighting, in photo: Photo) throws(ReadFailure) -> BeforeValue? {
    guard let frame = try Frame(value, in: photo) else { return nil }
    let (left, right, above, below) = beforeValue
    let reach = min(left * frame.capital, way(from: frame.left, -frame.direction, toEdgeOf: frame.size))
    let drop = (below - above) / 2
    let from = frame.point(from: frame.left, along: -reach / frame.capital, down: drop)
    let length = reach + frame.length + right * frame.capital
    let source = frame.cut(from: from, length: length, height: above + below)
    let start = Float(reach * frame.scale)
    let end = Float((reach + frame.length) * frame.scale)
    return BeforeValue(
      source: source, columns: start...end, row: Float(source.picture.height) / 2 - Float(drop * capital))
  }

  /// The area above a value, level, with the value's columns there; nil if the value is too small.
  static func cut(
    above value: Sighting, in photo: Photo
  ) throws(ReadFailure) -> (source: DecodedPicture, columns: ClosedRange<Float>)? {
    guard let frame = try Frame(value, in: photo) else { return nil }
    let (beside, from, to) = aboveValue
    let start = frame.point(from: frame.left, along: -beside, down: -(from + to) / 2)
    let source = frame.cut(from: start, length: frame.length + 2 * beside * frame.capital, height: to - from)
    let left = Float(beside * capital)
    return (source, left...left + Float(frame.length * frame.scale))
  }

  /// Finders of the lines of a crop, in the order in which they are tried.
  static func finders(_ polarity: StrokePolarity) -> [DisplayLineFinder] {
    (polarity == .dark ? contrasts.dark : contrasts.light).map {
      DisplayLineFinder(strokes: Strokes(polarity: polarity, threshold: $0))
    }
  }

  /// Contrasts at which strokes are searched in a crop, as shares of their surroundings. Fainter than for the whole
  /// image, and for light strokes also stronger, which separates letters that glow into each other.
  private static let contrasts = (dark: [0.05, 0.03, 0.12], light: [0.1, 0.3, 0.05])

  /// The place of a label or value in the photo at the size from which it is cropped, at which its capitals are large
  /// enough.
  private struct Frame {
    var source: DecodedPicture
    /// Centres of its ends, in pixels of `source`.
    var left, right: PlanePoint
    /// Its length in `source`, in pixels.
    var length: Double
    /// Unit vector of its reading direction.
    var direction: PlanePoint
    /// Height of its capitals in `source`, in pixels.
    var capital: Double
    /// Coordinates of the last pixels of `source`.
    var size: PlanePoint { PlanePoint(Double(source.picture.width - 1), Double(source.picture.height - 1)) }
    /// Pixels of the crop per pixel of `source`.
    var scale: Double { Surroundings.capital / capital }
    /// The least length and height of capitals that can be read, in pixels of `source`.
    private static let least = (length: 4.0, capital: 2.0)

    init?(_ place: Sighting, in photo: Photo) throws(ReadFailure) {
      func capital(in picture: DecodedPicture) -> Double {
        place.capital * Double(picture.picture.longestSide) / Double(photo.longestUploadedSide)
      }
      let reduced = try photo.workingPicture()
      source = capital(in: reduced) < Surroundings.capital ? try photo.full() : reduced
      guard let toSource = source.toUploaded.inverse else { return nil }
      (left, right) = (toSource.apply(place.left), toSource.apply(place.right))
      length = (right - left).length
      self.capital = capital(in: source)
      guard length > Self.least.length, self.capital > Self.least.capital else { return nil }
      direction = (right - left) / length
    }

    /// A point offset along the text and below it, in capital heights.
    func point(from start: PlanePoint, along: Double, down: Double) -> PlanePoint {
      start + capital * (along * direction + down * direction.down)
    }

    /// A level crop whose left edge is centred at a point, `length` pixels long and `height` capital heights high.
    func cut(from: PlanePoint, length: Double, height: Double) -> DecodedPicture {
      let cutHeight = height * Surroundings.capital
      let toPicture = PixelTransform(
        xx: direction.x / scale, xy: -direction.y / scale, yx: direction.y / scale, yy: direction.x / scale,
        dx: from.x + cutHeight / 2 / scale * direction.y, dy: from.y - cutHeight / 2 / scale * direction.x)
      return source.resampled(width: Int(length * scale), height: Int(cutHeight), from: toPicture)
    }
  }

  /// The step towards an edge, per pixel of a direction, below which the direction is parallel to it.
  private static let leastStep = 1e-9

  /// Distance from a point along a direction to the edge of an image, in pixels; 0 outside the image.
  static func way(
    from start: PlanePoint, _ direction: PlanePoint, toEdgeOf size: PlanePoint
  ) -> Double {
    func reach(_ place: Double, _ step: Double, _ end: Double) -> Double {
      if place < 0 || place > end { return 0 }
      return abs(step) < leastStep ? .infinity : step > 0 ? (end - place) / step : -place / step
    }
    return min(reach(start.x, direction.x, size.x), reach(start.y, direction.y, size.y))
  }
}
