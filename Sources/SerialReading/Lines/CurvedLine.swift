import Imaging

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

  /// The places that lie ahead of the previous one. The pieces of a broken character may be in any order, and a strip
  /// that goes back shows the same characters twice.
  private static func advancing(_ places: [CurvedStrip.Place], by step: Double) -> [CurvedStrip.Place] {
    places.reduce(into: []) { kept, place in
      guard let last = kept.last else { return kept.append(place) }
      let ahead = (place.x - last.x) * last.directionX + (place.y - last.y) * last.directionY
      if ahead >= step { kept.append(place) }
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
    for (from, to) in zip(places, places.dropFirst()) {
      turn += from.directionX * to.directionY - from.directionY * to.directionX
    }
    let chord = max(1e-6, first.distance(to: last))
    let bulge = places.map { place in
      abs((last.x - first.x) * (place.y - first.y) - (last.y - first.y) * (place.x - first.x)) / chord
    }
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

  /// Interpolates between this place (0) and another (1).
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
