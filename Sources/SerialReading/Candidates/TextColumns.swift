import Imaging
import TextReading

extension LineCrop {
  /// How far before and after where the recogniser has a text its ink is looked for, in heights of capitals: it places a first character late by
  /// as much as its width.
  private static let searched = 0.6
  /// Columns added before and after where the recogniser has a text of whose ink nothing is known, in heights of capitals.
  private static let unseen = (before: 0.6, after: 0.1)

  /// The greatest width of a character, in heights of capitals.
  private static let widest = 1.5

  /// Where a character ends: the last one of a word is at times given the ink of all words after it.
  func rightEnd(of symbol: Symbol) -> Int { min(symbol.right, symbol.left + Int(Self.widest * capital)) }

  /// The columns that a text takes, all of its characters, by its ink.
  ///
  /// - Parameters:
  ///   - text: As many characters as were read there.
  ///   - left: Where the recogniser has its first one begin, and its last one end.
  func columns(of text: [UInt8], readFrom left: Int, to right: Int) -> Range<Int> {
    let right = max(left, right)
    let reach = Int(Self.searched * capital)
    let ink = LengthProof(picture, columns: max(0, left - reach)...right + reach, capitalHeight: capital)
    if let columns = GlyphVote.columns(of: text, along: ink.pieces, of: picture, capital: Float(capital)) {
      return columns
    }
    let (before, after) = (Int(Self.unseen.before * capital), Int(Self.unseen.after * capital))
    return max(0, left - before)..<max(left + 1, min(picture.width, right + after))
  }
}
