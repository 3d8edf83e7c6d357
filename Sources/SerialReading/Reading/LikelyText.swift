import AppleSerial

/// A vote's text with a probable misread of its beginning corrected.
package struct LikelyText: Sendable {
  package private(set) var text: [UInt8]
  /// The vote's margin at each place, log-odds per reading.
  package private(set) var margins: [Float]
  /// The strokes' opinion on the text; nil if they were not asked or can't be aligned with it.
  package private(set) var opinion: GlyphVote.Opinion?

  /// A vote's text as it was read.
  package init(_ text: [UInt8], margins: [Float]) { (self.text, self.margins) = (text, margins) }

  /// Corrects a vote's text by its margins and its characters at each place, and asks the strokes of the crops about it.
  init(_ text: [UInt8], margins: [Float], tallies: [CharacterTally], strokes: GlyphVote) {
    self.init(text, margins: margins)
    correctBeginning(tallies)
    opinion = strokes.opinion(on: text)
  }
}

extension LikelyText {
  private enum Beginning {
    /// Number of leading characters with a meaning.
    static let length = 5
    /// Margin from which a place stays as read: a genuine but unlisted `D23` had 3.6, misread places had 3.3 or less.
    static let clearMargin: Float = 3.45
    /// Margin below which readings are undecided on a character of the plant.
    static let unsettledMargin: Float = 2
    /// Margin of a place that was or may need to be corrected: too small for acceptance unless its strokes and the second
    /// model confirm the read. A blurred `F4H` was once read as `E4H` in all readings.
    static let most: Float = 1.5
  }

  /// Corrects a look-alike in the first five characters of a serial: plant, half-year and week, or plant, year and week,
  /// have few valid values.
  ///
  /// A beginning that breaks the grammar was misread. If the plant is unknown but a look-alike makes it a known one, the
  /// known one is likelier, because few codes are in use. The list of codes is incomplete, so the look-alike is used only
  /// if a reading has it or the readings are undecided. Otherwise the text stays and the place gets a low margin.
  package mutating func correctBeginning(_ tallies: [CharacterTally]) {
    let serial = SerialNumber(text)
    guard let format = SerialNumber.Format(length: text.count), format != .ten, serial?.hasKnownPlant != true else {
      return
    }
    let swaps = beginningSwaps(format).sorted { margins[$0.place] < margins[$1.place] }
    func first(where isLikelier: (SerialNumber) -> Bool) -> (place: Int, byte: UInt8)? {
      swaps.first { swap in
        var changed = text
        changed[swap.place] = swap.byte
        return SerialNumber(changed).map(isLikelier) ?? false
      }
    }
    guard let swap = first(where: \.hasKnownPlant) ?? (serial == nil ? first { _ in true } : nil) else { return }
    let isSeen = tallies[swap.place].entries.contains { $0.byte == swap.byte }
    let limit = serial == nil || isSeen ? Beginning.clearMargin : Beginning.unsettledMargin
    if margins[swap.place] < limit { text[swap.place] = swap.byte }
    margins[swap.place] = Beginning.most
  }

  /// All look-alikes of the characters that have a meaning.
  private func beginningSwaps(_ format: SerialNumber.Format) -> [(place: Int, byte: UInt8)] {
    (0..<Beginning.length).flatMap { place in
      var alternatives = Confusions.alternatives(to: text[place], at: place, of: format)
      // Small typefaces have slashed zeros.
      if text[place] == UInt8(ascii: "8"), format.admits(UInt8(ascii: "0"), at: place) {
        alternatives.append(UInt8(ascii: "0"))
      }
      return alternatives.map { (place, $0) }
    }
  }
}
