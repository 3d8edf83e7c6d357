/// A point of a picture, or the offset of one point from another, in pixels.
public typealias PlanePoint = SIMD2<Double>

extension PlanePoint {
  /// The length of this offset.
  public var length: Double { dot(self).squareRoot() }

  /// This offset turned clockwise by 90 degrees, as seen: from along a line of text to down from it.
  public var down: PlanePoint { PlanePoint(-y, x) }

  /// The product with another offset: for a unit vector, that offset's length along it.
  public func dot(_ other: PlanePoint) -> Double { x * other.x + y * other.y }

  /// The product with another offset: for a unit vector, that offset's length down from it.
  public func cross(_ other: PlanePoint) -> Double { x * other.y - y * other.x }
}

/// An affine map between the pixel coordinates of two pictures: `x' = xx x + xy y + dx`, `y' = yx x + yy y + dy`.
///
/// Coordinates are continuous: pixel (0, 0) covers 0..<1 in both directions. Each operation that derives a picture from
/// another can return such a map; chained, the maps lead back to the photo as uploaded.
public struct PixelTransform: Sendable, Equatable {
  /// Coefficients of the map.
  public var xx, xy, yx, yy, dx, dy: Double

  /// Creates a map from its coefficients.
  public init(xx: Double, xy: Double, yx: Double, yy: Double, dx: Double, dy: Double) {
    self.xx = xx
    self.xy = xy
    self.yx = yx
    self.yy = yy
    self.dx = dx
    self.dy = dy
  }

  /// The identity map.
  public static let identity = PixelTransform(xx: 1, xy: 0, yx: 0, yy: 1, dx: 0, dy: 0)

  /// A scaling about the origin.
  public static func scale(_ x: Double, _ y: Double) -> PixelTransform {
    PixelTransform(xx: x, xy: 0, yx: 0, yy: y, dx: 0, dy: 0)
  }

  /// A shift.
  public static func shift(_ x: Double, _ y: Double) -> PixelTransform {
    PixelTransform(xx: 1, xy: 0, yx: 0, yy: 1, dx: x, dy: y)
  }

  /// Maps a point.
  public func apply(_ x: Double, _ y: Double) -> PlanePoint {
    PlanePoint(xx * x + xy * y + dx, yx * x + yy * y + dy)
  }

  /// Maps a point.
  public func apply(_ point: PlanePoint) -> PlanePoint { apply(point.x, point.y) }

  /// This map, followed by `next`.
  public func then(_ next: PixelTransform) -> PixelTransform {
    let origin = next.apply(dx, dy)
    return PixelTransform(
      xx: next.xx * xx + next.xy * yx, xy: next.xx * xy + next.xy * yy, yx: next.yx * xx + next.yy * yx,
      yy: next.yx * xy + next.yy * yy, dx: origin.x, dy: origin.y)
  }

  /// The inverse map; nil if this one is singular.
  public var inverse: PixelTransform? {
    let determinant = xx * yy - xy * yx
    guard abs(determinant) > 1e-12 else { return nil }
    let (a, b, c, d) = (yy / determinant, -xy / determinant, -yx / determinant, xx / determinant)
    return PixelTransform(xx: a, xy: b, yx: c, yy: d, dx: -(a * dx + b * dy), dy: -(c * dx + d * dy))
  }
}
