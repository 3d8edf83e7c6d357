import AppleSerial
import TextReading

/// The words read in one photo, by any strategy, that are as long as the longer serials or slightly longer.
package struct LongWords {
  /// The words, with look-alikes folded to the characters of serials.
  private var words: Set<[UInt8]> = []

  /// Mean confidence of a line, 0...100, from which its words are noted.
  private static let leastConfidence: Float = 97
  private static let lengths = 11...14
  /// Number of characters by which a word may exceed a serial contained in it.
  private static let extra = 1...4

  package init() {}

  /// Notes the words of a line.
  package mutating func note(_ line: TextLine) {
    guard line.meanConfidence >= Self.leastConfidence else { return }
    let symbols = line.symbols
    let starts = symbols.indices.filter { $0 == 0 || symbols[$0].startsWord } + [symbols.count]
    for (start, end) in zip(starts, starts.dropFirst()) where Self.lengths.contains(end - start) {
      let bytes = symbols[start..<end].compactMap { Confusions.folded($0.character)?.byte }
      if bytes.count == end - start { words.insert(bytes) }
    }
  }

  /// Whether a word extends a serial by a few characters at either end. The serial may then be incomplete, and another
  /// one than the device's. A word too long for a serial may be one with a doubled character. A serial of the maximum
  /// length is never incomplete.
  package func continues(_ serial: String) -> Bool {
    let bytes = Array(serial.utf8)
    guard bytes.count < SerialNumber.Format.twelve.length else { return false }
    return words.contains { word in
      Self.extra.contains(word.count - bytes.count)
        && (word.starts(with: bytes) || word.suffix(bytes.count) == bytes[...])
    }
  }
}
