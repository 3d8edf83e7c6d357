/// A straight strip of a picture to be cut out and flattened: its origin, direction and size.
public struct LineStrip: Sendable, Equatable {
  /// The middle of the strip's left end, in pixels of the source (pixel centres at integer coordinates).
  public var origin: PlanePoint
  /// The reading direction, a unit vector.
  public var direction: PlanePoint
  /// Pixels of the strip per pixel of the source.
  public var scale: Double
  /// Pixels across and down the cut strip.
  public var width, height: Int
  /// How far uprights lean in the source: pixels along the strip per pixel down, about its middle row.
  public var shear: Double
  /// The factor by which the cut strip is lengthened.
  public var stretch: Double

  /// Creates a strip.
  public init(
    origin: PlanePoint, direction: PlanePoint, scale: Double, width: Int, height: Int, shear: Double = 0,
    stretch: Double = 1
  ) {
    self.origin = origin
    self.direction = direction
    self.scale = scale
    self.width = width
    self.height = height
    self.shear = shear
    self.stretch = stretch
  }

  /// Maps coordinates of the cut strip to those of the source. Both are continuous: pixel (0, 0) covers 0..<1.
  public var toSource: PixelTransform {
    let (c, s) = (direction.x / scale, direction.y / scale)
    let middle = Double(height) / 2
    let level = PixelTransform(
      xx: c / stretch, xy: -s, yx: s / stretch, yy: c, dx: origin.x + 0.5 + s * middle, dy: origin.y + 0.5 - c * middle)
    return PixelTransform(xx: 1, xy: shear, yx: 0, yy: 1, dx: -shear * middle, dy: 0).then(level)
  }

  /// The same strip read from its other end, turned by 180 degrees.
  public var reversed: LineStrip {
    var other = self
    other.origin += direction * (Double(width) / (scale * stretch))
    other.direction = -direction
    return other
  }
}

extension GrayPicture {
  /// Cuts out a strip and flattens it, bilinearly.
  ///
  /// If the strip shrinks the picture by more than half, each pixel averages the samples that it covers.
  public func strip(_ strip: LineStrip) -> GrayPicture {
    let samples = max(1, Int((0.75 / strip.scale).rounded()))
    let map = strip.toSource
    let step = 1 / Float(samples)
    let (xx, xy, yx, yy) = (Float(map.xx), Float(map.xy), Float(map.yx), Float(map.yy))
    return sampledByRow(width: strip.width, height: strip.height, share: step * step) { y, sampler in
      let start = map.apply(0, Double(y))
      let (startX, startY) = (Float(start.x - 0.5), Float(start.y - 0.5))
      for down in 0..<samples {
        for across in 0..<samples {
          let v = (Float(down) + 0.5) * step
          let along = (Float(across) + 0.5) * step
          sampler.add { x in
            let u = Float(x) + along
            return (startX + xx * u + xy * v, startY + yx * u + yy * v)
          }
        }
      }
    }
  }
}
