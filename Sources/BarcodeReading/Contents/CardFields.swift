/// Parses contacts and the cards that phones know: vCard, iCalendar, MECARD and similar formats.
enum CardFields {
  /// The properties of a vCard or an event (RFC 6350, RFC 5545; vCard 2.1), unfolded and decoded.
  ///
  /// - Returns: nil if the text is not such a card.
  static func properties(_ bytes: ArraySlice<UInt8>) -> [CodeField]? {
    guard hasPrefix(bytes, "BEGIN:V") else { return nil }
    return contentLines(bytes).compactMap { line in
      guard let colon = colon(in: line) else { return nil }
      let head = line[..<colon].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      guard let group = head.first else { return nil }
      let name = text(group.split(separator: UInt8(ascii: ".")).last ?? group).uppercased()
      let parameters = head.dropFirst().map { text($0).uppercased() }
      let isBinary = parameters.contains { $0.hasSuffix("BASE64") || $0 == "ENCODING=B" }
      guard !isBinary, !otherProperties.contains(name) else { return nil }
      let value = line[colon...].dropFirst()
      let isQuoted = parameters.contains { $0.hasSuffix(quotedPrintable) }
      let decoded = isQuoted ? Escapes.quotedPrintableDecoded(value) : Array(value)
      return CodeField(name: fieldName(name), Escapes.backslashDecoded(decoded[...]))
    }
  }

  /// The `NAME:value;` fields of `MECARD:`, `MATMSG:` and similar formats, in which a backslash escapes. Names and
  /// passwords of networks are left out.
  ///
  /// - Returns: nil if the text is not such a card.
  static func semicolons(_ bytes: ArraySlice<UInt8>) -> [CodeField]? {
    if ["WIFI:", "DPP:"].contains(where: { hasPrefix(bytes, $0) }) { return [] }
    guard let prefix = ["MECARD:", "BIZCARD:", "MATMSG:", "MEBKM:"].first(where: { hasPrefix(bytes, $0) }) else {
      return nil
    }
    return unescapedParts(bytes.dropFirst(prefix.utf8.count)).compactMap { part in
      guard let colon = part.firstIndex(of: UInt8(ascii: ":")) else { return CodeField(Escapes.backslashDecoded(part)) }
      let name = text(part[..<colon]).uppercased()
      guard !otherProperties.contains(name), name != "TO" else { return nil }
      return CodeField(name: fieldName(name), Escapes.backslashDecoded(part[colon...].dropFirst()))
    }
  }

  /// Properties for addresses, numbers, dates, pictures and keys.
  private static let otherProperties: Set<String> = [
    "BDAY", "BEGIN", "CALADRURI", "CALURI", "DTEND", "DTSTAMP", "DTSTART", "EMAIL", "END", "GEO", "IMPP", "KEY", "LOGO",
    "MAILER", "PHOTO", "PRODID", "REV", "SOUND", "TEL", "TEL-AV", "TZ", "UID", "VERSION",
  ]
  /// Properties whose name does not describe their text.
  private static let textProperties: Set<String> = [
    "ADR", "B", "BODY", "C", "CATEGORIES", "DESCRIPTION", "FN", "LABEL", "LOCATION", "MEMO", "N", "NICKNAME", "NOTE",
    "ORG", "ROLE", "SUB", "SUMMARY", "TITLE", "URL",
  ]
  private static let quotedPrintable = "QUOTED-PRINTABLE"

  private static func fieldName(_ name: String) -> String {
    textProperties.contains(name) ? "" : name.hasPrefix("X-") ? String(name.dropFirst(2)) : name
  }

  private static func hasPrefix(_ bytes: ArraySlice<UInt8>, _ prefix: String) -> Bool {
    text(bytes.prefix(prefix.utf8.count)).uppercased() == prefix
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Unfolds lines. A line that begins with a blank continues the line before, and a quoted-printable line that ends in
  /// `=` continues on the next.
  private static func contentLines(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [[UInt8]] = []
    var isQuoted = false
    var isOpen = false
    for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let isFolded = line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t")
      if let last = lines.indices.last, isOpen || isFolded {
        lines[last] += isOpen ? line : line.dropFirst()
      } else {
        lines.append(Array(line))
        let head = colon(in: line).map { line[..<$0] }
        isQuoted = head.map { text($0).uppercased().contains(quotedPrintable) } ?? false
      }
      isOpen = isQuoted && line.last == UInt8(ascii: "=")
      if isOpen, let last = lines.indices.last { lines[last].removeLast() }
    }
    return lines.map { $0[...] }
  }

  /// The index of the colon between a property's name and value. Colons in quotation marks belong to parameters.
  private static func colon(in line: ArraySlice<UInt8>) -> Int? {
    var isQuoted = false
    return line.firstIndex { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ":") && !isQuoted
    }
  }

  /// Splits at semicolons that are not escaped by a backslash.
  private static func unescapedParts(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var isEscaped = false
    return bytes.split { byte in
      defer { isEscaped = !isEscaped && byte == UInt8(ascii: "\\") }
      return byte == UInt8(ascii: ";") && !isEscaped
    }
  }
}
