import AppleSerial
import TextReading

/// The words as long as the longer serials, or a little longer, that were read in one photo, by whatever strategy.
package struct LongWords {
  /// With look-alikes taken for what a serial holds.
  private var words: Set<[UInt8]> = []

  /// Mean confidence of a line, 0...100, from which its words are noted.
  private static let leastConfidence: Float = 97
  private static let lengths = 11...14
  /// Characters by which a word may be longer than a serial that is a part of it.
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

  /// Whether a word goes on before or after a serial by a few characters: then that may lack its beginning or end, and be
  /// another serial than the device's. A word too long for a serial may be one with a character doubled; a serial of the greatest length
  /// lacks nothing.
  package func continues(_ serial: String) -> Bool {
    let bytes = Array(serial.utf8)
    guard bytes.count < SerialNumber.Format.twelve.length else { return false }
    return words.contains { word in
      Self.extra.contains(word.count - bytes.count)
        && (word.starts(with: bytes) || word.suffix(bytes.count) == bytes[...])
    }
  }
}
