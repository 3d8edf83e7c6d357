import Imaging

/// Counts the characters of a crop by their ink, to prove that none was dropped, doubled or cut off.
package struct LengthProof: Sendable, Equatable {
  /// The fewest and the most characters that the ink can be.
  package var least, greatest: Int
  /// Background before the first and after the last ink, in capital heights; limited by the crop.
  package var groundBefore, groundAfter: Double

  /// Columns of the pieces of ink, from left to right: one character each if the count is proven and none touch.
  package private(set) var pieces: [Range<Int>] = []

  /// Whether the ink confirms a number of characters.
  package enum Verdict: String, Sendable {
    /// The ink can only be this number of characters.
    case proven
    /// The ink can be this number or another.
    case possible
    /// The ink can't be this number.
    case refuted
  }

  /// Minimum background at both ends of a complete string, in capital heights.
  package static let leastGround = 0.3

  /// Whether both ends of the string show background.
  package var showsBothEnds: Bool { groundBefore >= Self.leastGround && groundAfter >= Self.leastGround }

  /// The verdict on a number of characters.
  package func verdict(for count: Int) -> Verdict {
    guard (least...greatest).contains(count) else { return .refuted }
    return least == greatest ? .proven : .possible
  }

  /// Measures a crop of dark text on a light background, at reading size.
  ///
  /// - Parameters:
  ///   - crop: The crop.
  ///   - columns: The columns of the value; ink beyond them belongs to its neighbours.
  ///   - capitalHeight: Height of capitals in the crop, in pixels.
  package init(_ crop: GrayPicture, columns: ClosedRange<Int>, capitalHeight: Double) {
    let blobs = Self.blobs(in: crop, capitalHeight: capitalHeight)
    let value = blobs.filter { $0.upperBound > columns.lowerBound && $0.lowerBound < columns.upperBound }
    guard let first = value.first, let last = value.last else {
      (least, greatest, groundBefore, groundAfter) = (0, 0, 0, 0)
      return
    }
    let before = blobs.last { $0.upperBound <= first.lowerBound }?.upperBound ?? 0
    let after = blobs.first { $0.lowerBound >= last.upperBound }?.lowerBound ?? crop.width
    groundBefore = Double(first.lowerBound - before) / capitalHeight
    groundAfter = Double(after - last.upperBound) / capitalHeight
    (least, greatest) = Self.count(value, capitalHeight: capitalHeight)
    pieces = value
  }

  /// Runs of columns with the ink of characters, without specks and dots.
  private static func blobs(in crop: GrayPicture, capitalHeight: Double) -> [Range<Int>] {
    let middle = Double(crop.height) / 2
    let top = max(0, Int(middle - 0.55 * capitalHeight))
    let bottom = min(crop.height, Int(middle + 0.55 * capitalHeight))
    var blobs: [Range<Int>] = []
    var start: Int?
    var (highest, lowest) = (bottom, top)
    func close(at x: Int) {
      guard let from = start else { return }
      if Double(lowest - highest + 1) >= 0.5 * capitalHeight { blobs.append(from..<x) }
      (start, highest, lowest) = (nil, bottom, top)
    }
    for x in 0..<crop.width {
      var hasInk = false
      for y in top..<bottom where crop[x, y] < 128 {
        hasInk = true
        highest = min(highest, y)
        lowest = max(lowest, y)
      }
      if hasInk { start = start ?? x } else { close(at: x) }
    }
    close(at: crop.width)
    return blobs
  }

  /// The fewest and the most characters that blobs can be: a blob of the usual width is one, a wider one may be several
  /// that touch.
  private static func count(_ blobs: [Range<Int>], capitalHeight: Double) -> (Int, Int) {
    let single = blobs.map { Double($0.count) }.filter { $0 <= 1.1 * capitalHeight }
    let usual = max(0.3 * capitalHeight, median(single) ?? 0.6 * capitalHeight)
    var (least, greatest) = (0, 0)
    for blob in blobs {
      let width = Double(blob.count)
      // A `W` is up to 1.7 times as wide as most characters; two narrow characters that touch, at least 1.25 times.
      least += max(1, Int((width / (1.75 * usual)).rounded(.up)))
      greatest += max(1, Int((width / (0.8 * usual)).rounded(.down)))
    }
    return (least, greatest)
  }

  private static func median(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.sorted()[values.count / 2]
  }
}
