/// A frame in which a thing is seen: the part of it about the thing.
public struct ViewedFrame: Sendable {
  /// Pixels kept round the thing, as a share of its sides.
  private static let surroundings = 0.2

  let pyramid: Pyramid
  /// The thing's corners in pixels of the part.
  let quad: Quadrilateral

  /// Takes the part about the thing; nil where the frame has none of it, or the corners enclose nothing.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - corners: The thing's corners in pixels of the frame as sent.
  public init?(_ frame: TrackingFrame, corners: [SIMD2<Double>]) {
    let quad = Quadrilateral(corners: corners.map(frame.pixel(ofPlace:)))
    guard quad.bounds.isFinite, quad.isConvex, quad.signedArea > 4 else { return nil }
    let bounds = quad.bounds
    let around = SIMD2(bounds.width, bounds.height) * Self.surroundings + 4
    let wanted = Box(
      x0: bounds.x0 - around.x, y0: bounds.y0 - around.y, x1: bounds.x1 + around.x, y1: bounds.y1 + around.y)
    guard let box = wanted.clipped(width: Double(frame.width), height: Double(frame.height)) else { return nil }
    let (left, top) = (Int(box.x0), Int(box.y0))
    let (width, height) = (Int(box.x1) - left, Int(box.y1) - top)
    guard width > 0, height > 0 else { return nil }
    let level = Pyramid.Level(width: width, height: height) { row, out in
      frame.gray.withUnsafeBufferPointer { source in
        let start = (top &+ row) &* frame.width &+ left
        for x in 0..<width { out[x] = Float(source[start &+ x]) }
      }
    }
    pyramid = Pyramid(levels: [level, level.halved()])
    self.quad = Quadrilateral(corners: quad.corners.map { $0 - SIMD2(Double(left), Double(top)) })
  }
}
