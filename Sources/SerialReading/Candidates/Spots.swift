import ScanModel

/// A text or code in the photo, as a box along its reading direction.
struct PrintedBox {
  /// Its centre, in pixels of the photo as uploaded.
  let middle: (x: Double, y: Double)
  /// Unit vector of its reading direction.
  let direction: (x: Double, y: Double)
  /// Half its length and half its height, in pixels.
  let half: (along: Double, across: Double)

  /// Creates a box from a quadrilateral; nil if it has no extent.
  init?(_ region: Quadrilateral) {
    let corners = region.corners
    guard corners.count == 4 else { return nil }
    func between(_ first: Int, _ second: Int) -> (x: Double, y: Double) {
      ((corners[first].x + corners[second].x) / 2, (corners[first].y + corners[second].y) / 2)
    }
    let (left, right, top, bottom) = (between(0, 3), between(1, 2), between(0, 1), between(3, 2))
    let (length, height) = (distance(left, right), distance(top, bottom))
    guard length > 0, height > 0 else { return nil }
    middle = ((left.x + right.x) / 2, (left.y + right.y) / 2)
    direction = ((right.x - left.x) / length, (right.y - left.y) / length)
    half = (length / 2, height / 2)
  }

  /// Height of its capitals in pixels, if it is text.
  var capital: Double { 2 * half.across * LineCrop.capitalShare }

  /// A point's offset from the centre, along and across the reading direction.
  func offset(of point: (x: Double, y: Double)) -> (along: Double, across: Double) {
    let (x, y) = (point.x - middle.x, point.y - middle.y)
    return (x * direction.x + y * direction.y, y * direction.x - x * direction.y)
  }

  /// Half of another box's extent along and across this one.
  private func halfExtent(of other: PrintedBox) -> (along: Double, across: Double) {
    let cosine = abs(direction.x * other.direction.x + direction.y * other.direction.y)
    let sine = abs(direction.x * other.direction.y - direction.y * other.direction.x)
    return (
      other.half.along * cosine + other.half.across * sine, other.half.along * sine + other.half.across * cosine
    )
  }

  /// Whether both are readings of the same line or code: they share at least `leastShared` of the shorter length and of
  /// the lower height. Printed lines are at least half a capital apart, while a line's crop is almost two capitals
  /// high.
  func isOneLine(with other: PrintedBox) -> Bool {
    let (offset, extent) = (offset(of: other.middle), halfExtent(of: other))
    let along = half.along + extent.along - abs(offset.along)
    let across = half.across + extent.across - abs(offset.across)
    return along >= Self.leastShared * 2 * min(half.along, extent.along)
      && across >= Self.leastShared * 2 * min(half.across, extent.across)
  }

  private static let leastShared = 0.5

  /// Whether a point lies in it.
  func holds(_ point: (x: Double, y: Double)) -> Bool {
    let offset = offset(of: point)
    return abs(offset.along) <= half.along && abs(offset.across) <= half.across
  }

  /// Gap between both boxes in pixels; 0 if they touch.
  func gap(to other: PrintedBox) -> Double {
    let (offset, extent) = (offset(of: other.middle), halfExtent(of: other))
    let along = max(0, abs(offset.along) - half.along - extent.along)
    let across = max(0, abs(offset.across) - half.across - extent.across)
    return (along * along + across * across).squareRoot()
  }
}

/// Groups candidates by their spot in the photo: readings of the same line or code, and a code with the text printed
/// beside it on the same label. Strings compete only within a spot.
struct Spots {
  /// Maximum distance between a code and its printed serial, in heights of the print's capitals.
  private static let reach = 6.0

  /// The spot of each candidate; nil if its place is unknown.
  private(set) var indices: [Int?]

  /// Groups candidates by their places.
  init(_ candidates: [Candidate]) {
    let boxes = candidates.map { $0.region.flatMap(PrintedBox.init) }
    indices = []
    var representatives: [(box: PrintedBox, method: Candidate.Method, spot: Int)] = []
    for (candidate, box) in zip(candidates, boxes) {
      guard let box else {
        indices.append(nil)
        continue
      }
      let known = representatives.first { $0.method == candidate.method && $0.box.isOneLine(with: box) }
      let spot = known?.spot ?? representatives.count
      representatives.append((box, candidate.method, spot))
      indices.append(spot)
    }
    joinCodes(representatives)
  }

  /// Joins each code with the text nearest to it, unless another code is nearer to that text.
  private mutating func joinCodes(_ all: [(box: PrintedBox, method: Candidate.Method, spot: Int)]) {
    let texts = all.filter { $0.method == .tesseract }
    let codes = all.filter { $0.method == .barcode }
    var joined: [Int: Int] = [:]
    for code in codes {
      guard let text = texts.min(by: { $0.box.gap(to: code.box) < $1.box.gap(to: code.box) }),
        text.box.gap(to: code.box) <= Self.reach * text.box.capital,
        let nearest = codes.min(by: { text.box.gap(to: $0.box) < text.box.gap(to: $1.box) }),
        nearest.spot == code.spot
      else { continue }
      joined[code.spot] = text.spot
    }
    indices = indices.map { $0.map { joined[$0] ?? $0 } }
  }
}
