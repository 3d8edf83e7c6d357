#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A grid of 64 x 64 complex numbers.
struct ComplexGrid: Sendable {
  static let side = 64

  var real: [Float]
  var imaginary: [Float]

  init() {
    real = [Float](repeating: 0, count: Self.side * Self.side)
    imaginary = real
  }

  init(real: [Float], imaginary: [Float]) {
    self.real = real
    self.imaginary = imaginary
  }
}

/// The discrete Fourier transform of a 64 x 64 grid, by radix-2 Cooley-Tukey steps over whole rows.
///
/// Spectra are transposed: the place (u, v) of a spectrum is at row u and column v, for the image's x and y. This costs
/// nothing, because the inverse transform transposes again.
enum FourierTransform {
  private static let side = ComplexGrid.side

  private static let turned: [Int] = (0..<side).map { index in
    (0..<6).reduce(0) { $0 << 1 | (index >> $1) & 1 }
  }
  private static let cosines: [Float] = (0..<side / 2).map { Float(cos(2 * Double.pi * Double($0) / Double(side))) }
  private static let sines: [Float] = (0..<side / 2).map { Float(sin(2 * Double.pi * Double($0) / Double(side))) }

  static func forward(_ grid: ComplexGrid) -> ComplexGrid { transform(grid, sign: -1) }

  /// The inverse transform, divided by the number of values.
  static func backward(_ grid: ComplexGrid) -> ComplexGrid {
    var result = transform(grid, sign: 1)
    let factor = 1 / Float(side * side)
    for index in result.real.indices {
      result.real[index] *= factor
      result.imaginary[index] *= factor
    }
    return result
  }

  private static func transform(_ grid: ComplexGrid, sign: Float) -> ComplexGrid {
    columns(transposed(columns(grid, sign)), sign)
  }

  private static func transposed(_ grid: ComplexGrid) -> ComplexGrid {
    ComplexGrid(real: transposed(grid.real), imaginary: transposed(grid.imaginary))
  }

  private static func transposed(_ values: [Float]) -> [Float] {
    [Float](unsafeUninitializedCapacity: side * side) { out, count in
      values.withUnsafeBufferPointer { source in
        for y in 0..<side {
          for x in 0..<side { out[x &* side &+ y] = source[y &* side &+ x] }
        }
      }
      count = side * side
    }
  }

  /// Transforms each column; each step works on whole rows.
  private static func columns(_ grid: ComplexGrid, _ sign: Float) -> ComplexGrid {
    var (real, imaginary) = (ordered(grid.real), ordered(grid.imaginary))
    real.withUnsafeMutableBytes { re in
      imaginary.withUnsafeMutableBytes { im in
        guard let re = re.baseAddress, let im = im.baseAddress else { return }
        var half = 1
        while half < side {
          for start in stride(from: 0, to: side, by: 2 &* half) {
            for k in 0..<half {
              let turn = k &* (side / 2 / half)
              butterfly(re, im, start &+ k, start &+ k &+ half, cosines[turn], sign * sines[turn])
            }
          }
          half &*= 2
        }
      }
    }
    return ComplexGrid(real: real, imaginary: imaginary)
  }

  @inline(__always)
  private static func butterfly(
    _ re: UnsafeMutableRawPointer, _ im: UnsafeMutableRawPointer, _ upper: Int, _ lower: Int, _ c: Float, _ s: Float
  ) {
    typealias Part = SIMD16<Float>
    for part in 0..<4 {
      let a = (upper &* side &+ part &* 16) &* 4
      let b = (lower &* side &+ part &* 16) &* 4
      let (ar, ai) = (
        re.loadUnaligned(fromByteOffset: a, as: Part.self), im.loadUnaligned(fromByteOffset: a, as: Part.self)
      )
      let (br, bi) = (
        re.loadUnaligned(fromByteOffset: b, as: Part.self), im.loadUnaligned(fromByteOffset: b, as: Part.self)
      )
      let tr = br * c - bi * s
      let ti = br * s + bi * c
      re.storeBytes(of: ar + tr, toByteOffset: a, as: Part.self)
      im.storeBytes(of: ai + ti, toByteOffset: a, as: Part.self)
      re.storeBytes(of: ar - tr, toByteOffset: b, as: Part.self)
      im.storeBytes(of: ai - ti, toByteOffset: b, as: Part.self)
    }
  }

  /// Rows in bit-reversed order.
  private static func ordered(_ values: [Float]) -> [Float] {
    [Float](unsafeUninitializedCapacity: side * side) { out, count in
      values.withUnsafeBufferPointer { source in
        guard let from = source.baseAddress, let to = out.baseAddress else { return }
        for y in 0..<side { (to + y &* side).initialize(from: from + turned[y] &* side, count: side) }
      }
      count = side * side
    }
  }
}
