import Imaging

/// Whether strokes are darker or lighter than their background.
public enum StrokePolarity: String, Sendable {
  /// Dark strokes on a light background.
  case dark
  /// Light strokes on a dark background.
  case light

  var opposite: StrokePolarity { self == .dark ? .light : .dark }
}

/// The pixels that stand out from their surroundings, independent of the lighting.
///
/// With m the mean over 25 x 25 pixels and s the mean of the pixel and its 3 x 3 surroundings, a pixel is part of a dark
/// stroke if (m - s) / m exceeds a threshold, and of a light stroke if it is below the negated threshold.
struct Strokes: Equatable {
  var polarity: StrokePolarity
  /// Contrast above which a pixel is part of a stroke, as a share of its surroundings.
  var threshold: Double
  /// The minimum value used for m, 0...255, so that noise in black areas is ignored.
  var leastGround = 8

  /// Side of the box that represents the surroundings, in pixels: a few strokes and gaps of the text sought.
  private static let groundSize = 25

  /// Marks the strokes of an image.
  func mask(of picture: GrayPicture) -> RunMask {
    let groundSize = Self.groundSize
    let (width, height) = (picture.width, picture.height)
    var mask = RunMask(width: width, height: height)
    guard width > 1, height > 1 else { return mask }
    // (m - s) / m > T  <=>  s < (1 - T) m, with m and s in units of 1 / (18 x 625).
    let groundArea = Float(groundSize * groundSize)
    let factor = Float(polarity == .dark ? 1 - threshold : 1 + threshold) * 18 / groundArea
    // If m is below the minimum, m - s is compared with T times the minimum.
    let floorSum = Int32(leastGround * groundSize * groundSize)
    let sign: Float = polarity == .dark ? 1 : -1
    let floorOffset = sign * Float(threshold) * Float(leastGround) * 18
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width) { row in
      withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 2 * width + 2) { memory in
        let near = UnsafeMutableBufferPointer(rebasing: memory[..<width])
        let columns = UnsafeMutableBufferPointer(rebasing: memory[width...])
        picture.forEachRowOfBoxSums(size: groundSize) { y, ground in
          Self.sumNear(row: y, of: picture, columns, into: near)
          var least = Int32.max
          for x in 0..<width { least = min(least, ground[x]) }
          if least >= floorSum {
            for x in 0..<width { row[x] = sign * (Float(ground[x]) * factor - Float(near[x])) > 0 ? 1 : 0 }
          } else {
            for x in 0..<width {
              let sum = Float(ground[x])
              let limit = ground[x] >= floorSum ? sum * factor : sum * 18 / groundArea - floorOffset
              row[x] = sign * (limit - Float(near[x])) > 0 ? 1 : 0
            }
          }
          mask.append(row: y, UnsafeBufferPointer(row))
        }
      }
    }
    return mask
  }

  /// Writes 18 times the average of each pixel of a row and the mean of its 3 x 3 surroundings: the sum of the nine plus
  /// nine times the pixel.
  ///
  /// - Parameter columns: Room for the sums of three pixels of each column, and for one more on either side.
  @inline(__always)
  private static func sumNear(
    row: Int, of picture: GrayPicture, _ columns: UnsafeMutableBufferPointer<UInt16>,
    into near: UnsafeMutableBufferPointer<UInt16>
  ) {
    let (width, height) = (picture.width, picture.height)
    let middle = row &* width
    let above = row > 0 ? middle &- width : min(1, height - 1) &* width
    let below = row < height - 1 ? middle &+ width : max(0, height - 2) &* width
    picture.pixels.withUnsafeBufferPointer { source in
      for x in 0..<width {
        columns[x &+ 1] = UInt16(source[above &+ x]) &+ UInt16(source[middle &+ x]) &+ UInt16(source[below &+ x])
      }
      columns[0] = columns[2]
      columns[width + 1] = columns[width - 1]
      for x in 0..<width {
        near[x] = columns[x] &+ columns[x &+ 1] &+ columns[x &+ 2] &+ 9 &* UInt16(source[middle &+ x])
      }
    }
  }
}

/// Connected strokes of character size, with their runs.
struct CharacterComponents {
  /// The runs of the kept components only.
  var mask: RunMask
  var components: [Component]
  /// The component index of every run of the mask.
  var labels: [Int32]

  /// The least area of a character, in pixels.
  private static let leastArea = 8

  /// Keeps the components whose longer side is within `sides` pixels, without specks.
  init(_ strokes: RunMask, sides: ClosedRange<Int>) {
    mask = strokes
    (components, labels) = strokes.components()
    let all = components
    self = keeping { sides.contains(all[$0].longestSide) && all[$0].area >= Self.leastArea }
  }

  /// The components of the image turned clockwise by 90 degrees.
  func turnedClockwise() -> CharacterComponents {
    var other = self
    let (turned, origin) = mask.turnedClockwise()
    other.mask = turned
    other.labels = origin.map { labels[Int($0)] }
    let height = mask.height
    other.components = components.map { component in
      Component(
        x: height - (component.y + component.height), y: component.x, width: component.height,
        height: component.width, area: component.area, centroidX: Float(height - 1) - component.centroidY,
        centroidY: component.centroidX)
    }
    return other
  }
}

/// Splits strokes that hold several touching characters, so that lines and words can be counted by characters. Bold
/// light print on a lit display glows into its neighbours, and out of focus a whole word is one stroke.
extension CharacterComponents {
  private enum Joined {
    /// Width from which a stroke is several characters, in heights of its columns; a wide `W` has 1.3.
    static let leastWidth = 1.5
    /// Width of a character with its space, in capital heights.
    static let pitch = 0.7
    /// Minimum height of the columns in pixels: lower strokes are dashes and rules.
    static let leastHeight = 6
    /// Share of its columns' boxes from which a stroke is an area such as a button or a bar.
    static let mostFilled = 0.97
    /// Maximum distance of the thinnest column from an equal division, in widths of a part.
    static let reach = 0.35
  }

  /// A copy in which strokes wider than a character are cut at their thinnest columns.
  func withJoinedParted(sides: ClosedRange<Int>) -> CharacterComponents {
    let wide = components.indices.filter {
      components[$0].width >= Int(Joined.leastWidth * Double(Joined.leastHeight))
        && components[$0].width > components[$0].height
    }
    guard !wide.isEmpty else { return self }
    var runs = [[RunMask.Run]](repeating: [], count: components.count)
    for (index, run) in mask.runs.enumerated() { runs[Int(labels[index])].append(run) }
    let cuts = Dictionary(uniqueKeysWithValues: wide.map { ($0, Self.cuts(of: components[$0], runs[$0])) })
    guard cuts.values.contains(where: { !$0.isEmpty }) else { return self }
    let parted = mask.runs.enumerated().flatMap { index, run in
      Self.parts(of: run, at: cuts[Int(labels[index])] ?? [])
    }
    return CharacterComponents(RunMask(width: mask.width, height: mask.height, runs: parted), sides: sides)
  }

  /// The columns at which a stroke is cut.
  private static func cuts(of component: Component, _ runs: [RunMask.Run]) -> [Int32] {
    var ink = [Int](repeating: 0, count: component.width)
    var (first, last) = (
      [Int32](repeating: .max, count: component.width), [Int32](repeating: -1, count: component.width)
    )
    for run in runs {
      for x in Int(run.start) - component.x..<Int(run.end) - component.x {
        ink[x] += 1
        first[x] = min(first[x], run.row)
        last[x] = max(last[x], run.row)
      }
    }
    let heights = zip(first, last).filter { $1 >= 0 }.map { Float($1 - $0 + 1) }
    let height = Double(Statistics.percentile(heights, 70))
    let filled = Double(component.area) / Double(max(1, heights.reduce(0, +)))
    let count = Int((Double(component.width) / (Joined.pitch * height)).rounded())
    guard height >= Double(Joined.leastHeight), Double(component.width) >= Joined.leastWidth * height, count > 1,
      filled < Joined.mostFilled
    else { return [] }
    let width = Double(component.width) / Double(count)
    return (1..<count).map { part in
      let (middle, reach) = (Double(part) * width, Joined.reach * width)
      let near = max(1, Int(middle - reach))...min(component.width - 2, max(1, Int(middle + reach)))
      return Int32(component.x + (near.min { ink[$0] < ink[$1] } ?? Int(middle)))
    }
  }

  /// A run without the pixels at the cuts, so that its parts don't touch.
  private static func parts(of run: RunMask.Run, at cuts: [Int32]) -> [RunMask.Run] {
    var parts: [RunMask.Run] = []
    var start = run.start
    for cut in cuts where cut >= start && cut < run.end {
      if cut > start { parts.append(RunMask.Run(row: run.row, start: start, end: cut)) }
      start = cut + 1
    }
    if start < run.end { parts.append(RunMask.Run(row: run.row, start: start, end: run.end)) }
    return parts
  }
}
