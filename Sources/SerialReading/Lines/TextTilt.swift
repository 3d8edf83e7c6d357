import Imaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Measures the tilt of printed rows from the directions between neighbouring characters (the document spectrum:
/// O'Gorman, "The document spectrum for page layout analysis", IEEE PAMI 15, 1993).
///
/// Unlike `DominantTilt` it needs no borders or bars, and the edges of a desk don't mislead it.
package struct TextTilt {
  /// Radians, clockwise as seen, -pi/4..<pi/4.
  package let angle: Double
  /// Share of the neighbours within three degrees of that direction or across it; 0.08 if all directions are equally
  /// frequent.
  package let share: Double
  /// Reliability of the angle: the share, reduced if few neighbours support it.
  package let clearness: Double
  /// Median longer side of the characters that support it, in pixels of the image.
  package let characterSide: Double
  /// The box around these characters in an image turned by `angle` about the origin, in its pixels.
  package let box: (left: Double, top: Double, right: Double, bottom: Double)

  /// Range of a character's longer side in pixels, the maximum distance of a neighbour in longer sides of the larger
  /// one, and the minimum ratio of the two sizes.
  private static let sides = 5...60
  private static let reach = 2.0
  private static let leastRatio = 0.5
  /// Number of neighbours counted per character: those in its own row are nearest.
  private static let neighbours = 2
  /// Number of nearest neighbours searched for two on opposite sides of a character, as inside a row; the greatest
  /// cosine of the angle between the two; and the weight of the direction from one to the other. Characters have such
  /// neighbours more often than blotches of a patterned background.
  private static let rowNeighbours = 4
  private static let rowCosine = -0.96
  private static let rowWeight = 2
  /// Maximum number of components measured: more are texture, and a sample is as informative.
  private static let mostComponents = 1200
  /// Number of supporting directions that gives full reliability: a row or two of text.
  private static let sufficient = 60
  private static let bins = 90
  private static let tolerance = 3

  /// A character and a possible direction of its row.
  private struct Step {
    var component: Component
    var bin: Int
  }

  /// Measures components; nil if almost none has a neighbour.
  package init?(of components: [Component]) {
    let steps = Self.steps(of: components)
    guard steps.count >= 20 else { return nil }
    var histogram = [Int](repeating: 0, count: Self.bins)
    for step in steps { histogram[step.bin] += 1 }
    func near(_ bin: Int) -> Int {
      (-Self.tolerance...Self.tolerance).reduce(0) { $0 + histogram[(bin + $1 + Self.bins) % Self.bins] }
    }
    let peak = histogram.indices.max { near($0) < near($1) } ?? 0
    let members = steps.filter { abs(Self.offset($0.bin, peak)) <= Self.tolerance }
    let mean = members.reduce(0) { $0 + Double(Self.offset($1.bin, peak)) } / Double(max(1, members.count))
    let degrees = Double(peak) + 0.5 + mean
    let angle = (degrees >= 45 ? degrees - 90 : degrees) * .pi / 180
    self.angle = angle
    share = Double(members.count) / Double(steps.count)
    clearness = share * min(1, Double(members.count) / Double(Self.sufficient))
    characterSide = Double(Statistics.median(members.map { Float($0.component.longestSide) }))
    let (c, s) = (cos(angle), sin(angle))
    let across = members.map { c * Double($0.component.centroidX) + s * Double($0.component.centroidY) }
    let down = members.map { c * Double($0.component.centroidY) - s * Double($0.component.centroidX) }
    box = (across.min() ?? 0, down.min() ?? 0, across.max() ?? 0, down.max() ?? 0)
  }

  /// The signed distance from one bin to another, the short way round.
  private static func offset(_ bin: Int, _ other: Int) -> Int {
    (bin - other + bins + bins / 2) % bins - bins / 2
  }

  private static func steps(of all: [Component]) -> [Step] {
    let sized = all.filter { sides.contains($0.longestSide) }
    let every = max(1, sized.count / mostComponents)
    let sorted = sized.sorted { $0.centroidX < $1.centroidX }
    return sorted.indices.filter { $0 % every == 0 }.flatMap { steps(from: $0, in: sorted) }
  }

  /// From one component to its nearest neighbours, and along the row that contains it. Components are sorted from left
  /// to right.
  private static func steps(from index: Int, in sorted: [Component]) -> [Step] {
    let found = offsets(from: index, in: sorted).sorted { $0.length < $1.length }
    let along = row(through: found.prefix(rowNeighbours)).map { [Offset](repeating: $0, count: rowWeight) } ?? []
    return (found.prefix(neighbours) + along).map { Step(component: sorted[index], bin: $0.bin) }
  }

  /// The offset between the two neighbours most nearly on opposite sides of a component; nil if there are none.
  private static func row(through neighbours: ArraySlice<Offset>) -> Offset? {
    var straightest: (cosine: Double, offset: Offset)?
    for (number, one) in neighbours.enumerated() {
      for other in neighbours.prefix(number) {
        let cosine = one.cosine(with: other)
        guard cosine < straightest?.cosine ?? rowCosine else { continue }
        straightest = (cosine, Offset(dx: one.dx - other.dx, dy: one.dy - other.dy))
      }
    }
    return straightest?.offset
  }

  /// The offsets from one component to all similar neighbours. Components are sorted from left to right.
  private static func offsets(from index: Int, in sorted: [Component]) -> [Offset] {
    let own = sorted[index]
    var found: [Offset] = []
    let farthest = Double(own.longestSide) * reach / leastRatio
    for direction in [-1, 1] {
      var other = index + direction
      while sorted.indices.contains(other), abs(Double(sorted[other].centroidX - own.centroidX)) <= farthest {
        let candidate = sorted[other]
        let offset = Offset(
          dx: Double(candidate.centroidX - own.centroidX), dy: Double(candidate.centroidY - own.centroidY))
        let (small, large) = (
          Double(min(own.longestSide, candidate.longestSide)), Double(max(own.longestSide, candidate.longestSide))
        )
        if small >= leastRatio * large, offset.length <= reach * large { found.append(offset) }
        other += direction
      }
    }
    return found
  }

  /// An offset between two places, in pixels.
  private struct Offset {
    var dx, dy: Double

    var length: Double { (dx * dx + dy * dy).squareRoot() }

    /// Its direction in whole degrees modulo 90, 0..<90: along and across a row are equal.
    var bin: Int {
      let degrees = atan2(dy, dx) * 180 / .pi
      return Int(degrees - 90 * (degrees / 90).rounded(.down)) % bins
    }

    /// Cosine of the angle between two offsets, -1...1; 1 if either has no length.
    func cosine(with other: Offset) -> Double {
      let lengths = length * other.length
      return lengths > 0 ? (dx * other.dx + dy * other.dy) / lengths : 1
    }
  }
}
