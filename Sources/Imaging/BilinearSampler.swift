#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Samples gray values between pixel centres, bilinearly. Positions outside the picture repeat its edge.
struct BilinearSampler {
  let source: UnsafeBufferPointer<UInt8>
  let width: Int
  let height: Int

  /// The value at (x, y), 0...255. Pixel centres have integer coordinates.
  @inline(__always)
  func value(_ x: Float, _ y: Float) -> Float {
    let cx = max(0, min(x, Float(width &- 1)))
    let cy = max(0, min(y, Float(height &- 1)))
    let x0 = Int(cx)
    let y0 = Int(cy)
    let fx = cx - Float(x0)
    let fy = cy - Float(y0)
    let right = x0 &+ 1 < width ? 1 : 0
    let down = y0 &+ 1 < height ? width : 0
    let at = y0 &* width &+ x0
    let top = Float(source[at]) * (1 - fx) + Float(source[at &+ right]) * fx
    let bottom = Float(source[at &+ down]) * (1 - fx) + Float(source[at &+ down &+ right]) * fx
    return top * (1 - fy) + bottom * fy
  }

  /// The value at (x, y), 0...255, which must lie at least a pixel inside the picture.
  @inline(__always)
  func valueInside(_ x: Float, _ y: Float) -> Float {
    let (x0, y0) = (Int(x), Int(y))
    let (fx, fy) = (x - Float(x0), y - Float(y0))
    let at = y0 &* width &+ x0
    let top = Float(source[at]) * (1 - fx) + Float(source[at &+ 1]) * fx
    let bottom = Float(source[at &+ width]) * (1 - fx) + Float(source[at &+ width &+ 1]) * fx
    return top * (1 - fy) + bottom * fy
  }

  /// The steps 0..<`count` of `step` from `start` at which (x, y) lies at least a pixel and `margin` inside the picture.
  func inside(
    from start: (x: Double, y: Double), step: (x: Double, y: Double), count: Int,
    margin: (x: Double, y: Double) = (0, 0)
  ) -> Range<Int> {
    Self.steps(count, of: step.x, from: start.x, staying: 1 + margin.x, below: Double(width))
      .clamped(to: Self.steps(count, of: step.y, from: start.y, staying: 1 + margin.y, below: Double(height)))
  }

  private static func steps(
    _ count: Int, of step: Double, from start: Double, staying margin: Double, below size: Double
  ) -> Range<Int> {
    let (least, most) = (margin, size - 2 - margin)
    // The walk is in `Float`, in which a finite step can become infinite.
    guard least <= most, Float(start).isFinite, Float(step).isFinite else { return 0..<0 }
    guard abs(step) > 1e-9 else { return least <= start && start <= most ? 0..<count : 0..<0 }
    let (first, last) = ((least - start) / step, (most - start) / step)
    let lower = max(0, min(first, last).rounded(.up))
    let upper = min(Double(count - 1), max(first, last).rounded(.down))
    return lower <= upper ? Int(lower)..<Int(upper) + 1 : 0..<0
  }
}

/// Cosine and sine from the C library, so that this module needs no Foundation.
func cosine(_ angle: Double) -> Double { cos(angle) }
func sine(_ angle: Double) -> Double { sin(angle) }
