import SerialReading
import Testing
import TextReading

/// Covers: stretching a line so that its letters have the width that the recogniser expects.
@Suite struct LetterWidthTests {
  private static let capital: Float = 24

  /// A word whose characters are this many heights of capitals apart.
  private static func word(_ text: String, every distance: Float, confidence: Float = 97) -> TextLine {
    TextLine(
      symbols: text.enumerated().map { index, character in
        let left = Int(Float(index) * distance * capital)
        return Symbol(
          character: character, confidence: confidence, left: left, right: left + 14, startsWord: index == 0)
      })
  }

  /// The stretch of a line by the distances of its pieces, in heights of capitals of 10 pixels, and those of its text.
  private static func stretch(
    pieces: Float, read text: TextLine, isWord: Bool = true
  ) -> Float? {
    LetterWidth.stretch(
      pieces: (0..<12).map { Float($0) * pieces * 10 }, pieceCapital: 10, readAs: text, capital: capital, isWord: isWord
    )
  }

  @Test(arguments: [(Float(0.55), Float(1.64)), (1.5, 0.6), (0.3, 1.7), (2.5, 0.5)])
  func normalizesLetterWidth(distance: Float, expected: Float) throws {
    let stretch = try #require(Self.stretch(pieces: distance, read: Self.word("C02ZK1ABMD6N", every: distance)))
    #expect(abs(stretch - expected) < 0.05)
  }

  @Test(arguments: [Float(0.7), 0.9, 1.2])
  func keepsUsualLetterWidth(distance: Float) {
    #expect(Self.stretch(pieces: distance, read: Self.word("C02ZK1ABMD6N", every: distance)) == nil)
  }

  @Test func requiresPiecesToMatchText() {
    // Touching letters form few pieces, broken ones many.
    #expect(Self.stretch(pieces: 1.6, read: Self.word("C02ZK1ABMD6N", every: 0.9)) == nil)
    #expect(Self.stretch(pieces: 0.4, read: Self.word("C02ZK1ABMD6N", every: 0.9)) == nil)
    #expect(Self.stretch(pieces: 0.5, read: Self.word("C02ZK1ABMD6N", every: 1.5)) == nil)
  }

  @Test func unclearTextGivesNoWidth() {
    #expect(Self.stretch(pieces: 0.5, read: Self.word("C02ZK1ABMD6N", every: 0.5, confidence: 88)) == nil)
    #expect(Self.stretch(pieces: 0.5, read: Self.word("C02ZK", every: 0.5)) == nil)
    #expect(Self.stretch(pieces: 0.5, read: TextLine(symbols: [])) == nil)
  }

  @Test func expectsNarrowerSmallLetters() throws {
    let text = Self.word("assembledinchina", every: 0.6)
    #expect(Self.stretch(pieces: 0.6, read: text, isWord: true) == nil)
    #expect(Self.stretch(pieces: 0.6, read: text, isWord: false) == nil)
    let narrow = Self.word("assembledinchina", every: 0.36)
    let stretch = try #require(Self.stretch(pieces: 0.36, read: narrow, isWord: false))
    #expect(abs(stretch - 1.7) < 0.31)
  }
}
