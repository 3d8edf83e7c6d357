import AppleSerial

/// Corrects a look-alike in the first five characters of a serial: plant, half-year and week, or plant, year and week,
/// have few valid values.
///
/// A beginning that breaks the grammar was misread. If the plant is unknown but a look-alike makes it a known one, the
/// known one is likelier, because few codes are in use. The list of codes is incomplete, so the look-alike is used only
/// if a reading has it or the readings are undecided. Otherwise the text stays and the place gets a low margin.
package struct LikelyBeginning: Sendable {
  /// The text, with the likeliest beginning.
  package private(set) var text: [UInt8]
  /// The vote's margin at each place, log-odds per reading.
  package private(set) var margins: [Float]

  /// Number of leading characters with a meaning.
  private static let length = 5
  /// Margin from which a place stays as read: a genuine but unlisted `D23` had 3.6, misread places had 3.3 or less.
  private static let clearMargin: Float = 3.45
  /// Margin below which readings are undecided on a character of the plant.
  private static let unsettledMargin: Float = 2
  /// Margin of a place that was or may need to be corrected: too small for acceptance unless its strokes and the second
  /// model confirm the read. A blurred `F4H` was once read as `E4H` in all readings.
  private static let most: Float = 1.5

  /// A replacement of one character.
  private struct Swap {
    var place: Int
    var byte: UInt8
  }

  /// Searches for a likelier beginning that differs in one character from the vote's text.
  ///
  /// - Parameters:
  ///   - text: The vote's text.
  ///   - margins: The vote's margin at each place, log-odds per reading.
  ///   - tallies: The vote's characters at each place.
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
      // Small typefaces have slashed zeros.
      if text[place] == UInt8(ascii: "8"), format.admits(UInt8(ascii: "0"), at: place) {
        alternatives.append(UInt8(ascii: "0"))
      }
      return alternatives.map { Swap(place: place, byte: $0) }
    }
  }

  private static func serial(_ text: [UInt8]) -> SerialNumber? { SerialNumber(String(decoding: text, as: UTF8.self)) }
}
