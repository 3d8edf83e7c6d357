/// Corners by Rosten and Drummond's test: at least nine pixels in a row on a ring of sixteen lighter than the middle,
/// or darker, by more than a threshold.
enum FastCorners {
  /// A difference of gray values from which a ring's pixel counts.
  static let threshold: Int16 = 7

  private static let ring: [(x: Int, y: Int)] = [
    (0, -3), (1, -3), (2, -2), (3, -1), (3, 0), (3, 1), (2, 2), (1, 3), (0, 3), (-1, 3), (-2, 2), (-3, 1), (-3, 0),
    (-3, -1), (-2, -2), (-1, -3),
  ]

  /// Nine in a row of sixteen, for each pattern of sixteen bits.
  private static let hasNine: [Bool] = (0..<65_536).map { pattern in
    var bits = UInt32(pattern) | UInt32(pattern) << 16
    for _ in 0..<8 { bits &= bits >> 1 }
    return bits & 0xFFFF != 0
  }

  /// A corner with its strength, by which neighbours are told apart.
  struct Corner {
    var x: Int
    var y: Int
    var strength: Float
  }

  /// The corners at least `border` pixels inside, the strongest of each neighbourhood of 3 x 3, row by row.
  static func find(_ gray: [UInt8], width: Int, height: Int, border: Int) -> [Corner] {
    guard width > 2 * border, height > 2 * border, border >= 5 else { return [] }
    let offsets = ring.map { $0.y * width + $0.x }
    var scores = [Int16](repeating: 0, count: width * height)
    var places: [Int] = []
    gray.withUnsafeBufferPointer { gray in
      offsets.withUnsafeBufferPointer { offsets in
        hasNine.withUnsafeBufferPointer { hasNine in
          scores.withUnsafeMutableBufferPointer { scores in
            guard let base = gray.baseAddress else { return }
            for y in border..<(height &- border) {
              for index in (y &* width &+ border)..<((y &+ 1) &* width &- border) {
                let score = score(base + index, offsets, hasNine)
                if score > 0 {
                  scores[index] = score
                  places.append(index)
                }
              }
            }
          }
        }
      }
    }
    let chosen = strongest(places, scores, width)
    return gray.withUnsafeBufferPointer { gray in
      guard let base = gray.baseAddress else { return [] }
      return chosen.map { Corner(x: $0 % width, y: $0 / width, strength: strength(base, width, $0)) }
    }
  }

  /// How much the ring differs; 0 where this is no corner.
  @inline(__always)
  private static func score(
    _ p: UnsafePointer<UInt8>, _ offsets: UnsafeBufferPointer<Int>, _ hasNine: UnsafeBufferPointer<Bool>
  ) -> Int16 {
    let middle = Int16(p[0])
    let (light, dark) = (middle &+ threshold, middle &- threshold)
    // Nine in a row hold two neighbours of the four at the ring's quarters. Lines, of which most pictures are full, have
    // them opposite to each other.
    let north = Int16(p[offsets[0]])
    let south = Int16(p[offsets[8]])
    let east = Int16(p[offsets[4]])
    let west = Int16(p[offsets[12]])
    if (north > light || south > light) && (east > light || west > light) {
      let score = score(p, offsets, hasNine) { $0 &- light }
      if score > 0 { return score }
    }
    if (north < dark || south < dark) && (east < dark || west < dark) {
      return score(p, offsets, hasNine) { dark &- $0 }
    }
    return 0
  }

  /// The sum of what the ring's pixels differ, where at least nine in a row do.
  @inline(__always)
  private static func score(
    _ p: UnsafePointer<UInt8>, _ offsets: UnsafeBufferPointer<Int>, _ hasNine: UnsafeBufferPointer<Bool>,
    difference: (Int16) -> Int16
  ) -> Int16 {
    var (pattern, sum) = (0, Int16(0))
    for k in 0..<16 {
      let value = difference(Int16(p[offsets[k]]))
      let counts = value > 0
      pattern |= (counts ? 1 : 0) &<< k
      sum &+= counts ? value : 0
    }
    return hasNine[pattern] ? max(1, sum) : 0
  }

  private static func strongest(_ places: [Int], _ scores: [Int16], _ width: Int) -> [Int] {
    scores.withUnsafeBufferPointer { scores in
      places.filter { i in
        let v = scores[i]
        return v >= scores[i &- 1] && v > scores[i &+ 1] && v >= scores[i &- width] && v > scores[i &+ width]
          && v >= scores[i &- width &- 1] && v > scores[i &+ width &+ 1] && v >= scores[i &- width &+ 1]
          && v > scores[i &+ width &- 1]
      }
    }
  }

  /// Harris' measure over 7 x 7 pixels, which tells corners from edges.
  @inline(__always)
  private static func strength(_ gray: UnsafePointer<UInt8>, _ width: Int, _ place: Int) -> Float {
    var (xx, xy, yy) = (SIMD8<Int32>(), SIMD8<Int32>(), SIMD8<Int32>())
    for j in -3...3 {
      // Eight pixels from the fourth to the left on, of which the first does not count.
      let p = UnsafeRawPointer(gray + (place &+ j &* width &- 4))
      func row(_ offset: Int) -> SIMD8<Int32> {
        SIMD8<Int32>(truncatingIfNeeded: p.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt8>.self))
      }
      var gx = row(1) &- row(-1)
      var gy = row(width) &- row(-width)
      gx[0] = 0
      gy[0] = 0
      xx &+= gx &* gx
      xy &+= gx &* gy
      yy &+= gy &* gy
    }
    let (a, b, c) = (Float(xx.wrappedSum()), Float(xy.wrappedSum()), Float(yy.wrappedSum()))
    return a * c - b * b - 0.04 * (a + c) * (a + c)
  }
}
