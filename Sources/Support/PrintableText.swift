/// A name that somebody gave a file, or a text with one in it, for a terminal or a cell of a table: control characters, line
/// ends and characters that turn the direction of writing are escaped (`\n`, `\u{1B}`), so that no name moves the cursor,
/// changes colours or begins a line of its own.
///
/// - Parameter keepingLineEnds: Whether line feeds stay, as in a text of several lines.
public func printable(_ text: some StringProtocol, keepingLineEnds: Bool = false) -> String {
  var printed = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0x0A where keepingLineEnds: printed.append(scalar)
    case 0x09: printed.append(contentsOf: "\\t".unicodeScalars)
    case 0x0A: printed.append(contentsOf: "\\n".unicodeScalars)
    case 0x0D: printed.append(contentsOf: "\\r".unicodeScalars)
    // C0, DEL and C1; marks and overrides of direction; line and paragraph separators.
    case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
      printed.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
    default: printed.append(scalar)
    }
  }
  return String(printed)
}
