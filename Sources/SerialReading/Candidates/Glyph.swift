import Imaging
import TextReading

/// The possible characters of a piece of ink, of two adjacent pieces, or of part of one.
struct Glyph {
  var columns: Range<Int>
  /// Natural logarithms of the characters' probabilities.
  var logs: [Float]
  /// Whether it was split from characters that it touches.
  var isParted: Bool

  init?(_ columns: Range<Int>, in picture: GrayPicture, _ model: GlyphModel, isParted: Bool = false) {
    guard let logs = model.logProbabilities(of: columns, in: picture) else { return nil }
    (self.columns, self.logs, self.isParted) = (columns, logs, isParted)
  }

  /// Log-odds of a `3` against a `5`: the network's, adjusted by the stroke's lean.
  func threeOverFive(lean: Double?) -> Float {
    logs[Self.three] - logs[Self.five] - Self.weightOfLean * Float(lean ?? 0)
  }

  private static let three = GlyphModel.alphabet.firstIndex(of: UInt8(ascii: "3")) ?? 0
  private static let five = GlyphModel.alphabet.firstIndex(of: UInt8(ascii: "5")) ?? 0
  /// Weight of the lean. All weights from 4 to 20 separate threes from fives equally well on the images that
  /// `FlatThrees` was fitted on.
  private static let weightOfLean: Float = 8

  /// Margin of a character: the natural logarithm of its probability minus that of the likeliest other one.
  func margin(of byte: UInt8, at own: Int, lean: Double?) -> Float {
    if ShapeCheck.refutes(byte, lean: lean) { return -GlyphVote.greatestMargin }
    let other = logs.indices.filter { $0 != own }.map { logs[$0] }.max() ?? 0
    let greatest = ShapeCheck.leavesOpen(byte, lean: lean) ? 0 : GlyphVote.greatestMargin
    return min(greatest, max(-GlyphVote.greatestMargin, logs[own] - other))
  }
}
