import AppleSerial

/// Puts right a look-alike in the first five characters of a serial: plant, half-year and week, or plant, year and week, admit few.
///
/// What breaks the grammar there was misread. Where a plant is not known but a look-alike makes it one that is, that is likelier, since few codes are
/// in use and these begin most serials; but nobody has listed all codes, so that the look-alike takes the place only where a reading has it, or
/// where the readings can't tell. Else the place is doubted, and stays as it was read.
package struct LikelyBeginning: Sendable {
  /// The text, with the likeliest beginning.
  package private(set) var text: [UInt8]
  /// The vote's margin of each place, log-odds a reading.
  package private(set) var margins: [Float]

  /// How many characters at the beginning have a meaning.
  private static let length = 5
  /// Margin of a place from which it is left as it was read: a `D23` that was none of the known stood at 3.6, the misread places at 3.3 or
  /// less.
  private static let clearMargin: Float = 3.45
  /// Margin of a place of a plant below which readings can't tell it.
  private static let unsettledMargin: Float = 2
  /// Margin of a place that was put right, or might have to be: too little for a read to be accepted unless its
  /// strokes and the second model bear it out. A blurred `F4H` was once read as `E4H` without doubt.
  private static let most: Float = 1.5

  /// A character in place of another.
  private struct Swap {
    var place: Int
    var byte: UInt8
  }

  /// Looks for a likelier beginning that differs in one character from what a vote has.
  ///
  /// - Parameter tallies: What the vote has at each place.
  package init(_ text: [UInt8], margins: [Float], tallies: [CharacterTally] = []) {
    (self.text, self.margins) = (text, margins)
    let serial = Self.serial(text)
    guard let format = SerialNumber.Format(length: text.count), format != .ten, serial?.hasKnownPlant != true else {
      return
    }
    let swaps = Self.swaps(in: text, format).sorted { margins[$0.place] < margins[$1.place] }
    func first(where isLikelier: (SerialNumber) -> Bool) -> Swap? {
      swaps.first { swap in
        var changed = text
        changed[swap.place] = swap.byte
        return Self.serial(changed).map(isLikelier) ?? false
      }
    }
    guard let swap = first(where: \.hasKnownPlant) ?? (serial == nil ? first { _ in true } : nil) else { return }
    let isSeen = tallies.indices.contains(swap.place) && tallies[swap.place].entries.contains { $0.byte == swap.byte }
    let limit = serial == nil || isSeen ? Self.clearMargin : Self.unsettledMargin
    if margins[swap.place] < limit { self.text[swap.place] = swap.byte }
    self.margins[swap.place] = Self.most
  }

  /// All look-alikes of the characters that have a meaning.
  private static func swaps(in text: [UInt8], _ format: SerialNumber.Format) -> [Swap] {
    (0..<length).flatMap { place in
      var alternatives = Confusions.alternatives(to: text[place], at: place, of: format)
      // Small faces have zeros with a slash.
      if text[place] == UInt8(ascii: "8"), format.admits(UInt8(ascii: "0"), at: place) {
        alternatives.append(UInt8(ascii: "0"))
      }
      return alternatives.map { Swap(place: place, byte: $0) }
    }
  }

  private static func serial(_ text: [UInt8]) -> SerialNumber? { SerialNumber(String(decoding: text, as: UTF8.self)) }
}
