import Imaging

/// Checks by their strokes the two digits that readers mix up with full confidence: a `3` with a flat top and a `5`.
///
/// Between the top bar and the middle a `5` has its stroke on the left, a `3` of any typeface on the right.
struct ShapeCheck {
  /// The crop that was read, dark on light.
  let crop: GrayPicture
  /// The columns of each character, in order.
  let characters: [Range<Int>]

  /// Ink on one side must exceed that on the other by this factor to refute a digit.
  private static let clearFactor = 1.6

  /// Whether a text has digits that are checked.
  static func concerns(_ text: [UInt8]) -> Bool { text.contains(UInt8(ascii: "3")) || text.contains(UInt8(ascii: "5")) }

  /// Whether the strokes refute a `3` or a `5` of a text with as many characters.
  func refutes(_ text: [UInt8]) -> Bool {
    guard text.count == characters.count else { return false }
    return zip(text, characters).contains { byte, columns in
      switch byte {
      case UInt8(ascii: "5"): refutes(columns, strokeIsLeft: true)
      case UInt8(ascii: "3"): refutes(columns, strokeIsLeft: false)
      default: false
      }
    }
  }

  private func refutes(_ columns: Range<Int>, strokeIsLeft: Bool) -> Bool {
    let inked = (0..<crop.height).filter { y in columns.contains { crop[$0, y] < 128 } }
    guard let top = inked.first, let bottom = inked.last, bottom - top >= 12, columns.count >= 6 else { return false }
    let height = Double(bottom - top + 1)
    let rows = (top + Int(0.22 * height))...(top + Int(0.36 * height))
    func darkness(_ from: Double, _ to: Double) -> Double {
      let start = columns.lowerBound + Int((from * Double(columns.count)).rounded())
      let part = start..<max(start + 1, columns.lowerBound + Int((to * Double(columns.count)).rounded()))
      let sum = rows.reduce(0) { sum, y in sum + part.reduce(0) { $0 + 255 - Int(crop[$1, y]) } }
      return Double(sum) / Double(part.count * rows.count)
    }
    // The ground counts too, so that faint print is not judged by noise. The diagonal of a flat 3 passes the middle.
    let (left, right) = (darkness(0, 0.33), darkness(0.42, 0.9))
    return strokeIsLeft ? right > Self.clearFactor * left : left > Self.clearFactor * right
  }
}
