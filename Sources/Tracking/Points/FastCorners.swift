/// Corners by Rosten and Drummond's test (FAST): at least nine consecutive pixels on a ring of sixteen are lighter than
/// the centre, or darker, by more than a threshold.
package enum FastCorners {
  /// Minimum difference in gray value of a ring's pixel from the centre.
  package static let threshold: UInt8 = 7

  private static let ring: [(x: Int, y: Int)] = [
    (0, -3), (1, -3), (2, -2), (3, -1), (3, 0), (3, 1), (2, 2), (1, 3), (0, 3), (-1, 3), (-2, 2), (-3, 1), (-3, 0),
    (-3, -1), (-2, -2), (-1, -3),
  ]

  /// Whether nine consecutive bits of sixteen are set, for each pattern.
  private static let hasNine: [Bool] = (0..<65_536).map { pattern in
    var bits = UInt32(pattern) | UInt32(pattern) << 16
    for _ in 0..<8 { bits &= bits >> 1 }
    return bits & 0xFFFF != 0
  }

  /// A corner with its strength, by which the features of an image are ranked.
  package struct Corner {
    package var x: Int
    package var y: Int
    var strength: Float
  }

  /// The corners at least `border` pixels inside, the strongest of each neighbourhood of 3 x 3, row by row.
  package static func find(_ gray: [UInt8], width: Int, height: Int, border: Int) -> [Corner] {
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
              forEachCandidate(base, offsets, (y &* width &+ border)..<((y &+ 1) &* width &- border)) { index in
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

  /// Calls `body` with every place of a row that may be a corner, sixteen at a time because most are not. Of nine
  /// consecutive pixels on a ring of sixteen, at least one is at either end of each line through the centre. Places
  /// must be at least 5 pixels inside the image, so that all reads stay inside it.
  @inline(__always)
  private static func forEachCandidate(
    _ base: UnsafePointer<UInt8>, _ offsets: UnsafeBufferPointer<Int>, _ places: Range<Int>, _ body: (Int) -> Void
  ) {
    typealias Places = SIMD16<UInt8>
    typealias Mask = SIMDMask<SIMD16<Int8>>
    let step = Places(repeating: threshold)
    var index = places.lowerBound
    while index &+ 16 <= places.upperBound {
      let here = UnsafeRawPointer(base + index)
      let middle = here.loadUnaligned(as: Places.self)
      let (light, dark) = (middle &+ step, middle &- step)
      // If the sum or the difference overflows, nothing is lighter or darker.
      var lighter = light .>= middle
      var darker = dark .<= middle
      func narrow(_ line: Int) {
        let one = here.loadUnaligned(fromByteOffset: offsets[line], as: Places.self)
        let other = here.loadUnaligned(fromByteOffset: offsets[line &+ 8], as: Places.self)
        lighter = lighter .& ((one .> light) .| (other .> light))
        darker = darker .& ((one .< dark) .| (other .< dark))
      }
      func candidates() -> SIMD2<UInt64> { unsafeBitCast(lighter .| darker, to: SIMD2<UInt64>.self) }
      narrow(0)
      narrow(4)
      var words = candidates()
      if words.x | words.y != 0 {
        narrow(2)
        narrow(6)
        narrow(1)
        narrow(3)
        narrow(5)
        narrow(7)
        words = candidates()
        for half in 0..<2 {
          var word = words[half]
          while word != 0 {
            let bit = word.trailingZeroBitCount & ~7
            body(index &+ half &* 8 &+ bit &>> 3)
            word &= ~(0xFF &<< UInt64(truncatingIfNeeded: bit))
          }
        }
      }
      index &+= 16
    }
    while index < places.upperBound {
      body(index)
      index &+= 1
    }
  }

  /// The sum of differences over the ring's pixels; 0 if no nine consecutive ones differ, so that the place is no
  /// corner.
  @inline(__always)
  private static func score(
    _ p: UnsafePointer<UInt8>, _ offsets: UnsafeBufferPointer<Int>, _ hasNine: UnsafeBufferPointer<Bool>
  ) -> Int16 {
    let ring = SIMD16<UInt8>(
      p[offsets[0]], p[offsets[1]], p[offsets[2]], p[offsets[3]], p[offsets[4]], p[offsets[5]], p[offsets[6]],
      p[offsets[7]], p[offsets[8]], p[offsets[9]], p[offsets[10]], p[offsets[11]], p[offsets[12]], p[offsets[13]],
      p[offsets[14]], p[offsets[15]])
    let light = SIMD16<UInt8>(repeating: p[0] > 255 &- threshold ? 255 : p[0] &+ threshold)
    let lighter = unsafeBitCast(ring .> light, to: SIMD2<UInt64>.self)
    if hasNine[pattern(lighter)] { return sum(unsafeBitCast(ring &- light, to: SIMD2<UInt64>.self) & lighter) }
    let dark = SIMD16<UInt8>(repeating: p[0] < threshold ? 0 : p[0] &- threshold)
    let darker = unsafeBitCast(ring .< dark, to: SIMD2<UInt64>.self)
    if hasNine[pattern(darker)] { return sum(unsafeBitCast(dark &- ring, to: SIMD2<UInt64>.self) & darker) }
    return 0
  }

  /// One bit of each of sixteen bytes that are 0 or 255.
  @inline(__always)
  private static func pattern(_ bytes: SIMD2<UInt64>) -> Int {
    let bits = ((bytes & 0x8040_2010_0804_0201) &* 0x0101_0101_0101_0101) &>> 56
    return Int(truncatingIfNeeded: bits.x | bits.y &<< 8)
  }

  /// The sum of sixteen bytes.
  @inline(__always)
  private static func sum(_ bytes: SIMD2<UInt64>) -> Int16 {
    let pairs = (bytes & 0x00FF_00FF_00FF_00FF) &+ ((bytes &>> 8) & 0x00FF_00FF_00FF_00FF)
    return Int16(truncatingIfNeeded: ((pairs.x &+ pairs.y) &* 0x0001_0001_0001_0001) &>> 48)
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

  /// Harris' measure over 7 x 7 pixels, which distinguishes corners from edges.
  @inline(__always)
  private static func strength(_ gray: UnsafePointer<UInt8>, _ width: Int, _ place: Int) -> Float {
    var (xx, xy, yy) = (SIMD8<Int32>(), SIMD8<Int32>(), SIMD8<Int32>())
    for j in -3...3 {
      // Loads eight pixels, starting four to the left; the first is ignored.
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
