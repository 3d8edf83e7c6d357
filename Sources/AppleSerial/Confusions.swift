/// The characters that OCR confuses in small print.
public enum Confusions {
  /// Groups of confusable characters, the closest first within each group.
  ///
  /// Measured on etched and printed lines; `G 0 Q 6` and `5 S` are the most frequent.
  public static let groups: [[UInt8]] = [
    "0DQGC6", "8B3", "5S6", "35", "2Z7", "17TL", "4A", "VYU", "MNHW", "KX", "PFR", "EF", "9GQ", "JU",
  ].map { Array($0.utf8) }

  /// Returns the characters that `byte` may be misread from, without itself; empty outside the alphabet.
  public static func alternatives(to byte: UInt8) -> [UInt8] { table[Int(clamping: byte)] }

  /// Whether two characters are confused with each other.
  public static func areConfusable(_ first: UInt8, _ second: UInt8) -> Bool {
    table[Int(clamping: first)].contains(second)
  }

  /// Returns the alternatives that are valid at a position of a serial of `format`.
  public static func alternatives(to byte: UInt8, at position: Int, of format: SerialNumber.Format) -> [UInt8] {
    alternatives(to: byte).filter { format.admits($0, at: position) }
  }

  /// Maps a character outside the alphabet to the one it must be: `O` to `0`; `I`, `l` and `|` to `1`; lower case to
  /// upper.
  ///
  /// - Returns: The byte of the alphabet and whether it was changed; nil if no serial contains the character.
  public static func folded(_ character: Character) -> (byte: UInt8, changed: Bool)? {
    guard let ascii = character.asciiValue else { return nil }
    if SerialNumber.isInAlphabet(ascii) { return (ascii, false) }
    switch character {
    case "O", "o": return (UInt8(ascii: "0"), true)
    case "I", "i", "l", "|", "!": return (UInt8(ascii: "1"), true)
    case "(": return (UInt8(ascii: "C"), true)
    case "a": return (UInt8(ascii: "4"), true)
    case "b"..."z": return (ascii - 32, true)
    default: return nil
    }
  }

  /// Counts the positions at which two texts of the same length differ, and those at which the characters are not
  /// confusable. Nil if the lengths differ.
  public static func differences(_ first: String, _ second: String) -> (all: Int, unlike: Int)? {
    let (a, b) = (Array(first.utf8), Array(second.utf8))
    guard a.count == b.count else { return nil }
    let pairs = zip(a, b).filter { $0 != $1 }
    return (pairs.count, pairs.count { !areConfusable($0, $1) })
  }

  private static let table: [[UInt8]] = (UInt8(0)...255).map { byte in
    var found: [UInt8] = []
    for group in groups where group.contains(byte) {
      found += group.filter { $0 != byte && !found.contains($0) }
    }
    return found
  }
}
