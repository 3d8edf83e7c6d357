import ScanModel

/// A text or a code in the photo, as a box along its direction of reading.
struct PrintedBox {
  /// Its middle, in pixels of the photo as uploaded.
  let middle: (x: Double, y: Double)
  /// The direction in which it reads, of length 1.
  let direction: (x: Double, y: Double)
  /// Half of its length and half of its height, in pixels.
  let half: (along: Double, across: Double)

  /// Takes a quadrilateral; nil where it has no extent.
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

  /// Height of its capitals where it is text, in pixels.
  var capital: Double { 2 * half.across * LineCrop.capitalShare }

  /// Where a point lies from the middle: along the direction of reading and across it.
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

  /// Whether both are readings of the same line, or of the same code: they share this much of the shorter's length and of the lower's
  /// height. Lines of print stand at least half a capital apart, while the cut of a line is almost two capitals high.
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

  /// Pixels between both boxes; 0 where they touch.
  func gap(to other: PrintedBox) -> Double {
    let (offset, extent) = (offset(of: other.middle), halfExtent(of: other))
    let along = max(0, abs(offset.along) - half.along - extent.along)
    let across = max(0, abs(offset.across) - half.across - extent.across)
    return (along * along + across * across).squareRoot()
  }
}

/// Which candidates stand at one spot of the photo: readings of the same line or the same code, and a code with the text that is printed beside
/// it on the same label. Strings compete only there.
struct Spots {
  /// The most distance of a code's serial in print from the code, in heights of the print's capitals.
  private static let reach = 6.0

  /// The spot of each candidate; nil where its place is not known.
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

  /// Joins each code with the text nearest to it, unless that is nearer to another code.
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
