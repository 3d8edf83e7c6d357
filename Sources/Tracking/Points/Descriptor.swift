#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The appearance of a place: 256 brightness comparisons around it, rotated with it (after Rublee's ORB).
package struct Descriptor: Sendable, Equatable {
  package static let byteCount = 32

  package var bits: SIMD4<UInt64>

  package init(bits: SIMD4<UInt64>) { self.bits = bits }

  /// One of its 32 bytes.
  @inline(__always)
  func byte(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: bits[index &>> 3] &>> UInt64(truncatingIfNeeded: (index & 7) &* 8))
  }
}

/// The pairs of places to compare, for each of 64 directions.
struct ComparisonPattern: Sendable {
  /// Maximum distance of a place from the centre along either axis, in pixels.
  static let reach = 14
  static let directions = 64
  static let shared = ComparisonPattern()

  /// Number of places from one row to the next in a window around the centre, and of its rows.
  static let stride = 32
  static let rows = 2 * reach + 1

  /// Indices of both places in the window, for each direction and comparison.
  let places: [SIMD2<UInt16>]

  private init() {
    // Normally distributed places around the centre (the best arrangement in Calonder's BRIEF), the same in every
    // build.
    var random = SmallRandom(seed: 20)
    func place() -> SIMD2<Double> {
      while true {
        let place = SIMD2(random.nextNormal(), random.nextNormal()) * (31.0 / 5)
        if (place * place).sum() <= 13 * 13 { return place }
      }
    }
    var pairs: [(SIMD2<Double>, SIMD2<Double>)] = []
    while pairs.count < 256 {
      let pair = (place(), place())
      let way = pair.0 - pair.1
      if (way * way).sum() >= 9 { pairs.append(pair) }
    }
    places = (0..<Self.directions).flatMap { direction -> [SIMD2<UInt16>] in
      let angle = 2 * Double.pi * Double(direction) / Double(Self.directions)
      let (c, s) = (cos(angle), sin(angle))
      func turned(_ p: SIMD2<Double>) -> UInt16 {
        let (x, y) = (Int((c * p.x - s * p.y).rounded()), Int((s * p.x + c * p.y).rounded()))
        return UInt16(clamping: (y + Self.reach) * Self.stride + x + Self.reach)
      }
      return pairs.map { SIMD2(turned($0.0), turned($0.1)) }
    }
  }
}

/// Sums of sixteen columns' pixels, and of their pixels times the row, at even and odd columns: at most 31 and 120 pixels
/// of 255, which 16 bits hold.
private struct ColumnMoments {
  private var (even, odd) = (SIMD8<UInt16>(), SIMD8<UInt16>())
  private var (evenByRow, oddByRow) = (SIMD8<UInt16>(), SIMD8<UInt16>())

  /// Adds the middle row.
  @inline(__always)
  mutating func add(_ pixels: SIMD16<UInt8>) {
    even &+= Self.even(pixels)
    odd &+= Self.odd(pixels)
  }

  /// Adds two rows at one distance above and below the middle.
  @inline(__always)
  mutating func add(_ above: SIMD16<UInt8>, _ below: SIMD16<UInt8>, row: Int) {
    let factor = SIMD8<UInt16>(repeating: UInt16(truncatingIfNeeded: row))
    even &+= Self.even(above) &+ Self.even(below)
    odd &+= Self.odd(above) &+ Self.odd(below)
    evenByRow &+= (Self.even(below) &- Self.even(above)) &* factor
    oddByRow &+= (Self.odd(below) &- Self.odd(above)) &* factor
  }

  /// The sum of pixels times their column.
  @inline(__always)
  func mx(from first: Int) -> Int {
    var sum = 0
    for index in 0..<8 {
      let column = first &+ 2 &* index
      sum &+= column &* Int(even[index]) &+ (column &+ 1) &* Int(odd[index])
    }
    return sum
  }

  /// The sum of pixels times their row.
  @inline(__always)
  var my: Int {
    var sum = 0
    for index in 0..<8 {
      sum &+= Int(Int16(truncatingIfNeeded: evenByRow[index])) &+ Int(Int16(truncatingIfNeeded: oddByRow[index]))
    }
    return sum
  }

  @inline(__always)
  private static func even(_ pixels: SIMD16<UInt8>) -> SIMD8<UInt16> {
    unsafeBitCast(pixels, to: SIMD8<UInt16>.self) & SIMD8(repeating: 0xFF)
  }

  @inline(__always)
  private static func odd(_ pixels: SIMD16<UInt8>) -> SIMD8<UInt16> {
    unsafeBitCast(pixels, to: SIMD8<UInt16>.self) &>> 8
  }
}

/// Computes descriptors of places in one image.
struct DescriptorReader {
  private let gray: [UInt8]
  private let smooth: [UInt8]
  private let width: Int

  init(_ gray: [UInt8], width: Int, height: Int) {
    self.gray = gray
    self.width = width
    smooth = Self.smoothed(gray, width, height)
  }

  /// The descriptor of a place at least 17 pixels inside the image.
  func descriptor(x: Int, y: Int) -> Descriptor {
    let middle = y &* width &+ x
    let direction = direction(at: middle)
    let (stride, reach) = (ComparisonPattern.stride, ComparisonPattern.reach)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: stride * ComparisonPattern.rows) { window in
      smooth.withUnsafeBufferPointer { smooth in
        ComparisonPattern.shared.places.withUnsafeBufferPointer { places in
          var bits = SIMD4<UInt64>()
          guard let out = window.baseAddress, let source = smooth.baseAddress, let pairs = places.baseAddress else {
            return Descriptor(bits: bits)
          }
          // In a window with a stride of its own, the places of a direction are the same in every image.
          let corner = source + (middle &- reach &* width &- reach)
          for row in 0..<ComparisonPattern.rows {
            (out + row &* stride).update(from: corner + row &* width, count: stride)
          }
          for word in 0..<4 {
            var value: UInt64 = 0
            let first = pairs + (direction &* 256 &+ word &* 64)
            for bit in 0..<64 {
              let pair = first[bit]
              // The sign of the difference, because a branch would be unpredictable.
              let difference = Int64(out[Int(pair.x)]) &- Int64(out[Int(pair.y)])
              value = value &<< 1 | UInt64(bitPattern: difference) &>> 63
            }
            bits[word] = value
          }
          return Descriptor(bits: bits)
        }
      }
    }
  }

  /// Half-width of a row of a disc of radius 15.
  private static func halfWidth(_ row: Int) -> Int { Int((Double(15 * 15 - row * row)).squareRoot()) }

  /// The pixels of each row of the disc that lie in it, as masks of columns -15...0 and 1...16, from the middle row on.
  private static let disc: [(left: SIMD16<UInt8>, right: SIMD16<UInt8>)] = (0...15).map { row in
    func mask(_ columns: ClosedRange<Int>) -> SIMD16<UInt8> {
      SIMD16(columns.map { abs($0) <= halfWidth(row) ? 255 : 0 })
    }
    return (mask(-15...0), mask(1...16))
  }

  /// The direction of the brightness centroid of the disc around a place, as one of 64.
  private func direction(at middle: Int) -> Int {
    var (left, right) = (ColumnMoments(), ColumnMoments())
    gray.withUnsafeBytes { gray in
      Self.disc.withUnsafeBufferPointer { disc in
        func pixels(_ row: Int, _ column: Int) -> SIMD16<UInt8> {
          gray.loadUnaligned(fromByteOffset: middle &+ row &* width &+ column, as: SIMD16<UInt8>.self)
        }
        left.add(pixels(0, -15) & disc[0].left)
        right.add(pixels(0, 1) & disc[0].right)
        for row in 1...15 {
          left.add(pixels(-row, -15) & disc[row].left, pixels(row, -15) & disc[row].left, row: row)
          right.add(pixels(-row, 1) & disc[row].right, pixels(row, 1) & disc[row].right, row: row)
        }
      }
    }
    let (mx, my) = (left.mx(from: -15) &+ right.mx(from: 1), left.my &+ right.my)
    let turns = atan2(Double(my), Double(mx)) / (2 * Double.pi) * Double(ComparisonPattern.directions)
    let direction = Int(turns.rounded()) % ComparisonPattern.directions
    return direction < 0 ? direction + ComparisonPattern.directions : direction
  }

  /// Smoothed by 1 2 3 4 3 2 1 in both directions.
  private static func smoothed(_ gray: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
    guard width >= 8, height >= 8 else { return gray }
    // 1 2 3 4 3 2 1 has the sum 16 and approximates a normal curve with sigma 1.6. 16 * 16 * 255 + 128 fits in 16 bits.
    func weighted(_ a: UInt16, _ b: UInt16, _ c: UInt16, _ d: UInt16) -> UInt16 { a &+ 2 &* b &+ 3 &* c &+ 4 &* d }
    var across = [UInt16](repeating: 0, count: width * height)
    var result = gray
    gray.withUnsafeBufferPointer { source in
      across.withUnsafeMutableBufferPointer { across in
        result.withUnsafeMutableBufferPointer { out in
          guard let source = source.baseAddress, let across = across.baseAddress, let out = out.baseAddress else {
            return
          }
          func pair(_ p: Int, _ way: Int) -> UInt16 { UInt16(source[p &- way]) &+ UInt16(source[p &+ way]) }
          func sum(_ p: Int, _ way: Int) -> UInt16 { across[p &- way &* width] &+ across[p &+ way &* width] }
          for y in 0..<height {
            for p in (y &* width &+ 3)..<((y &+ 1) &* width &- 3) {
              across[p] = weighted(pair(p, 3), pair(p, 2), pair(p, 1), UInt16(source[p]))
            }
          }
          for y in 3..<(height &- 3) {
            for p in (y &* width &+ 3)..<((y &+ 1) &* width &- 3) {
              let value = weighted(sum(p, 3), sum(p, 2), sum(p, 1), across[p]) &+ 128
              out[p] = UInt8(truncatingIfNeeded: value &>> 8)
            }
          }
        }
      }
    }
    return result
  }
}
