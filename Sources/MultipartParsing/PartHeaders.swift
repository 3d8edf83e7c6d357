/// What the headers of one part say.
public struct PartHeaders: Sendable, Equatable {
  /// The name of the form's field.
  public var name: String
  /// The file's name as the client gave it. For messages alone: never a path.
  public var fileName: String?
  /// The media type as the client gave it; nothing here believes it.
  public var contentType: String?

  /// Parses header lines up to and with the blank line.
  init(_ bytes: [UInt8]) throws(MultipartError) {
    var disposition: HeaderParameters?
    for line in try Self.unfoldedLines(bytes) {
      guard let colon = line.firstIndex(of: ":") else { throw .malformed("a line of a part's headers has no colon") }
      let value = line[line.index(after: colon)...].trimmingBlanks()
      switch line[..<colon].trimmingBlanks().lowercased() {
      case "content-disposition": disposition = HeaderParameters(value)
      case "content-type": contentType = value
      case "content-transfer-encoding" where !["binary", "8bit", "7bit"].contains(value.lowercased()):
        throw .malformed("a part is encoded as \(value.prefix(40)); send the bytes as they are")
      default: break
      }
    }
    guard let disposition, disposition.value.lowercased() == "form-data", let name = disposition.values["name"] else {
      throw .malformed("a part has no Content-Disposition: form-data with a name")
    }
    self.name = name
    fileName = disposition.values["filename"]
  }

  /// The lines without their ends; a line that begins with a blank goes on with the one before (RFC 5322, 2.2.3).
  private static func unfoldedLines(_ bytes: [UInt8]) throws(MultipartError) -> [String] {
    var lines: [String] = []
    for bytes in cut(bytes) where !bytes.isEmpty {
      guard let line = String(validating: bytes, as: UTF8.self) else {
        throw .malformed("the headers of a part are no UTF-8")
      }
      if line.first == " " || line.first == "\t", !lines.isEmpty {
        // In place: a copy for each of thousands of lines would cost the square of their number.
        lines[lines.count - 1] += " " + line.trimmingBlanks()
      } else {
        lines.append(line)
      }
    }
    return lines
  }

  /// What stands between the line ends (CR LF), looked for byte by byte: splitting text by text takes the square of it.
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

/// A header's value with its parameters: `form-data; name="image"; filename="a.jpg"`.
struct HeaderParameters {
  /// What stands before the first semicolon.
  var value: String
  /// The parameters by their name in lower case; of two with one name the first.
  var values: [String: String] = [:]

  init(_ text: some StringProtocol) {
    var rest = Substring(text)
    value = rest.prefix { $0 != ";" }.trimmingBlanks()
    rest = rest.dropFirst(rest.prefix { $0 != ";" }.count)
    while rest.first == ";" {
      rest = rest.dropFirst()
      let name = rest.prefix { $0 != "=" && $0 != ";" }
      rest = rest.dropFirst(name.count)
      guard rest.first == "=" else { continue }
      rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
      let parameter = rest.first == "\"" ? Self.takeQuoted(&rest) : Self.takeToken(&rest)
      let key = name.trimmingBlanks().lowercased()
      if values[key] == nil { values[key] = parameter }
    }
  }

  private static func takeToken(_ rest: inout Substring) -> String {
    let token = rest.prefix { $0 != ";" }
    rest = rest.dropFirst(token.count)
    return token.trimmingBlanks()
  }

  /// A quoted string; a backslash keeps the character behind it (RFC 9110, 5.6.4).
  private static func takeQuoted(_ rest: inout Substring) -> String {
    var content = ""
    var isEscaped = false
    var used = 1
    for character in rest.dropFirst() {
      used += 1
      if isEscaped {
        content.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        break
      } else {
        content.append(character)
      }
    }
    rest = rest.dropFirst(used).drop { $0 != ";" }
    return content
  }
}

extension StringProtocol {
  /// Without spaces and tabs at both ends.
  fileprivate func trimmingBlanks() -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let start = firstIndex(where: { !isBlank($0) }), let end = lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return String(self[start...end])
  }
}
