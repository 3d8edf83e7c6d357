import Imaging
import TextReading

/// Classifies and caches runs of columns of one crop, so that each is classified once for all texts aligned with the
/// crop.
final class CutGlyphs {
  /// The line's crop.
  let line: GrayPicture
  /// Height of its capitals, in pixels.
  let capital: Float
  private let model: GlyphModel
  private var known: [Range<Int>: Glyph?] = [:]

  init(_ line: GrayPicture, capital: Float, _ model: GlyphModel) {
    (self.line, self.capital, self.model) = (line, capital, model)
  }

  /// The possible characters of a run of columns; nil if it has almost no ink.
  ///
  /// - Parameters:
  ///   - columns: Columns of the crop.
  ///   - isParted: Whether the run ends at touching characters.
  func glyph(_ columns: Range<Int>, isParted: Bool) -> Glyph? {
    if let known = known[columns] { return known }
    let glyph = Glyph(columns, in: line, model, isParted: isParted)
    known[columns] = .some(glyph)
    return glyph
  }
}
