/// A straight strip of a picture to be cut out and laid flat: where it begins, where it runs, how much of it.
public struct LineStrip: Sendable, Equatable {
  /// The middle of the strip's left end, in pixels of the source (pixel centres at whole coordinates).
  public var originX, originY: Double
  /// The direction in which the strip is read, a vector of length 1.
  public var directionX, directionY: Double
  /// Pixels of the strip for each pixel of the source.
  public var scale: Double
  /// Pixels across and down the cut strip.
  public var width, height: Int
  /// How far what is upright in the strip leans in the source: steps along the strip for each step down, about its middle row.
  public var shear: Double
  /// Factor on its length by which it is cut out.
  public var stretch: Double

  /// Creates a strip.
  public init(
    originX: Double, originY: Double, directionX: Double, directionY: Double, scale: Double, width: Int, height: Int,
    shear: Double = 0, stretch: Double = 1
  ) {
    self.originX = originX
    self.originY = originY
    self.directionX = directionX
    self.directionY = directionY
    self.scale = scale
    self.width = width
    self.height = height
    self.shear = shear
    self.stretch = stretch
  }

  /// From coordinates of the cut strip to those of the source (both continuous, pixel (0, 0) covers 0..<1).
  public var toSource: PixelTransform {
    let (c, s) = (directionX / scale, directionY / scale)
    let middle = Double(height) / 2
    let level = PixelTransform(
      xx: c / stretch, xy: -s, yx: s / stretch, yy: c, dx: originX + 0.5 + s * middle, dy: originY + 0.5 - c * middle)
    return PixelTransform(xx: 1, xy: shear, yx: 0, yy: 1, dx: -shear * middle, dy: 0).then(level)
  }

  /// The same strip read from its other end, turned by 180 degrees.
  public var reversed: LineStrip {
    var other = self
    let length = Double(width) / (scale * stretch)
    other.originX += directionX * length
    other.originY += directionY * length
    other.directionX = -directionX
    other.directionY = -directionY
    return other
  }
}

extension GrayPicture {
  /// Cuts out a strip and lays it flat, bilinearly.
  ///
  /// A strip that shrinks the picture by more than half is averaged over as many samples as fall into a pixel.
  public func strip(_ strip: LineStrip) -> GrayPicture {
    let samples = max(1, Int((0.75 / strip.scale).rounded()))
    let map = strip.toSource
    return GrayPicture(width: strip.width, height: strip.height) { out in
      pixels.withUnsafeBufferPointer { source in
        let sampler = BilinearSampler(source: source, width: width, height: height)
        let step = 1 / Float(samples)
        let (xx, xy, yx, yy) = (Float(map.xx), Float(map.xy), Float(map.yx), Float(map.yy))
        for y in 0..<strip.height {
          let start = map.apply(0, Double(y))
          let (startX, startY) = (Float(start.x - 0.5), Float(start.y - 0.5))
          for x in 0..<strip.width {
            var sum: Float = 0
            for down in 0..<samples {
              for across in 0..<samples {
                let u = Float(x) + (Float(across) + 0.5) * step
                let v = (Float(down) + 0.5) * step
                sum += sampler.value(startX + xx * u + xy * v, startY + yx * u + yy * v)
              }
            }
            out[y &* strip.width &+ x] = UInt8(sum * step * step + 0.5)
          }
        }
      }
    }
  }
}
