import Imaging
import TextReading

extension TextLine {
  /// Letters that the recogniser may read in one half of a `Q`.
  private static let halves: Set<Character> = ["C", "G", "O", "0", "Q"]
  /// The least number of characters of a word that is checked: that of the shortest serial.
  private static let leastCharacters = 10
  /// How far before a word's first character its ink may begin, in heights of capitals. The recogniser places a first
  /// character late.
  private static let reach = 0.6
  /// The greatest width of a letter, in heights of capitals; two that touch are wider.
  private static let widest = 1.25

  /// The line with each `Q` that was read in halves at a word's beginning, as `CQ`, `GQ` or `QC`, as one letter.
  ///
  /// A `Q` is wide, and no character before it tells the recogniser where it begins. Both halves then lie in one piece of
  /// ink, and the word has fewer pieces than characters that were read.
  ///
  /// - Parameter capital: Height of the crop's capitals, in pixels.
  package func withoutHalvesOfLetters(in crop: GrayPicture, capital: Double) -> TextLine {
    var line = self
    for start in symbols.indices.reversed() where start == 0 || symbols[start].startsWord {
      let extra = halves(from: start, in: crop, capital: capital)
      guard extra > 0 else { continue }
      let halves = start...start + extra
      var letter = symbols[halves].first { $0.character == "Q" } ?? symbols[start]
      (letter.left, letter.right) = (symbols[start].left, symbols[start + extra].right)
      letter.startsWord = symbols[start].startsWord
      line.symbols.replaceSubrange(halves, with: [letter])
      line.lattice?.symbols.replaceSubrange(halves, with: [lattice?.steps(of: start..<start + extra + 1) ?? []])
    }
    return line
  }

  /// The number of characters by which a word's first letter was read too often; 0 if it was read once.
  private func halves(from start: Int, in crop: GrayPicture, capital: Double) -> Int {
    guard symbols[start...].prefix(2).allSatisfy({ Self.halves.contains($0.character) }) else { return 0 }
    let end = symbols[(start + 1)...].firstIndex { $0.startsWord } ?? symbols.endIndex
    let word = symbols[start..<end].filter { $0.character.isLetter || $0.character.isNumber }
    guard word.count > Self.leastCharacters, let first = word.first, let last = word.last else { return 0 }
    let before = start > 0 ? symbols[start - 1].right : 0
    let left = max(0, before, first.left - Int(Self.reach * capital))
    let ink = LengthProof(crop, columns: left...max(left, last.right), capitalHeight: capital)
    let extra = word.count - ink.pieces.count
    guard (1...2).contains(extra), ink.least == ink.pieces.count, let letter = ink.pieces.first,
      Double(letter.count) <= Self.widest * capital
    else { return 0 }
    let halves = word[...extra]
    let lastHalf = word[extra]
    return halves.allSatisfy { Self.halves.contains($0.character) } && halves.contains { $0.character == "Q" }
      && (lastHalf.left + lastHalf.right) / 2 < letter.upperBound ? extra : 0
  }
}

extension TextLine {
  /// The least width of a gap between two words, in heights of capitals: no typeface leaves as much within a word.
  private static let leastGap: Float = 1.2

  /// The line with a word beginning behind each wide gap, such as between the columns of a table. The recogniser overlooks
  /// some, so that a value seems to continue in the next column.
  ///
  /// - Parameter capital: Height of the crop's capitals, in pixels.
  package func withOverlookedSpaces(in crop: GrayPicture, capital: Double) -> TextLine {
    var line = self
    let middles = symbols.map { ($0.left + $0.right) / 2 }
    let runs = InkProfile(crop, capital: Float(capital)).runs
    for (run, next) in zip(runs, runs.dropFirst())
    where Float(next.lowerBound - run.upperBound) >= Self.leastGap * Float(capital) {
      // Faint characters leave such gaps, too.
      let (gap, middle) = (run.upperBound..<next.lowerBound, (run.upperBound + next.lowerBound) / 2)
      guard !middles.contains(where: gap.contains), let first = middles.firstIndex(where: { $0 > middle }) else {
        continue
      }
      line.symbols[first].startsWord = true
    }
    return line
  }
}
