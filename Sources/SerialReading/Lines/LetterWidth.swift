import TextReading

/// Measures how wide the letters of a line are. From the side, rows are foreshortened along or across, and letters look
/// condensed or wide.
package enum LetterWidth {
  /// A kind of text, by the distance between adjacent characters in capital heights.
  private struct Text {
    /// The distance that the recogniser reads best.
    var usual: Float
    /// The range outside which the recogniser makes more errors than after rescaling to the usual width.
    var bearable: ClosedRange<Float>

    /// Measured on 120 generated serials stretched by 0.5 to 2: 80 to 89 % were read at 0.6 to 1.2, 62 % at 0.5, 67 %
    /// at 1.4.
    static let capitals = Text(usual: 0.9, bearable: 0.66...1.25)
    /// Mostly lower-case letters.
    static let running = Text(usual: 0.72, bearable: 0.5...1.12)
  }

  /// Range of the factor by which a line is condensed or widened.
  private static let limits: ClosedRange<Float> = 0.5...1.7
  /// Minimum number of distances, and the mean confidence, 0...100, below which the line counts as texture.
  private static let leastDistances = 6
  private static let leastConfidence: Float = 94

  /// The factor on a line's length that gives its letters the usual width; nil if they have it or if the width is
  /// uncertain. Touching or broken letters make pieces of other widths, so the read text and the pieces must agree.
  ///
  /// - Parameters:
  ///   - pieces: Positions along the line of the pieces by which it was found, in pixels.
  ///   - pieceCapital: Height of its capitals there, in pixels.
  ///   - text: The recognised text of one of its crops.
  ///   - capital: Height of the capitals in that crop, in pixels.
  ///   - isWord: Whether only its capitals and digits count.
  package static func stretch(
    pieces: [Float], pieceCapital: Float, readAs text: TextLine, capital: Float, isWord: Bool
  ) -> Float? {
    guard text.meanConfidence >= leastConfidence, pieceCapital > 0, capital > 0,
      let (kind, distance) = distance(in: text, isWord: isWord),
      let found = median(zip(pieces.sorted(), pieces.sorted().dropFirst()).map { $1 - $0 })
    else { return nil }
    let (read, seen) = (distance / capital, found / pieceCapital)
    guard max(read, seen) < kind.bearable.lowerBound || min(read, seen) > kind.bearable.upperBound else { return nil }
    return min(limits.upperBound, max(limits.lowerBound, kind.usual / read))
  }

  /// Median distance between adjacent characters, in pixels: of adjacent capitals and digits if there are enough.
  private static func distance(in text: TextLine, isWord: Bool) -> (kind: Text, distance: Float)? {
    let pairs = zip(text.symbols, text.symbols.dropFirst())
    let distances = { (pairs: [(Symbol, Symbol)]) in
      median(pairs.map { Float($1.left + $1.right - $0.left - $0.right) / 2 })
    }
    if let distance = distances(pairs.filter { isCapital($0) && isCapital($1) }) { return (.capitals, distance) }
    return isWord ? nil : distances(Array(pairs)).map { (.running, $0) }
  }

  private static func isCapital(_ symbol: Symbol) -> Bool { symbol.character.isUppercase || symbol.character.isNumber }

  private static func median(_ distances: [Float]) -> Float? {
    distances.count >= leastDistances ? Statistics.median(distances) : nil
  }
}

extension LineCrop {
  /// The factor on a line's length that gives its letters the usual width, from a crop that was read; nil if they have
  /// it.
  static func stretch(
    of line: TextSegment, readAs text: TextLine, _ variant: CropVariant, isWord: Bool
  ) -> Float? {
    LetterWidth.stretch(
      pieces: line.x, pieceCapital: line.capitalHeight, readAs: text, capital: capitalHeight / variant.heightFactor,
      isWord: isWord)
  }
}
