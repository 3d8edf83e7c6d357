import Foundation
import Imaging
import ScanModel

/// The place of a label or value that was read in a photo.
package struct Sighting: Sendable {
  /// The centres of its left and right ends in reading direction, in pixels of the photo as uploaded.
  package var left, right: PlanePoint
  /// Height of its capitals, in pixels of the photo as uploaded.
  package var capital: Double
  var polarity: StrokePolarity

  package init(left: PlanePoint, right: PlanePoint, capital: Double, polarity: StrokePolarity) {
    (self.left, self.right, self.capital, self.polarity) = (left, right, capital, polarity)
  }

  /// The point half way between its ends.
  var middle: PlanePoint { (left + right) / 2 }

  /// The same place in the opposite reading direction.
  var reversed: Sighting {
    Sighting(left: right, right: left, capital: capital, polarity: polarity)
  }

  /// The greatest distance of the ends of two readings of one place, in capital heights.
  private static let mostOfNear = 1.5

  /// Whether it is another reading of the same place.
  func isNear(_ other: Sighting) -> Bool { (right - other.right).length < Self.mostOfNear * capital }

  /// The ratio of the heights of capitals in print of about one size.
  static let alikeHeights = 0.6...1.7
  /// The greatest distance between the middles of two texts of one row, in capital heights.
  static let rowTolerance = 0.7
  /// The least length by which an offset is divided for its direction, in pixels.
  static let leastLength = 1e-9
}

extension Sighting {
  /// The place as the region of a read, with a height proportional to that of the capitals.
  package var region: Quadrilateral {
    let along = right - left
    let down = along.down / max(Self.leastLength, along.length) * (capital / LineCrop.capitalShare / 2)
    return Quadrilateral(
      PixelPoint(left - down), PixelPoint(right - down), PixelPoint(right + down), PixelPoint(left + down))
  }

  /// Creates a dark sighting from a read's region; nil unless the region has four corners.
  package init?(_ region: Quadrilateral) {
    guard let edges = region.edges else { return nil }
    self.init(left: edges.left, right: edges.right, capital: edges.height * LineCrop.capitalShare, polarity: .dark)
  }
}

/// The place of a read in a decoded picture.
struct ReadPlace {
  /// The middle of its left end, in pixels.
  let start: PlanePoint
  /// The reading direction, a unit vector.
  let direction: PlanePoint
  /// Its length and the height of its capitals, in pixels.
  let length, capital: Double

  /// The least length and height of capitals that can be read, in pixels.
  private static let least = (length: 8.0, capital: 3.0)

  /// Locates a read in a picture; nil if the text is too small there.
  ///
  /// - Parameter region: The region in the photo as uploaded.
  init?(_ region: Quadrilateral, in source: DecodedPicture) {
    guard let toPicture = source.toUploaded.inverse, let edges = region.mapped(by: toPicture).edges else { return nil }
    let along = edges.right - edges.left
    (length, capital) = (along.length, edges.height * LineCrop.capitalShare)
    guard length > Self.least.length, capital > Self.least.capital else { return nil }
    (start, direction) = (edges.left, along / length)
  }

  /// A strip of the picture along the read.
  ///
  /// - Parameters:
  ///   - reach: The picture before it, in heights of capitals.
  ///   - reachAfter: The picture after it, in heights of capitals; nil for as much as before.
  ///   - halfHeight: Half the strip's height, in heights of capitals.
  ///   - capital: The height of capitals in the strip, in pixels.
  func strip(
    reach: Double, after reachAfter: Double? = nil, halfHeight: Double, capital wanted: Double
  ) -> LineStrip {
    let scale = wanted / capital
    return LineStrip(
      origin: start - reach * capital * direction, direction: direction, scale: scale,
      width: Int(min(Double(LineCrop.widths.upperBound), (length + (reach + (reachAfter ?? reach)) * capital) * scale)),
      height: Int(2 * halfHeight * wanted))
  }
}

/// The direction from a text's first character to its last, in the photo as uploaded.
struct ReadingDirection: Sendable {
  private var unit: PlanePoint

  /// Cosine of the greatest angle, 45 degrees, at which two directions count as the same.
  private static let least = 0.707

  /// The direction of upright text in an image.
  init(of picture: DecodedPicture) { unit = picture.toUploaded.alongRows.direction }

  /// The direction turned by 180 degrees.
  var opposite: ReadingDirection {
    var turned = self
    turned.unit = -unit
    return turned
  }

  /// Whether text of both directions runs along the same axis, either way up.
  func isAlong(_ other: ReadingDirection) -> Bool { abs(unit.dot(other.unit)) > Self.least }

  /// Whether text of one direction is upside down to a reader of the other.
  func isOpposite(to other: ReadingDirection) -> Bool { unit.dot(other.unit) < -Self.least }
}

/// The place of a read in the strip into which curved text was unrolled.
struct UnrolledRead: Sendable {
  let strip: DecodedPicture
  /// The recogniser's region in the strip.
  let recognised: Quadrilateral
  /// The region of its characters in the strip, measured more finely.
  let region: Quadrilateral
}

extension PixelPoint {
  init(_ point: PlanePoint) { self.init(x: point.x, y: point.y) }
}

extension PlanePoint {
  init(_ point: PixelPoint) { self.init(point.x, point.y) }
}

extension Quadrilateral {
  /// The middles of its edges, and the length of its left one; nil unless it has four corners.
  var edges: (left: PlanePoint, right: PlanePoint, top: PlanePoint, bottom: PlanePoint, height: Double)? {
    guard corners.count == 4 else { return nil }
    let points = corners.map(PlanePoint.init)
    func middle(_ first: Int, _ second: Int) -> PlanePoint { (points[first] + points[second]) / 2 }
    return (middle(0, 3), middle(1, 2), middle(0, 1), middle(3, 2), (points[3] - points[0]).length)
  }

  /// The same region in other coordinates.
  func mapped(by map: PixelTransform) -> Quadrilateral {
    var mapped = self
    mapped.corners = corners.map { PixelPoint(map.apply(PlanePoint($0))) }
    return mapped
  }

  /// The distance of points on an outline that may bend, as a share of its length.
  private static let outlineStep = 0.125

  /// Maps a region of an unrolled strip to the photo as uploaded: the rectangle along its chord.
  func unrolledBack(by strip: CurvedStrip, toUploaded: PixelTransform) -> Quadrilateral {
    guard corners.count == 4 else { return self }
    let points = corners.map(PlanePoint.init)
    func place(_ along: Double, _ down: Double) -> PlanePoint {
      let top = points[0] + (points[1] - points[0]) * along
      let bottom = points[3] + (points[2] - points[3]) * along
      let inStrip = top + (bottom - top) * down
      return toUploaded.apply(strip.toSource(inStrip.x, inStrip.y))
    }
    let (start, end) = (place(0, 0.5), place(1, 0.5))
    let direction = (end - start) / max(Sighting.leastLength, (end - start).length)
    let outline = stride(from: 0, through: 1, by: Self.outlineStep).flatMap { [place($0, 0), place($0, 1)] }
    let along = outline.map { direction.dot($0 - start) }
    let down = outline.map { direction.cross($0 - start) }
    func corner(_ along: Double?, _ down: Double?) -> PixelPoint {
      PixelPoint(start + (along ?? 0) * direction + (down ?? 0) * direction.down)
    }
    return Quadrilateral(
      corner(along.min(), down.min()), corner(along.max(), down.min()), corner(along.max(), down.max()),
      corner(along.min(), down.max()))
  }
}

/// A text or code in the photo, as a box along its reading direction.
package struct PrintedBox {
  /// Its centre, in pixels of the photo as uploaded.
  let middle: PlanePoint
  /// Unit vector of its reading direction.
  let direction: PlanePoint
  /// Half its length and half its height, in pixels.
  let half: (along: Double, across: Double)

  /// Creates a box from a quadrilateral; nil if it has no extent.
  package init?(_ region: Quadrilateral) {
    guard let (left, right, top, bottom, _) = region.edges else { return nil }
    let (length, height) = ((right - left).length, (bottom - top).length)
    guard length > 0, height > 0 else { return nil }
    middle = (left + right) / 2
    direction = (right - left) / length
    half = (length / 2, height / 2)
  }

  /// Height of its capitals in pixels, if it is text.
  var capital: Double { 2 * half.across * LineCrop.capitalShare }

  /// A point's offset from the centre, along and across the reading direction.
  func offset(of point: PlanePoint) -> (along: Double, across: Double) {
    (direction.dot(point - middle), direction.cross(point - middle))
  }

  /// Half of another box's extent along and across this one.
  private func halfExtent(of other: PrintedBox) -> (along: Double, across: Double) {
    let (cosine, sine) = (abs(direction.dot(other.direction)), abs(direction.cross(other.direction)))
    return (other.half.along * cosine + other.half.across * sine, other.half.along * sine + other.half.across * cosine)
  }

  /// Whether both are readings of the same line or code: they share at least `leastShared` of the shorter length and of
  /// the lower height. Printed lines are at least half a capital apart, while a line's crop is almost two capitals
  /// high.
  package func isOneLine(with other: PrintedBox) -> Bool {
    let (offset, extent) = (offset(of: other.middle), halfExtent(of: other))
    let along = half.along + extent.along - abs(offset.along)
    let across = half.across + extent.across - abs(offset.across)
    return along >= Self.leastShared * 2 * min(half.along, extent.along)
      && across >= Self.leastShared * 2 * min(half.across, extent.across)
  }

  private static let leastShared = 0.5

  /// Gap between both boxes in pixels; 0 if they touch.
  package func gap(to other: PrintedBox) -> Double {
    let (offset, extent) = (offset(of: other.middle), halfExtent(of: other))
    let along = max(0, abs(offset.along) - half.along - extent.along)
    let across = max(0, abs(offset.across) - half.across - extent.across)
    return PlanePoint(along, across).length
  }
}

/// Groups candidates by their spot in the photo: readings of the same line or code, and a code with the text printed
/// beside it on the same label. Strings compete only within a spot.
package struct Spots {
  /// Maximum distance between a code and its printed serial, in heights of the print's capitals.
  private static let reach = 6.0

  /// The spot of each candidate; nil if its place is unknown.
  package private(set) var indices: [Int?]

  /// Groups candidates by their places.
  package init(_ candidates: [Candidate]) {
    let boxes = candidates.map { $0.region.flatMap(PrintedBox.init) }
    indices = []
    var representatives: [(box: PrintedBox, method: Candidate.Method, spot: Int)] = []
    for (candidate, box) in zip(candidates, boxes) {
      guard let box else {
        indices.append(nil)
        continue
      }
      let known = representatives.first { $0.method == candidate.method && $0.box.isOneLine(with: box) }
      let spot = known?.spot ?? representatives.count
      representatives.append((box, candidate.method, spot))
      indices.append(spot)
    }
    joinCodes(representatives)
  }

  /// Joins each code with the text nearest to it, unless another code is nearer to that text.
  private mutating func joinCodes(_ all: [(box: PrintedBox, method: Candidate.Method, spot: Int)]) {
    let texts = all.filter { $0.method == .tesseract }
    let codes = all.filter { $0.method == .barcode }
    var joined: [Int: Int] = [:]
    for code in codes {
      guard let text = texts.min(by: { $0.box.gap(to: code.box) < $1.box.gap(to: code.box) }),
        text.box.gap(to: code.box) <= Self.reach * text.box.capital,
        let nearest = codes.min(by: { text.box.gap(to: $0.box) < text.box.gap(to: $1.box) }),
        nearest.spot == code.spot
      else { continue }
      joined[code.spot] = text.spot
    }
    indices = indices.map { $0.map { joined[$0] ?? $0 } }
  }
}

extension PixelTransform {
  /// The direction of a picture's rows where it is mapped to, a unit vector, and the length of one of their pixels there.
  var alongRows: (direction: PlanePoint, pixel: Double) {
    let step = apply(1, 0) - apply(0, 0)
    let pixel = max(.leastNormalMagnitude, step.length)
    return (step / pixel, pixel)
  }

  /// The length in pixels of a step down a picture's columns where it is mapped to.
  func length(down step: Double) -> Double { (apply(0, step) - apply(0, 0)).length }
}
