import Imaging

extension TextLineFinder {
  /// Maximum number of bent pieces that are continued: texture has any number of them.
  private static let mostPieces = 40

  /// The lines of text along curves in an image, at most `most`: bent pieces of text, those with most characters first,
  /// continued character by character at both ends.
  func curvedLines(in picture: GrayPicture, most: Int) -> [CurvedLine] {
    let characters = CharacterComponents(
      strokes.mask(of: picture), sides: characterSides.lowerBound...2 * characterSides.upperBound)
    let bent = pieces(of: characters, where: \.isBent).sorted { $0.segment.count > $1.segment.count }
    var growth = CurveGrowth(characters.components)
    var lines: [CurvedLine] = []
    for (segment, middles) in bent.prefix(Self.mostPieces) where lines.count < most {
      let capital = Double(segment.capitalHeight)
      guard let chain = growth.grown(middles, capital: capital), let line = CurvedLine(through: chain, capital: capital)
      else { continue }
      lines.append(line)
    }
    return lines
  }
}

extension TextSegment {
  /// Minimum number of characters of a bent piece, and its minimum bulge in capital heights.
  private static let (leastBent, leastBulge) = (6, 0.35)
  /// Maximum median distance of the characters from a parabola, as a share of that from a straight line.
  private static let shareOfResidual: Float = 0.7

  /// Whether it is bent like text along a curve.
  var isBent: Bool {
    let (x, y) = (x, y)
    guard count >= Self.leastBent,
      let (offset, slope, bend) = Statistics.parabola(x.map(Double.init), y.map(Double.init))
    else { return false }
    let half = Double(length) / 2
    let bulge = abs(bend) * half * half
    guard bulge >= Self.leastBulge * Double(capitalHeight), bulge < 2 * half else { return false }
    let off = Statistics.median(
      zip(x, y).map { x, y in Float(abs(Double(y) - offset - slope * Double(x) - bend * Double(x) * Double(x))) })
    guard let line = Statistics.line(x, y) else { return false }
    let straight = Statistics.median(zip(x, y).map { abs($1 - line.slope * $0 - line.offset) })
    return off <= Self.shareOfResidual * straight && Double(off) <= 0.3 * Double(capitalHeight)
  }
}

/// Extends rows of characters along their curve.
private struct CurveGrowth {
  /// Number of last characters that define the curve, and the maximum number of characters in a line.
  private static let tail = 16
  private static let mostCharacters = 400
  /// Distance range of the next character, and its maximum distance from the curve (near the last character, plus a
  /// slope per pixel from it), in capital heights.
  private static let reach = 0.2...6.0
  private static let off = (near: 0.35, slope: 0.08)
  /// Range of the longer side of a character's box, in capital heights.
  private static let sides = 0.35...4.5
  /// Side of a grid cell, in pixels.
  private static let cell = 32.0

  private let middles: [PlanePoint]
  private let longestSides: [Double]
  private var grid: [Int: [Int]] = [:]
  private var isTaken: [Bool]

  init(_ components: [Component]) {
    middles = components.map {
      PlanePoint(Double($0.x) + Double($0.width) / 2, Double($0.y) + Double($0.height) / 2)
    }
    longestSides = components.map { Double($0.longestSide) }
    isTaken = components.map { _ in false }
    for (index, middle) in middles.enumerated() { grid[Self.key(middle.x, middle.y), default: []].append(index) }
  }

  /// The middles of a line's characters, in order, grown from some of them; nil if these belong to another line.
  mutating func grown(_ piece: [PlanePoint], capital: Double) -> [PlanePoint]? {
    var chain = piece.compactMap { place in near(place, within: 1).first { (middles[$0] - place).length < 0.8 } }
    guard chain.count >= 3, chain.count(where: { isTaken[$0] }) * 2 < chain.count else { return nil }
    var used = Set(chain)
    for _ in 0..<2 {
      while chain.count < Self.mostCharacters, let next = next(after: chain.suffix(Self.tail), used, capital) {
        chain.append(next)
        used.insert(next)
      }
      chain.reverse()
    }
    for index in chain { isTaken[index] = true }
    return chain.map { middles[$0] }
  }

  /// The nearest unused character on the curve of the last ones.
  private func next(after tail: ArraySlice<Int>, _ used: Set<Int>, _ capital: Double) -> Int? {
    guard let last = tail.last, let arc = LocalArc(through: tail.map { middles[$0] }, at: middles[last]) else {
      return nil
    }
    var best: (index: Int, along: Double)?
    for index in near(middles[last], within: Self.reach.upperBound * capital) where !used.contains(index) {
      let (along, off) = arc.position(of: middles[index])
      guard Self.reach.contains(along / capital), Self.sides.contains(longestSides[index] / capital),
        abs(off) < Self.off.near * capital + Self.off.slope * along
      else { continue }
      if along < best?.along ?? .infinity { best = (index, along) }
    }
    return best?.index
  }

  private func near(_ place: PlanePoint, within reach: Double) -> [Int] {
    let (left, right) = (Int((place.x - reach) / Self.cell), Int((place.x + reach) / Self.cell))
    let (top, bottom) = (Int((place.y - reach) / Self.cell), Int((place.y + reach) / Self.cell))
    return (top...bottom).flatMap { row in (left...right).flatMap { grid[row << 20 | $0] ?? [] } }
  }

  private static func key(_ x: Double, _ y: Double) -> Int { Int(y / cell) << 20 | Int(x / cell) }
}

/// A line of text along a curve: around the back of a watch or the foot of a desktop computer, or on a bent label.
package struct CurvedLine {
  /// Points on the line through the characters' middles, each with the text's direction there.
  private var places: [CurvedStrip.Place]
  /// Height of its capitals in pixels, estimated from the boxes around turned characters.
  let capital: Double

  /// Number of characters on each side that define the curve at a character.
  private static let window = 10
  /// Minimum for a curve: characters, radians from end to end, and bulge in capital heights.
  private static let least = (characters: 10, turn: 0.2, bulge: 0.5)
  /// Maximum median distance of the characters from the curve, in capital heights.
  private static let residual = 0.1
  /// Length that a character may take, in capital heights.
  private static let spacing = 0.35...3.0
  /// Minimum advance from one place to the next, in capital heights; a character takes at least 0.35.
  private static let step = 0.2
  /// Extent of the strip beyond the first and last character, and its height, in capital heights.
  private static let margin = 3.5
  private static let stripHeight = 4.4

  /// Fits the curve through characters in their order; nil if it is straight or not text.
  package init?(through middles: [PlanePoint], capital: Double) {
    guard middles.count >= Self.least.characters, capital > 0 else { return nil }
    self.capital = capital
    places = []
    var residuals: [Float] = []
    for index in middles.indices {
      let near = middles[max(0, index - Self.window)...min(middles.count - 1, index + Self.window)]
      guard let arc = LocalArc(through: Array(near), at: middles[index]) else { return nil }
      residuals.append(Float((arc.place - middles[index]).length))
      places.append(CurvedStrip.Place(arc.place, direction: arc.direction))
    }
    places = Self.advancing(places, by: Self.step * capital)
    let length = zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    guard Double(Statistics.median(residuals)) <= Self.residual * capital,
      Self.spacing.contains(length / capital / Double(places.count)), isBent
    else { return nil }
  }

  /// The places that lie ahead of the previous one. The pieces of a broken character may be in any order, and a strip
  /// that goes back shows the same characters twice.
  private static func advancing(_ places: [CurvedStrip.Place], by step: Double) -> [CurvedStrip.Place] {
    places.reduce(into: []) { kept, place in
      guard let last = kept.last else { return kept.append(place) }
      if (place.point - last.point).dot(last.direction) >= step { kept.append(place) }
    }
  }

  /// The strip of an image that holds the line, scaled to a height of its capitals.
  ///
  /// - Parameters:
  ///   - wanted: Height of the capitals in the strip, in pixels.
  ///   - factor: Pixels of that image per pixel of the one in which the line was found.
  package func strip(capital wanted: Double, enlargedBy factor: Double) -> CurvedStrip {
    let scale = wanted / (capital * factor)
    var columns: [CurvedStrip.Place] = []
    let places = extended
    for (from, to) in zip(places, places.dropFirst()) {
      let steps = max(1, Int((from.distance(to: to) * factor * scale).rounded()))
      for step in 0..<steps { columns.append(from.mixed(with: to, Double(step) / Double(steps)).scaled(by: factor)) }
    }
    return CurvedStrip(columns: columns, height: Int(Self.stripHeight * wanted), scale: scale)
  }

  /// Whether it turns and bulges more than a straight line of text does.
  private var isBent: Bool {
    guard let first = places.first, let last = places.last else { return false }
    var turn = 0.0
    for (from, to) in zip(places, places.dropFirst()) { turn += from.direction.cross(to.direction) }
    let chord = last.point - first.point
    let bulge = places.map { abs(chord.cross($0.point - first.point)) / max(1e-6, chord.length) }
    return abs(turn) >= Self.least.turn && (bulge.max() ?? 0) >= Self.least.bulge * capital
  }

  /// The places with one more beyond each end.
  private var extended: [CurvedStrip.Place] {
    let reach = Self.margin * capital
    guard let first = places.first, let last = places.last else { return [] }
    return [first.moved(by: -reach)] + places + [last.moved(by: reach)]
  }
}

extension CurvedStrip.Place {
  fileprivate func distance(to other: Self) -> Double { (other.point - point).length }

  fileprivate func moved(by length: Double) -> Self { Self(point + direction * length, direction: direction) }

  fileprivate func scaled(by factor: Double) -> Self { Self(point * factor, direction: direction) }

  /// Interpolates between this place (0) and another (1).
  fileprivate func mixed(with other: Self, _ share: Double) -> Self {
    let mixed = direction * (1 - share) + other.direction * share
    return Self(
      point * (1 - share) + other.point * share, direction: mixed / max(1e-9, mixed.length))
  }
}

/// The curve through a few characters of a line, near one of them: a parabola over the direction in which they run.
struct LocalArc {
  /// The curve's point nearest the origin of the fit, and its direction there, a unit vector.
  let place: PlanePoint
  let direction: PlanePoint

  private let origin: PlanePoint
  private let along: PlanePoint
  /// The parabola's coefficients.
  private let curve: (offset: Double, slope: Double, bend: Double)

  /// Fits the curve to points in order, by least squares; nil if they have no direction.
  init?(through places: [PlanePoint], at origin: PlanePoint) {
    guard let first = places.first, let last = places.last, places.count >= 3 else { return nil }
    let length = (last - first).length
    guard length > 0 else { return nil }
    let along = (last - first) / length
    let local = places.map { Self.local($0, origin, along) }
    guard let curve = Statistics.parabola(local.map(\.x), local.map(\.y)) else { return nil }
    (self.origin, self.along, self.curve) = (origin, along, curve)
    place = origin + along.down * curve.offset
    direction = (along + curve.slope * along.down) / (1 + curve.slope * curve.slope).squareRoot()
  }

  /// A point's distance along the direction from the origin, and its distance from the curve.
  func position(of other: PlanePoint) -> (along: Double, off: Double) {
    let local = Self.local(other, origin, along)
    return (local.x, local.y - (curve.offset + curve.slope * local.x + curve.bend * local.x * local.x))
  }

  private static func local(_ place: PlanePoint, _ origin: PlanePoint, _ along: PlanePoint) -> PlanePoint {
    PlanePoint(along.dot(place - origin), along.cross(place - origin))
  }
}
