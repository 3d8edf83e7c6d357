import Imaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The dominant angle of a picture's edges against its sides. Print, bars and borders of labels all share it.
struct DominantTilt {
  /// Degrees, clockwise as seen, -45..<45.
  let degrees: Double
  /// The share of the gradients' energy within three degrees of it; 0.08 if all directions are alike.
  let share: Double

  /// Whether the picture has a dominant direction.
  var isClear: Bool { share > 0.2 }

  /// Measures the gradients of a small picture; about 640 pixels a side are enough.
  init(of picture: GrayPicture) {
    let histogram = Self.histogram(of: picture)
    let total = histogram.reduce(0, +)
    guard total > 0 else {
      (degrees, share) = (0, 0)
      return
    }
    func window(_ middle: Int, _ radius: Int) -> Double {
      (-radius...radius).reduce(0) { $0 + histogram[(middle + $1 + 180) % 180] }
    }
    let peak = (0..<180).max { window($0, 3) < window($1, 3) } ?? 0
    var (sum, weight) = (0.0, 0.0)
    for offset in -4...4 {
      let value = histogram[(peak + offset + 180) % 180]
      sum += Double(offset) * value
      weight += value
    }
    let angle = (Double(peak) + 0.5 + (weight > 0 ? sum / weight : 0)) / 2
    degrees = angle >= 45 ? angle - 90 : angle
    share = window(peak, 6) / total
  }

  /// The gradients' energy by direction modulo 90 degrees, in bins of half a degree.
  private static func histogram(of picture: GrayPicture) -> [Double] {
    let (width, height) = (picture.width, picture.height)
    var histogram = [Double](repeating: 0, count: 180)
    guard width > 2, height > 2 else { return histogram }
    picture.pixels.withUnsafeBufferPointer { source in
      for y in 1..<height - 1 {
        for x in 1..<width - 1 {
          let at = y &* width &+ x
          @inline(__always) func value(_ offset: Int) -> Int { Int(source[at &+ offset]) }
          let across =
            value(1 - width) + 2 * value(1) + value(1 + width) - value(-1 - width) - 2 * value(-1) - value(width - 1)
          let down =
            value(width - 1) + 2 * value(width) + value(width + 1) - value(-width - 1) - 2 * value(-width)
            - value(1 - width)
          let energy = across * across + down * down
          guard energy > 80 * 80 else { continue }
          var degrees = atan2(Double(down), Double(across)) * 180 / .pi
          if degrees < 0 { degrees += 180 }
          if degrees >= 90 { degrees -= 90 }
          histogram[min(179, Int(degrees * 2))] += Double(energy).squareRoot()
        }
      }
    }
    return histogram
  }
}
