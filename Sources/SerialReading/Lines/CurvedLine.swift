import Imaging

/// A line of text along a curve: around the back of a watch or the foot of a desktop computer, or on a label that is bent.
package struct CurvedLine {
  /// A place on the line that runs through the characters' middles, and the direction of the text there.
  private var places: [CurvedStrip.Place]
  /// Height of its capitals in pixels, as far as boxes around turned characters tell.
  let capital: Double

  /// Characters on both sides by whose middles the curve is drawn through one.
  private static let window = 10
  /// The least that counts as curved: characters, radians from end to end, and heights of capitals that the line bulges.
  private static let least = (characters: 10, turn: 0.2, bulge: 0.5)
  /// Characters' median distance from the curve, at most, in heights of capitals.
  private static let residual = 0.1
  /// Length in heights of capitals that a character may take.
  private static let spacing = 0.35...3.0
  /// The least that a place lies ahead of the one before, in heights of capitals: a character takes 0.35 at least.
  private static let step = 0.2
  /// How far the strip goes on beyond the first and the last character, in heights of capitals, and how high it is.
  private static let margin = 3.5
  private static let stripHeight = 4.4

  /// The curve through characters in their order; nil where it is no curve, or no text.
  package init?(through middles: [PlanePoint], capital: Double) {
    guard middles.count >= Self.least.characters, capital > 0 else { return nil }
    self.capital = capital
    places = []
    var residuals: [Float] = []
    for index in middles.indices {
      let near = middles[max(0, index - Self.window)...min(middles.count - 1, index + Self.window)]
      guard let arc = LocalArc(through: Array(near), at: middles[index]) else { return nil }
      residuals.append(Float(distance(arc.place, middles[index])))
      places.append(
        CurvedStrip.Place(
          x: arc.place.x, y: arc.place.y, directionX: arc.direction.x, directionY: arc.direction.y))
    }
    places = Self.advancing(places, by: Self.step * capital)
    let length = zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    guard Double(Statistics.median(residuals)) <= Self.residual * capital,
      Self.spacing.contains(length / capital / Double(places.count)), isBent
    else { return nil }
  }

  /// Those places that lie ahead of the one before: the pieces of a broken character may be in any order, and a strip that goes back
  /// shows the same characters twice.
  private static func advancing(_ places: [CurvedStrip.Place], by step: Double) -> [CurvedStrip.Place] {
    places.reduce(into: []) { kept, place in
      guard let last = kept.last else { return kept.append(place) }
      let ahead = (place.x - last.x) * last.directionX + (place.y - last.y) * last.directionY
      if ahead >= step { kept.append(place) }
    }
  }

  /// The strip of a picture that holds it, in which its capitals have about so many pixels.
  ///
  /// - Parameter factor: Pixels of that picture for each of the one it was found in.
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

  /// Whether it turns, and bulges, more than a straight line of text would.
  private var isBent: Bool {
    guard let first = places.first, let last = places.last else { return false }
    var turn = 0.0
    for (from, to) in zip(places, places.dropFirst()) {
      turn += from.directionX * to.directionY - from.directionY * to.directionX
    }
    let chord = max(1e-6, first.distance(to: last))
    let bulge = places.map { place in
      abs((last.x - first.x) * (place.y - first.y) - (last.y - first.y) * (place.x - first.x)) / chord
    }
    return abs(turn) >= Self.least.turn && (bulge.max() ?? 0) >= Self.least.bulge * capital
  }

  /// The places with some more beyond both ends.
  private var extended: [CurvedStrip.Place] {
    let reach = Self.margin * capital
    guard let first = places.first, let last = places.last else { return [] }
    return [first.moved(by: -reach)] + places + [last.moved(by: reach)]
  }
}

extension CurvedStrip.Place {
  fileprivate func distance(to other: Self) -> Double { SerialReading.distance((x, y), (other.x, other.y)) }

  fileprivate func moved(by length: Double) -> Self {
    var place = self
    place.x += directionX * length
    place.y += directionY * length
    return place
  }

  fileprivate func scaled(by factor: Double) -> Self {
    var place = self
    place.x *= factor
    place.y *= factor
    return place
  }

  /// A place between this (0) and another (1).
  fileprivate func mixed(with other: Self, _ share: Double) -> Self {
    let (x, y) = (
      directionX * (1 - share) + other.directionX * share, directionY * (1 - share) + other.directionY * share
    )
    let length = max(1e-9, (x * x + y * y).squareRoot())
    return Self(
      x: self.x * (1 - share) + other.x * share, y: self.y * (1 - share) + other.y * share, directionX: x / length,
      directionY: y / length)
  }
}
