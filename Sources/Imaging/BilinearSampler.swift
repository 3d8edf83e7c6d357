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
}

/// Cosine and sine from the C library, so that this module needs no Foundation.
func cosine(_ angle: Double) -> Double { cos(angle) }
func sine(_ angle: Double) -> Double { sin(angle) }
