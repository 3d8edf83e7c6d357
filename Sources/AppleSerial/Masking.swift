extension SerialNumber {
  /// The serial with the characters that identify one unit masked, for logs: `C02*****MD6N`.
  public var masked: String { Self.masked(text) }

  /// Masks a text like a serial of its length. A text of another length keeps its first two characters.
  public static func masked(_ text: String) -> String {
    let (head, tail) =
      switch text.count {
      case 12: (3, 4)
      case 11: (2, 3)
      case 10: (2, 1)
      default: (min(2, text.count / 4), 0)
      }
    return text.prefix(head) + String(repeating: "*", count: max(0, text.count - head - tail)) + text.suffix(tail)
  }
}
