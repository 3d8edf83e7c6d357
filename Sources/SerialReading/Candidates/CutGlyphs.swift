import Imaging
import TextReading

/// What runs of columns of one cut may be: each is looked at once, however many texts are laid along the cut.
final class CutGlyphs {
  /// The line as it was cut.
  let line: GrayPicture
  /// Height of its capitals, in pixels.
  let capital: Float
  private let model: GlyphModel
  private var known: [Range<Int>: Glyph?] = [:]

  init(_ line: GrayPicture, capital: Float, _ model: GlyphModel) {
    (self.line, self.capital, self.model) = (line, capital, model)
  }

  /// What a run of columns may be; nil where there is hardly ink.
  ///
  /// - Parameter isParted: Whether it ends where characters touch.
  func glyph(_ columns: Range<Int>, isParted: Bool) -> Glyph? {
    if let known = known[columns] { return known }
    let glyph = Glyph(columns, in: line, model, isParted: isParted)
    known[columns] = .some(glyph)
    return glyph
  }
}
