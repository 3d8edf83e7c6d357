/// Escapes a file name, or a text containing one, for a terminal or a table cell.
///
/// Escapes control characters, line ends and bidirectional controls (`\n`, `\u{1B}`), so that no name can move the
/// cursor, change colours or start a new line.
///
/// - Parameter keepingLineEnds: Whether to keep line feeds, for a text of several lines.
public func printable(_ text: some StringProtocol, keepingLineEnds: Bool = false) -> String {
  var printed = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0x0A where keepingLineEnds: printed.append(scalar)
    case 0x09: printed.append(contentsOf: "\\t".unicodeScalars)
    case 0x0A: printed.append(contentsOf: "\\n".unicodeScalars)
    case 0x0D: printed.append(contentsOf: "\\r".unicodeScalars)
    // C0, DEL and C1; bidirectional marks and overrides; line and paragraph separators.
    case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
      printed.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
    default: printed.append(scalar)
    }
  }
  return String(printed)
}
