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
    guard width > 2 * border, height > 2 * border, border >= 4 else { return [] }
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
    return strongest(places, scores, width).map {
      Corner(x: $0 % width, y: $0 / width, strength: strength(gray, width, $0))
    }
  }

  /// How much the ring differs; 0 where this is no corner.
  @inline(__always)
  private static func score(
    _ p: UnsafePointer<UInt8>, _ offsets: UnsafeBufferPointer<Int>, _ hasNine: UnsafeBufferPointer<Bool>
  ) -> Int16 {
    let middle = Int16(p[0])
    let (light, dark) = (middle &+ threshold, middle &- threshold)
    // Nine in a row hold at least two of the four at the ring's quarters.
    let north = Int16(p[offsets[0]])
    let south = Int16(p[offsets[8]])
    let east = Int16(p[offsets[4]])
    let west = Int16(p[offsets[12]])
    let lighter = (north > light ? 1 : 0) &+ (south > light ? 1 : 0) &+ (east > light ? 1 : 0) &+ (west > light ? 1 : 0)
    let darker = (north < dark ? 1 : 0) &+ (south < dark ? 1 : 0) &+ (east < dark ? 1 : 0) &+ (west < dark ? 1 : 0)
    guard lighter >= 2 || darker >= 2 else { return 0 }
    var (lights, darks) = (0, 0)
    var (lightSum, darkSum): (Int16, Int16) = (0, 0)
    for k in 0..<16 {
      let value = Int16(p[offsets[k]])
      if value > light {
        lights |= 1 &<< k
        lightSum &+= value &- light
      } else if value < dark {
        darks |= 1 &<< k
        darkSum &+= dark &- value
      }
    }
    if hasNine[lights] { return max(1, lightSum) }
    return hasNine[darks] ? max(1, darkSum) : 0
  }

  private static func strongest(_ places: [Int], _ scores: [Int16], _ width: Int) -> [Int] {
    places.filter { i in
      let v = scores[i]
      return v >= scores[i &- 1] && v > scores[i &+ 1] && v >= scores[i &- width] && v > scores[i &+ width]
        && v >= scores[i &- width &- 1] && v > scores[i &+ width &+ 1] && v >= scores[i &- width &+ 1]
        && v > scores[i &+ width &- 1]
    }
  }

  /// Harris' measure over 7 x 7 pixels, which tells corners from edges.
  private static func strength(_ gray: [UInt8], _ width: Int, _ place: Int) -> Float {
    gray.withUnsafeBufferPointer { gray in
      var (xx, xy, yy): (Float, Float, Float) = (0, 0, 0)
      for j in -3...3 {
        for i in -3...3 {
          let p = place &+ j &* width &+ i
          let gx = Float(Int(gray[p &+ 1]) &- Int(gray[p &- 1]))
          let gy = Float(Int(gray[p &+ width]) &- Int(gray[p &- width]))
          xx += gx * gx
          xy += gx * gy
          yy += gy * gy
        }
      }
      return xx * yy - xy * xy - 0.04 * (xx + yy) * (xx + yy)
    }
  }
}
