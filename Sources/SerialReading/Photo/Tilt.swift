import Foundation
import Imaging

/// A histogram of directions modulo a right angle, in even bins: print has strokes along its rows and across them.
private struct DirectionHistogram {
  static let rightAngle = 90.0
  let weights: [Double]

  /// The weight of the directions within some bins of one.
  func weight(around bin: Int, _ reach: Int) -> Double {
    (-reach...reach).reduce(0) { $0 + weights[wrapped(bin + $1)] }
  }

  /// The bin with most weight around it.
  func peak(_ reach: Int) -> Int {
    weights.indices.max { weight(around: $0, reach) < weight(around: $1, reach) } ?? 0
  }

  /// The mean direction within some bins of one, in degrees, -45..<45.
  func degrees(around bin: Int, _ reach: Int) -> Double {
    var (sum, weight) = (0.0, 0.0)
    for offset in -reach...reach {
      let value = weights[wrapped(bin + offset)]
      sum += Double(offset) * value
      weight += value
    }
    let place = Double(bin) + 0.5 + (weight > 0 ? sum / weight : 0)
    let degrees = place / (Double(weights.count) / Self.rightAngle)
    return degrees >= Self.rightAngle / 2 ? degrees - Self.rightAngle : degrees
  }

  /// The signed distance from one bin to another, the short way round.
  func offset(_ bin: Int, from other: Int) -> Int { wrapped(bin - other + weights.count / 2) - weights.count / 2 }

  private func wrapped(_ bin: Int) -> Int { (bin + weights.count) % weights.count }
}

/// The dominant angle of a picture's edges against its sides. Print, bars and borders of labels all share it.
struct DominantTilt {
  /// Degrees, clockwise as seen, -45..<45.
  let degrees: Double
  /// The share of the gradients' energy within three degrees of it; 0.08 if all directions are alike.
  let share: Double

  /// Whether the picture has a dominant direction.
  var isClear: Bool { share > Self.leastClear }

  private static let leastClear = 0.2
  /// Bins per degree, and the distances in bins within which gradients count for the peak, its mean, and its share.
  private static let (binsPerDegree, reach) = (2, (peak: 3, mean: 4, share: 6))
  /// The least gradient that counts, as the Sobel operator gives it.
  private static let leastGradient = 80

  /// Measures the gradients of a small picture; about 640 pixels a side are enough.
  init(of picture: GrayPicture) {
    let histogram = DirectionHistogram(weights: Self.histogram(of: picture))
    let total = histogram.weights.reduce(0, +)
    guard total > 0 else {
      (degrees, share) = (0, 0)
      return
    }
    let peak = histogram.peak(Self.reach.peak)
    degrees = histogram.degrees(around: peak, Self.reach.mean)
    share = histogram.weight(around: peak, Self.reach.share) / total
  }

  /// The gradients' energy by direction.
  private static func histogram(of picture: GrayPicture) -> [Double] {
    let (width, height) = (picture.width, picture.height)
    let rightAngle = DirectionHistogram.rightAngle
    var histogram = [Double](repeating: 0, count: Int(rightAngle) * binsPerDegree)
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
          guard energy > leastGradient * leastGradient else { continue }
          var degrees = atan2(Double(down), Double(across)) * 180 / .pi
          if degrees < 0 { degrees += 2 * rightAngle }
          if degrees >= rightAngle { degrees -= rightAngle }
          histogram[min(histogram.count - 1, Int(degrees * Double(binsPerDegree)))] += Double(energy).squareRoot()
        }
      }
    }
    return histogram
  }
}

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
  /// Number of directions below which there is none.
  private static let leastSteps = 20
  /// Number of bins in a right angle, and the distance within which directions are those of the same rows.
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
    guard steps.count >= Self.leastSteps else { return nil }
    var counts = [Double](repeating: 0, count: Self.bins)
    for step in steps { counts[step.bin] += 1 }
    let histogram = DirectionHistogram(weights: counts)
    let peak = histogram.peak(Self.tolerance)
    let members = steps.filter { abs(histogram.offset($0.bin, from: peak)) <= Self.tolerance }
    let angle = histogram.degrees(around: peak, Self.tolerance) * .pi / 180
    self.angle = angle
    share = Double(members.count) / Double(steps.count)
    clearness = share * min(1, Double(members.count) / Double(Self.sufficient))
    characterSide = Double(Statistics.median(members.map { Float($0.component.longestSide) }))
    let direction = PlanePoint(cos(angle), sin(angle))
    let across = members.map { direction.dot($0.component.centroid) }
    let down = members.map { direction.cross($0.component.centroid) }
    box = (across.min() ?? 0, down.min() ?? 0, across.max() ?? 0, down.max() ?? 0)
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
    let along = row(through: found.prefix(rowNeighbours)).map { [PlanePoint](repeating: $0, count: rowWeight) } ?? []
    return (found.prefix(neighbours) + along).map { Step(component: sorted[index], bin: bin(of: $0)) }
  }

  /// The offset between the two neighbours most nearly on opposite sides of a component; nil if there are none.
  private static func row(through neighbours: ArraySlice<PlanePoint>) -> PlanePoint? {
    var straightest: (cosine: Double, offset: PlanePoint)?
    for (number, one) in neighbours.enumerated() {
      for other in neighbours.prefix(number) {
        let lengths = one.length * other.length
        let cosine = lengths > 0 ? one.dot(other) / lengths : 1
        if cosine < straightest?.cosine ?? rowCosine { straightest = (cosine, one - other) }
      }
    }
    return straightest?.offset
  }

  /// The offsets from one component to all similar neighbours. Components are sorted from left to right.
  private static func offsets(from index: Int, in sorted: [Component]) -> [PlanePoint] {
    let own = sorted[index]
    var found: [PlanePoint] = []
    let farthest = Double(own.longestSide) * reach / leastRatio
    for direction in [-1, 1] {
      var other = index + direction
      while sorted.indices.contains(other), abs(Double(sorted[other].centroidX - own.centroidX)) <= farthest {
        let candidate = sorted[other]
        let offset = PlanePoint(
          Double(candidate.centroidX - own.centroidX), Double(candidate.centroidY - own.centroidY))
        let (small, large) = (
          Double(min(own.longestSide, candidate.longestSide)), Double(max(own.longestSide, candidate.longestSide))
        )
        if small >= leastRatio * large, offset.length <= reach * large { found.append(offset) }
        other += direction
      }
    }
    return found
  }

  /// The direction of an offset in whole degrees modulo 90, 0..<90: along and across a row are equal.
  private static func bin(of offset: PlanePoint) -> Int {
    let (degrees, rightAngle) = (atan2(offset.y, offset.x) * 180 / .pi, DirectionHistogram.rightAngle)
    return Int(degrees - rightAngle * (degrees / rightAngle).rounded(.down)) % bins
  }
}

extension Component {
  fileprivate var centroid: PlanePoint { PlanePoint(Double(centroidX), Double(centroidY)) }
}

/// The change of the lines' slope over an image taken at an angle: a plane fitted to the slopes of its longer lines.
struct RowSlope: Sendable {
  private var base, alongX, alongY: Float

  /// Least number of lines, and of characters and capital heights in each.
  private static let (leastLines, leastCharacters, leastLength): (Int, Int, Float) = (4, 7, 5)
  /// Greatest difference from the median slope at first; then from the plane, at least and in median residuals.
  private static let (mostOff, residual): (Float, (least: Float, factor: Float)) = (0.08, (0.01, 1.5))
  /// Pixels per unit of the coefficients, greatest number of characters for which a line counts, and the ridge term.
  private static let (unit, mostWeight, ridge): (Float, Int, Float) = (1000, 30, 0.5)
  /// The number of coefficients, and the least pivot that determines one.
  private static let (unknowns, leastPivot): (Int, Float) = (3, 1e-6)

  /// Fits the plane; nil if too few lines agree.
  init?(_ lines: [TextSegment]) {
    let long = lines.filter {
      $0.count >= Self.leastCharacters && $0.length >= Self.leastLength * $0.capitalHeight
    }
    guard long.count >= Self.leastLines else { return nil }
    let median = Statistics.median(long.map(\.slope))
    var kept = long.filter { abs($0.slope - median) < Self.mostOff }
    (base, alongX, alongY) = (median, 0, 0)
    for _ in 0..<2 {
      guard kept.count >= Self.leastLines, let plane = Self.plane(kept) else { return nil }
      (base, alongX, alongY) = plane
      let residuals = long.map { abs(slope(x: $0.medianX, y: $0.medianY) - $0.slope) }
      let limit = max(Self.residual.least, Self.residual.factor * Statistics.median(residuals))
      kept = zip(long, residuals).filter { $0.1 < limit }.map(\.0)
    }
  }

  /// The slope of a line at a place, given in pixels.
  func slope(x: Float, y: Float) -> Float { base + alongX * x / Self.unit + alongY * y / Self.unit }

  /// Weighted least squares of slope = a + b x + c y. A small ridge term keeps the plane
  /// flat if all lines stand in one place.
  private static func plane(_ lines: [TextSegment]) -> (Float, Float, Float)? {
    // The last column is the right side of the equations.
    var matrix = [[Float]](repeating: [Float](repeating: 0, count: unknowns + 1), count: unknowns)
    for line in lines {
      let row: [Float] = [1, line.medianX / unit, line.medianY / unit]
      let weight = Float(min(line.count, mostWeight))
      for i in row.indices {
        for j in row.indices { matrix[i][j] += weight * row[i] * row[j] }
        matrix[i][unknowns] += weight * row[i] * line.slope
      }
    }
    for i in 1..<unknowns { matrix[i][i] += ridge }
    for pivot in matrix.indices {
      guard abs(matrix[pivot][pivot]) > leastPivot else { return nil }
      for other in matrix.indices where other != pivot {
        let factor = matrix[other][pivot] / matrix[pivot][pivot]
        for column in pivot...unknowns { matrix[other][column] -= factor * matrix[pivot][column] }
      }
    }
    let solution = matrix.indices.map { matrix[$0][unknowns] / matrix[$0][$0] }
    return (solution[0], solution[1], solution[2])
  }
}
