/// A strip of a picture that follows a curve, to be cut out and flattened.
public struct CurvedStrip: Sendable, Equatable {
  /// A point on the curve in pixels of the source (pixel centres at halves), and the curve's direction there, a unit
  /// vector.
  public struct Place: Sendable, Equatable {
    public var point, direction: PlanePoint

    /// Creates a place.
    public init(_ point: PlanePoint, direction: PlanePoint) {
      self.point = point
      self.direction = direction
    }
  }

  /// The centre of each column of the strip.
  public var columns: [Place]
  /// Pixels down the cut strip.
  public var height: Int
  /// Pixels of the strip per pixel of the source, across the curve.
  public var scale: Double

  /// Creates a strip.
  public init(columns: [Place], height: Int, scale: Double) {
    self.columns = columns
    self.height = height
    self.scale = scale
  }

  /// Maps coordinates of the cut strip to those of the source. Both are continuous: pixel (0, 0) covers 0..<1.
  public func toSource(_ x: Double, _ y: Double) -> PlanePoint {
    guard !columns.isEmpty else { return .zero }
    let column = columns[min(max(0, Int(x)), columns.count - 1)]
    return column.point + column.direction.down * ((y - Double(height) / 2) / scale)
  }
}

extension GrayPicture {
  /// Cuts out a strip along a curve and flattens it, bilinearly.
  ///
  /// If the strip shrinks the picture, each pixel averages the samples that it covers.
  public func strip(_ strip: CurvedStrip) -> GrayPicture {
    let samples = Self.samples(1 / strip.scale)
    let steps = (0..<samples).map { (Double($0) + 0.5) / Double(samples) }
    return GrayPicture(width: strip.columns.count, height: strip.height) { out in
      pixels.withUnsafeBufferPointer { source in
        let sampler = BilinearSampler(source: source, width: width, height: height)
        for x in strip.columns.indices {
          for y in 0..<strip.height {
            var sum: Float = 0
            for down in steps {
              let place = strip.toSource(Double(x) + 0.5, Double(y) + down)
              for along in steps {
                let sample = place + (along - 0.5) / strip.scale * strip.columns[x].direction - 0.5
                sum += sampler.value(Float(sample.x), Float(sample.y))
              }
            }
            out[y &* strip.columns.count &+ x] = UInt8(sum / Float(samples * samples) + 0.5)
          }
        }
      }
    }
  }
}
