import Imaging
import TextReading

extension LineCrop {
  /// How far the ink of a text is searched beyond the recogniser's bounds, in capital heights: the recogniser places a
  /// first character late by up to its width.
  private static let searched = 0.6
  /// Columns added before and after the recogniser's bounds if the text's ink was not found, in capital heights.
  private static let unseen = (before: 0.6, after: 0.1)

  /// Maximum width of a character, in capital heights.
  private static let widest = 1.5

  /// The right end of a character. The recogniser sometimes gives the last character of a word the ink of all words
  /// after it.
  func rightEnd(of symbol: Symbol) -> Int { min(symbol.right, symbol.left + Int(Self.widest * capital)) }

  /// The columns that all characters of a text cover, by its ink.
  ///
  /// - Parameters:
  ///   - text: As many characters as were read there.
  ///   - left: Where the first character begins, according to the recogniser.
  ///   - right: Where the last character ends, according to the recogniser.
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
