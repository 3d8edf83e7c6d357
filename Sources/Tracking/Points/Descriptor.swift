#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The appearance of a place: 256 brightness comparisons around it, rotated with it (after Rublee's ORB).
struct Descriptor: Sendable, Equatable {
  var bits: SIMD4<UInt64>

  /// The number of comparisons that differ.
  @inline(__always)
  func distance(to other: Descriptor) -> Int {
    // Counted in all four words at once: the target processors may lack a population-count instruction.
    var d = bits ^ other.bits
    d = d &- ((d &>> 1) & 0x5555_5555_5555_5555)
    d = (d & 0x3333_3333_3333_3333) &+ ((d &>> 2) & 0x3333_3333_3333_3333)
    d = (d &+ (d &>> 4)) & 0x0F0F_0F0F_0F0F_0F0F
    let bytes = d.x &+ d.y &+ d.z &+ d.w
    let pairs = (bytes & 0x00FF_00FF_00FF_00FF) &+ ((bytes &>> 8) & 0x00FF_00FF_00FF_00FF)
    return Int((pairs &* 0x0001_0001_0001_0001) &>> 48)
  }
}

/// The pairs of places to compare, for each of 64 directions.
struct ComparisonPattern: Sendable {
  /// Maximum distance of a place from the centre along either axis, in pixels.
  static let reach = 14
  static let directions = 64
  static let shared = ComparisonPattern()

  /// x and y of both places, for each direction and comparison.
  let places: [SIMD4<Int8>]

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
    places = (0..<Self.directions).flatMap { direction -> [SIMD4<Int8>] in
      let angle = 2 * Double.pi * Double(direction) / Double(Self.directions)
      let (c, s) = (cos(angle), sin(angle))
      func turned(_ p: SIMD2<Double>) -> SIMD2<Int8> {
        SIMD2(Int8(clamping: Int((c * p.x - s * p.y).rounded())), Int8(clamping: Int((s * p.x + c * p.y).rounded())))
      }
      return pairs.map { pair in
        let (a, b) = (turned(pair.0), turned(pair.1))
        return SIMD4(a.x, a.y, b.x, b.y)
      }
    }
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

  /// The descriptor of a place at least 16 pixels inside the image.
  func descriptor(x: Int, y: Int) -> Descriptor {
    let middle = y &* width &+ x
    let direction = direction(at: middle)
    return smooth.withUnsafeBufferPointer { smooth in
      ComparisonPattern.shared.places.withUnsafeBufferPointer { places in
        var bits = SIMD4<UInt64>()
        let first = direction &* 256
        for word in 0..<4 {
          var value: UInt64 = 0
          for bit in 0..<64 {
            let pair = places[first &+ word &* 64 &+ bit]
            let a = smooth[middle &+ Int(pair.y) &* width &+ Int(pair.x)]
            let b = smooth[middle &+ Int(pair.w) &* width &+ Int(pair.z)]
            value = value &<< 1 | (a < b ? 1 : 0)
          }
          bits[word] = value
        }
        return Descriptor(bits: bits)
      }
    }
  }

  /// Half-widths of the rows of a disc of radius 15, from the middle row on.
  private static let disc = (0...15).map { Int((Double(15 * 15 - $0 * $0)).squareRoot()) }

  /// The direction of the brightness centroid of the disc around a place, as one of 64.
  private func direction(at middle: Int) -> Int {
    var (mx, my) = (0, 0)
    gray.withUnsafeBufferPointer { gray in
      for j in -15...15 {
        let across = Self.disc[abs(j)]
        let line = middle &+ j &* width
        var sum = 0
        for i in -across...across {
          let value = Int(gray[line &+ i])
          sum &+= value
          mx &+= i &* value
        }
        my &+= j &* sum
      }
    }
    let turns = atan2(Double(my), Double(mx)) / (2 * Double.pi) * Double(ComparisonPattern.directions)
    let direction = Int(turns.rounded()) % ComparisonPattern.directions
    return direction < 0 ? direction + ComparisonPattern.directions : direction
  }

  /// Smoothed by 1 2 3 4 3 2 1 in both directions.
  private static func smoothed(_ gray: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
    guard width >= 8, height >= 8 else { return gray }
    var across = [UInt16](repeating: 0, count: width * height)
    var result = gray
    gray.withUnsafeBufferPointer { source in
      across.withUnsafeMutableBufferPointer { across in
        result.withUnsafeMutableBufferPointer { out in
          for y in 0..<height {
            let line = y &* width
            for x in 3..<(width &- 3) {
              let p = line &+ x
              let a = UInt16(source[p &- 3]) &+ UInt16(source[p &+ 3])
              let b = UInt16(source[p &- 2]) &+ UInt16(source[p &+ 2])
              let c = UInt16(source[p &- 1]) &+ UInt16(source[p &+ 1])
              // 1 2 3 4 3 2 1 has the sum 16 and approximates a normal curve with sigma 1.6.
              across[p] = a &+ 2 &* b &+ 3 &* c &+ 4 &* UInt16(source[p])
            }
          }
          for y in 3..<(height &- 3) {
            let line = y &* width
            for x in 3..<(width &- 3) {
              let p = line &+ x
              let a = UInt32(across[p &- 3 &* width]) &+ UInt32(across[p &+ 3 &* width])
              let b = UInt32(across[p &- 2 &* width]) &+ UInt32(across[p &+ 2 &* width])
              let c = UInt32(across[p &- width]) &+ UInt32(across[p &+ width])
              out[p] = UInt8(truncatingIfNeeded: (a &+ 2 &* b &+ 3 &* c &+ 4 &* UInt32(across[p]) &+ 128) &>> 8)
            }
          }
        }
      }
    }
    return result
  }
}
