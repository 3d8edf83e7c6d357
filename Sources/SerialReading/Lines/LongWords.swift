import AppleSerial
import TextReading

/// The words as long as the longer serials that were read in one photo, by whatever strategy.
package struct LongWords {
  /// With look-alikes taken for what a serial holds.
  private var words: Set<[UInt8]> = []

  /// Mean confidence of a line, 0...100, from which its words are noted.
  private static let leastConfidence: Float = 97
  private static let lengths = 11...12

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

  /// Whether a word goes on before or after a serial by one or two characters: then that may lack its beginning or end, and be
  /// another serial than the device's.
  package func continues(_ serial: String) -> Bool {
    let bytes = Array(serial.utf8)
    return words.contains { word in
      (1...2).contains(word.count - bytes.count) && (word.starts(with: bytes) || word.suffix(bytes.count) == bytes[...])
    }
  }
}
