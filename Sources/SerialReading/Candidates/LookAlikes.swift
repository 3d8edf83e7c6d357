import AppleSerial

/// Characters that serials don't have, and those that were meant.
enum LookAlikes {
  /// What a read character stands for in a serial, and whether it had to be replaced; nil where it can't be one.
  static func fold(_ character: Character) -> (byte: UInt8, replaced: Bool)? {
    guard let byte = character.asciiValue else { return nil }
    if SerialNumber.isInAlphabet(byte) { return (byte, false) }
    switch character {
    case "O", "o": return (UInt8(ascii: "0"), true)
    case "I", "l", "|", "i": return (UInt8(ascii: "1"), true)
    case "(": return (UInt8(ascii: "C"), true)
    case "a": return (UInt8(ascii: "4"), true)
    default:
      let upper = byte & 0xDF
      return character.isLetter && SerialNumber.isInAlphabet(upper) ? (upper, true) : nil
    }
  }
}
