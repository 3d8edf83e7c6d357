import Foundation
import Imaging

/// Checks by their strokes the two digits that recognisers confuse with full confidence: a flat-topped `3` and a `5`.
///
/// Between the top bar and the middle a `5` has its stroke on the left, a `3` of any typeface on the right.
struct ShapeCheck {
  /// The crop that was read, dark on light.
  let crop: GrayPicture
  /// The columns of each character, in order.
  let characters: [Range<Int>]

  /// Bounds of `lean` beyond which a digit is refuted. The smallest lean of 87 fives on generated screens and labels
  /// was 0.14; nine in ten flat-topped threes read as `5` had less than -0.05. Etched digits lean less.
  private static let leastLeanOfFive = -0.1
  private static let greatestLeanOfThree = 0.47

  /// Minimum lean that confirms a `5`: the greatest of a flat-topped `3` was 0.24.
  private static let fairLeanOfFive = 0.26

  /// Whether a text has digits that this checks.
  static func concerns(_ text: [UInt8]) -> Bool { text.contains(UInt8(ascii: "3")) || text.contains(UInt8(ascii: "5")) }

  /// Whether the strokes refute a `3` or `5` of a text with as many characters.
  func refutes(_ text: [UInt8]) -> Bool {
    guard text.count == characters.count else { return false }
    return zip(text, characters).contains { Self.refutes($0, lean: Self.lean(of: $1, in: crop)) }
  }

  /// Whether a character with this lean can't be this one.
  static func refutes(_ byte: UInt8, lean: Double?) -> Bool {
    guard let lean else { return false }
    return switch byte {
    case UInt8(ascii: "5"): lean < leastLeanOfFive
    case UInt8(ascii: "3"): lean > greatestLeanOfThree
    default: false
    }
  }

  /// Whether a character's lean is too small to confirm it but not small enough to refute it.
  static func leavesOpen(_ byte: UInt8, lean: Double?) -> Bool {
    guard let lean else { return false }
    return byte == UInt8(ascii: "5") && lean < fairLeanOfFive
  }

  /// How much darker a character is on its left than on its right between its top bar and its middle, as a natural
  /// logarithm; nil if it has almost no ink.
  static func lean(of columns: Range<Int>, in crop: GrayPicture) -> Double? {
    let inked = (0..<crop.height).filter { y in columns.contains { crop[$0, y] < 128 } }
    guard let top = inked.first, let bottom = inked.last, bottom - top >= 12, columns.count >= 6 else { return nil }
    let height = Double(bottom - top + 1)
    let rows = (top + Int(0.22 * height))...(top + Int(0.36 * height))
    func darkness(_ from: Double, _ to: Double) -> Double {
      let start = columns.lowerBound + Int((from * Double(columns.count)).rounded())
      let part = start..<max(start + 1, columns.lowerBound + Int((to * Double(columns.count)).rounded()))
      let sum = rows.reduce(0) { sum, y in sum + part.reduce(0) { $0 + 255 - Int(crop[$1, y]) } }
      return Double(sum) / Double(part.count * rows.count)
    }
    // Background is included, so that noise doesn't decide on faint print. The diagonal of a flat-topped 3 passes the
    // middle.
    return log((darkness(0, 0.33) + leanOfNothing) / (darkness(0.42, 0.9) + leanOfNothing))
  }

  /// Added to both sides, so that blank ones have no lean.
  private static let leanOfNothing = 8.0
}
