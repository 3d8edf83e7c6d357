extension StringProtocol {
  /// The text without leading and trailing ASCII blanks and line ends. Takes linear time for every text, because it
  /// compares bytes: a `Character` may be a megabyte of combining accents.
  package var trimmed: String {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = utf8.drop(while: isBlank)
    return String(decoding: start.reversed().drop(while: isBlank).reversed(), as: UTF8.self)
  }
}
