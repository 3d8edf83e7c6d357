import Imaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How far the rows of print in a picture lean, by the directions in which characters stand beside their nearest neighbours (the
/// document spectrum of O'Gorman, "The document spectrum for page layout analysis", IEEE PAMI 15, 1993).
///
/// Unlike the edges that `DominantTilt` measures it needs no borders or bars, and is not misled by those of a desk.
package struct TextTilt {
  /// Radians, clockwise as seen, -pi/4..<pi/4.
  package let angle: Double
  /// Share of the neighbours that stand within three degrees of that direction, or across it; 0.08 where every direction is alike.
  package let share: Double
  /// How clear that is: the share, less where few neighbours say it.
  package let clearness: Double
  /// Median height of the characters that do, as they stand in the picture, in pixels.
  package let characterSide: Double
  /// The box around these in a picture turned by `angle` about the origin, in its pixels.
  package let box: (left: Double, top: Double, right: Double, bottom: Double)

  /// Sides of what may be a character, in pixels; the farthest neighbour and the least of two sizes, as shares of the larger one's side.
  private static let sides = 5...60
  private static let reach = 2.0
  private static let leastRatio = 0.5
  /// Neighbours of each character that count: those of its own row stand nearest.
  private static let neighbours = 2
  /// Nearest neighbours of which two may stand on opposite sides of a character, as they do inside a row; the greatest cosine of the angle
  /// between both; and how often the direction from one to the other counts: characters have such neighbours more often than blotches
  /// of a patterned ground.
  private static let rowNeighbours = 4
  private static let rowCosine = -0.96
  private static let rowWeight = 2
  /// The most components that are looked at: more are texture, of which a sample tells as much.
  private static let mostComponents = 1200
  /// Directions that say as much as any number: those of a row or two of text.
  private static let sufficient = 60
  private static let bins = 90
  private static let tolerance = 3

  /// One character and a direction in which its row may run.
  private struct Step {
    var component: Component
    var bin: Int
  }

  /// Measures components; nil where hardly any has a neighbour.
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

  /// From one bin to another, the short way round.
  private static func offset(_ bin: Int, _ other: Int) -> Int {
    (bin - other + bins + bins / 2) % bins - bins / 2
  }

  private static func steps(of all: [Component]) -> [Step] {
    let sized = all.filter { sides.contains($0.longestSide) }
    let every = max(1, sized.count / mostComponents)
    let sorted = sized.sorted { $0.centroidX < $1.centroidX }
    return sorted.indices.filter { $0 % every == 0 }.flatMap { steps(from: $0, in: sorted) }
  }

  /// From one component to its nearest neighbours, of those sorted from left to right, and along the row that it stands inside of.
  private static func steps(from index: Int, in sorted: [Component]) -> [Step] {
    let found = offsets(from: index, in: sorted).sorted { $0.length < $1.length }
    let along = row(through: found.prefix(rowNeighbours)).map { [Offset](repeating: $0, count: rowWeight) } ?? []
    return (found.prefix(neighbours) + along).map { Step(component: sorted[index], bin: $0.bin) }
  }

  /// Between the two neighbours that stand most nearly on opposite sides of a component, where any do.
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

  /// To all neighbours of one component that are like it, of those sorted from left to right.
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

  /// From one place to another, in pixels.
  private struct Offset {
    var dx, dy: Double

    var length: Double { (dx * dx + dy * dy).squareRoot() }

    /// Its direction in whole degrees, along a row or across it alike, 0..<90.
    var bin: Int {
      let degrees = atan2(dy, dx) * 180 / .pi
      return Int(degrees - 90 * (degrees / 90).rounded(.down)) % bins
    }

    /// Of the angle between two, -1...1: 1 where either has no length.
    func cosine(with other: Offset) -> Double {
      let lengths = length * other.length
      return lengths > 0 ? (dx * other.dx + dy * other.dy) / lengths : 1
    }
  }
}
