/// The headers of one part.
public struct PartHeaders: Sendable, Equatable {
  /// The name of the form field; nil if the part has none.
  public var name: String?
  /// The file name that the client sent, decoded. Use it only in messages, never as a path.
  public var fileName: String?
  /// The media type that the client sent; untrusted.
  public var contentType: String?

  /// Parses header lines, up to and including the blank line.
  init(_ bytes: [UInt8]) throws(MultipartError) {
    var disposition: HeaderParameters?
    for line in Self.unfoldedLines(bytes) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        throw .malformed("a line of a part's headers has no colon")
      }
      let value = line[colon...].dropFirst().trimmingBlanks()
      switch line[..<colon].trimmingBlanks().text.lowercased() {
      case "content-disposition": disposition = HeaderParameters(value)
      case "content-type": contentType = value.text
      case "content-transfer-encoding" where !["binary", "8bit", "7bit"].contains(value.text.lowercased()):
        throw .malformed("a part is encoded as \(value.prefix(40).text); send the bytes as they are")
      default: break
      }
    }
    guard let disposition, disposition.value.lowercased() == "form-data" else {
      throw .malformed("a part has no Content-Disposition: form-data")
    }
    name = disposition.values["name"].map { String(decoding: $0, as: UTF8.self) }
    // The extended form declares its encoding, so it takes precedence (RFC 6266, 4.3).
    fileName =
      disposition.values["filename*"].flatMap(FileNameText.extended)
      ?? disposition.values["filename"].map(FileNameText.plain)
  }

  /// Splits headers into lines without line ends. A line that begins with a blank continues the previous one (RFC 5322,
  /// 2.2.3).
  private static func unfoldedLines(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for line in cut(bytes) where !line.isEmpty {
      if line.first.map(isBlank) == true, !lines.isEmpty {
        // Append in place: a copy for each of thousands of lines would take quadratic time.
        lines[lines.count - 1].append(UInt8(ascii: " "))
        lines[lines.count - 1] += line.trimmingBlanks()
      } else {
        lines.append(Array(line))
      }
    }
    return lines
  }

  /// Splits bytes at line ends (CR LF), byte by byte: splitting a `String` takes quadratic time.
  private static func cut(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == 0x0A && index > start && bytes[index - 1] == 0x0D {
      lines.append(bytes[start...].prefix(index - 1 - start))
      start = index + 1
    }
    return lines + [bytes[start...]]
  }
}

/// A header's value with its parameters: `form-data; name="image"; filename="a.jpg"`. Parsed as bytes, because a single
/// `Character` may be as long as the header.
struct HeaderParameters {
  /// The text before the first semicolon.
  var value: String
  /// The parameters by lowercase name. If a name is repeated, the first one counts.
  var values: [String: [UInt8]] = [:]

  init(_ text: String) { self.init(Array(text.utf8)[...]) }

  init(_ bytes: ArraySlice<UInt8>) {
    let semicolon = UInt8(ascii: ";")
    let first = bytes.prefix { $0 != semicolon }
    value = first.trimmingBlanks().text
    var rest = bytes.dropFirst(first.count)
    while rest.first == semicolon {
      rest = rest.dropFirst()
      let key = rest.prefix { $0 != UInt8(ascii: "=") && $0 != semicolon }
      rest = rest.dropFirst(key.count)
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest = rest.dropFirst().drop(while: isBlank)
      let parameter = rest.first == UInt8(ascii: "\"") ? Self.takeQuoted(&rest) : Self.takeToken(&rest)
      let name = key.trimmingBlanks().text.lowercased()
      if values[name] == nil { values[name] = parameter }
    }
  }

  /// Returns a parameter as text; nil if it is missing.
  func text(_ name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }

  private static func takeToken(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    let token = rest.prefix { $0 != UInt8(ascii: ";") }
    rest = rest.dropFirst(token.count)
    return Array(token.trimmingBlanks())
  }

  /// Parses a quoted string. A backslash escapes a quote or a backslash (RFC 9110, 5.6.4). Before any other character
  /// it is literal, as in the Windows paths that some clients send.
  private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    var content: [UInt8] = []
    var isEscaped = false
    var used = 1
    for byte in rest.dropFirst() {
      used += 1
      if isEscaped {
        if byte != UInt8(ascii: "\\"), byte != UInt8(ascii: "\"") { content.append(UInt8(ascii: "\\")) }
        content.append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        break
      } else {
        content.append(byte)
      }
    }
    rest = rest.dropFirst(used).drop { $0 != UInt8(ascii: ";") }
    return content
  }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

extension ArraySlice<UInt8> {
  /// Returns the bytes without leading and trailing spaces and tabs.
  fileprivate func trimmingBlanks() -> ArraySlice<UInt8> {
    let start = drop(while: isBlank)
    return start.dropLast(start.reversed().prefix(while: isBlank).count)
  }

  /// The bytes decoded as UTF-8.
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
