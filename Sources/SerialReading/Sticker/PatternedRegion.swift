import Imaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The most patterned part of a picture: the label with its print and codes.
struct PatternedRegion {
  /// Left, top, width and height in pixels.
  var x, y, width, height: Int

  /// The box around the strongest patterned part, with a margin; the whole picture if nothing stands out.
  ///
  /// - Parameter degrees: The angle by which the picture was turned. The seam that turning creates around it is left
  ///   out.
  static func find(in picture: GrayPicture, turnedBy degrees: Double) -> PatternedRegion {
    let whole = PatternedRegion(x: 0, y: 0, width: picture.width, height: picture.height)
    guard picture.width > 32, picture.height > 32 else { return whole }
    let energy = edges(of: picture).boxMean(size: 13)
    var histogram = [Int](repeating: 0, count: 256)
    for value in energy.pixels { histogram[Int(value)] += 1 }
    func percentile(_ share: Double) -> Int {
      var seen = 0
      return histogram.indices.first { level in
        seen += histogram[level]
        return Double(seen) >= share * Double(energy.pixels.count)
      } ?? 255
    }
    let (ground, top) = (percentile(0.5), percentile(0.995))
    guard top > ground + 8 else { return whole }
    let threshold = ground + (top - ground) / 3
    var mask = RunMask(width: energy.width, height: energy.height)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: energy.width) { row in
      for y in 0..<energy.height {
        for x in 0..<energy.width { row[x] = Int(energy[x, y]) > threshold ? 1 : 0 }
        mask.append(row: y, UnsafeBufferPointer(row))
      }
    }
    let components = mask.closedHorizontally(25).mask.components().components
    guard let largest = components.map(\.area).max(), largest > 150 else { return whole }
    // Parts of one label are close together: add the parts that are large enough and near.
    var box = components.first { $0.area == largest } ?? components[0]
    for _ in 0..<2 {
      for part in components where part.area * 12 > largest {
        let reach = max(24, min(box.width, box.height) / 2)
        let isNear =
          part.x < box.x + box.width + reach && part.x + part.width > box.x - reach
          && part.y < box.y + box.height + reach && part.y + part.height > box.y - reach
        if isNear { box = union(box, part) }
      }
    }
    let margin = 14 + max(box.width, box.height) / 12
    let left = max(0, box.x - margin)
    let upper = max(0, box.y - margin)
    return PatternedRegion(
      x: left, y: upper, width: min(picture.width, box.x + box.width + margin) - left,
      height: min(picture.height, box.y + box.height + margin) - upper)
  }

  private static func union(_ a: Component, _ b: Component) -> Component {
    var box = a
    box.x = min(a.x, b.x)
    box.y = min(a.y, b.y)
    box.width = max(a.x + a.width, b.x + b.width) - box.x
    box.height = max(a.y + a.height, b.y + b.height) - box.y
    return box
  }

  /// The magnitudes of the differences to the right and lower neighbours, at most 255.
  private static func edges(of picture: GrayPicture) -> GrayPicture {
    let (width, height) = (picture.width, picture.height)
    return GrayPicture(width: width, height: height) { out in
      out.initialize(repeating: 0)
      picture.pixels.withUnsafeBufferPointer { source in
        for y in 0..<height - 1 {
          for x in 0..<width - 1 {
            let at = y &* width &+ x
            let here = Int(source[at])
            out[at] = UInt8(min(255, 2 * (abs(Int(source[at &+ 1]) - here) + abs(Int(source[at &+ width]) - here))))
          }
        }
      }
    }
  }
}
