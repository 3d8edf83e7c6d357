/// A point in an image, in pixels.
package typealias PlanePoint = (x: Double, y: Double)

/// The curve through a few characters of a line, near one of them: a parabola over the direction in which they run.
struct LocalArc {
  /// The curve's point nearest the origin of the fit, and its direction there, a unit vector.
  let place: PlanePoint
  let direction: PlanePoint

  private let origin: PlanePoint
  private let along: PlanePoint
  /// The parabola's coefficients.
  private let curve: (offset: Double, slope: Double, bend: Double)

  /// Fits the curve to points in order, by least squares; nil if they have no direction.
  init?(through places: [PlanePoint], at origin: PlanePoint) {
    guard let first = places.first, let last = places.last, places.count >= 3 else { return nil }
    let length = distance(first, last)
    guard length > 0 else { return nil }
    let along = (x: (last.x - first.x) / length, y: (last.y - first.y) / length)
    let local = places.map { Self.local($0, origin, along) }
    guard let curve = Statistics.parabola(local.map(\.x), local.map(\.y)) else { return nil }
    (self.origin, self.along, self.curve) = (origin, along, curve)
    place = (origin.x - along.y * curve.offset, origin.y + along.x * curve.offset)
    let norm = (1 + curve.slope * curve.slope).squareRoot()
    direction = ((along.x - curve.slope * along.y) / norm, (along.y + curve.slope * along.x) / norm)
  }

  /// A point's distance along the direction from the origin, and its distance from the curve.
  func position(of other: PlanePoint) -> (along: Double, off: Double) {
    let (x, y) = Self.local(other, origin, along)
    return (x, y - (curve.offset + curve.slope * x + curve.bend * x * x))
  }

  private static func local(_ place: PlanePoint, _ origin: PlanePoint, _ along: PlanePoint) -> PlanePoint {
    let (x, y) = (place.x - origin.x, place.y - origin.y)
    return (x * along.x + y * along.y, y * along.x - x * along.y)
  }
}
