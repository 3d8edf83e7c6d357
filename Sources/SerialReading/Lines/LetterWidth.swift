import TextReading

/// How wide the letters of a line are: seen from the side, rows are foreshortened along or across, and letters look condensed or wide.
package enum LetterWidth {
  /// A kind of text, by the distances from one of its characters to the next in heights of capitals.
  private struct Text {
    /// What the recogniser reads best.
    var usual: Float
    /// Beyond these it errs more than in letters that were brought to the usual width.
    var bearable: ClosedRange<Float>

    /// Of 120 generated serials seen from the side, each stretched by 0.5 to 2, 80 to 89 % were read at 0.6 to 1.2, 62 % at 0.5, 67 % at 1.4.
    static let capitals = Text(usual: 0.9, bearable: 0.66...1.25)
    /// Most of its letters are small ones.
    static let running = Text(usual: 0.72, bearable: 0.5...1.12)
  }

  /// The most that a line is condensed or widened.
  private static let limits: ClosedRange<Float> = 0.5...1.7
  /// Distances that tell, and the mean confidence, 0...100, below which they are texture's.
  private static let leastDistances = 6
  private static let leastConfidence: Float = 94

  /// The factor on a line's length that brings its letters to the usual width; nil where they have it, or where it can't be told: letters that
  /// touch or break make pieces of other widths, so that what was read must say the same as the pieces.
  ///
  /// - Parameters:
  ///   - pieces: Places of the pieces that the line was found by, along it, in pixels.
  ///   - pieceCapital: Height of its capitals there.
  ///   - text: What a cut of it was read as.
  ///   - capital: Height of the capitals in that cut, in pixels.
  ///   - isWord: Whether it is to be judged by its capitals and digits alone.
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

  /// Median distance from one character to the next, in pixels: of neighbouring capitals and digits where these are enough.
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
  /// The factor on a line's length that brings its letters to the usual width, once a cut of it was read; nil where they have it.
  static func stretch(
    of line: TextSegment, readAs text: TextLine, _ variant: CropVariant, isWord: Bool
  ) -> Float? {
    LetterWidth.stretch(
      pieces: line.x, pieceCapital: line.capitalHeight, readAs: text, capital: capitalHeight / variant.heightFactor,
      isWord: isWord)
  }
}
