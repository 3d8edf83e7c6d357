import AppleSerial

/// Parses a web address or another URI (RFC 3986) into fields: host, path segments, query and fragment. Supports GS1
/// Digital Link.
struct AddressFields {
  private var fields: [CodeField] = []
  /// Whether the path names a trade item as in GS1 Digital Link.
  private var namesTradeItem = false

  /// The fields of an address that begins with its scheme or its host.
  static func fields(_ bytes: ArraySlice<UInt8>) -> [CodeField] {
    var address = AddressFields()
    address.parse(bytes)
    return address.fields
  }

  /// The index where an address begins in a word; nil if the word has none.
  ///
  /// An address begins at a scheme and `://`, at a known scheme, or at a host name before a path.
  static func start(in word: ArraySlice<UInt8>) -> Int? {
    if let slashes = slashes(in: word) {
      let scheme = word[..<slashes].reversed().prefix { isInScheme($0) }
      if !scheme.isEmpty { return slashes - scheme.count }
    }
    return opaqueScheme(word) != nil || beginsWithHost(word) ? word.startIndex : nil
  }

  /// Known schemes without `//` that occur in codes.
  private static let opaqueSchemes: Set<String> = [
    "data", "facetime", "facetime-audio", "geo", "mailto", "mms", "mmsto", "sip", "sms", "smsto", "tel", "urn",
  ]

  private mutating func parse(_ bytes: ArraySlice<UInt8>) {
    let (address, fragment) = Self.cut(bytes, at: UInt8(ascii: "#"))
    let (main, query) = Self.cut(address, at: UInt8(ascii: "?"))
    var usesPlus = true
    switch Self.opaqueScheme(main) {
    case "data": return
    case "mailto": usesPlus = false  // skip the address; `+` is literal (RFC 6068)
    case let scheme?: fields.append(CodeField(Escapes.percentDecoded(main.dropFirst(scheme.utf8.count + 1))))
    case nil:
      let rest = Self.slashes(in: main).map { main[$0...].dropFirst(3) } ?? main
      let (authority, path) = Self.cut(rest, at: UInt8(ascii: "/"))
      let host = authority.split(separator: UInt8(ascii: "@")).last ?? authority
      fields.append(CodeField(Escapes.percentDecoded(host.prefix { $0 != UInt8(ascii: ":") })))
      if let path { takePath(path) }
    }
    if let query { takeQuery(query, usesPlus: usesPlus) }
    if let fragment { takeFragment(fragment) }
  }

  private mutating func takePath(_ path: ArraySlice<UInt8>) {
    let segments = path.split(separator: UInt8(ascii: "/"))
    let link = segments.indices.dropLast().first { index in
      ElementStrings.isTradeItem(segments[index], Escapes.percentDecoded(segments[index + 1]))
    }
    if let link {
      namesTradeItem = true
      for index in stride(from: link + 2, to: segments.count - 1, by: 2) where isSerialKey(segments[index]) {
        fields.append(CodeField(Escapes.percentDecoded(segments[index + 1]), role: .serial))
      }
      return
    }
    var before: [String] = []
    for segment in segments {
      let parts = segment.split(separator: UInt8(ascii: ";"))
      for (index, part) in parts.enumerated() {
        if index > 0, part.contains(UInt8(ascii: "=")) {
          takePair(part, usesPlus: false)
        } else {
          let text = String(decoding: Escapes.percentDecoded(part), as: UTF8.self)
          fields.append(CodeField(name: before.suffix(2).joined(separator: " "), text))
          // Labels are much shorter than this.
          before.append(String(text.unicodeScalars.suffix(40)))
        }
      }
    }
  }

  private mutating func takeQuery(_ query: ArraySlice<UInt8>, usesPlus: Bool) {
    for pair in query.split(separator: UInt8(ascii: "&")) {
      // `amp;` is left over from an ampersand escaped as in HTML.
      takePair(pair.starts(with: "amp;".utf8) ? pair.dropFirst(4) : pair, usesPlus: usesPlus)
    }
  }

  private mutating func takePair(_ pair: ArraySlice<UInt8>, usesPlus: Bool) {
    let (name, value) = Self.cut(pair, at: UInt8(ascii: "="))
    guard let value else {
      fields.append(CodeField(Escapes.percentDecoded(pair, plusIsSpace: usesPlus)))
      return
    }
    let key = Escapes.percentDecoded(name, plusIsSpace: usesPlus)
    fields.append(
      CodeField(
        name: String(decoding: key, as: UTF8.self), Escapes.percentDecoded(value, plusIsSpace: usesPlus),
        role: namesTradeItem && isSerialKey(key[...]) ? .serial : .text))
  }

  /// Parses a fragment: a text, or a path and a query used by the page's script.
  private mutating func takeFragment(_ fragment: ArraySlice<UInt8>) {
    let (path, query) = Self.cut(fragment, at: UInt8(ascii: "?"))
    if query == nil, path.contains(UInt8(ascii: "=")) {
      takeQuery(path, usesPlus: true)
    } else {
      takePath(path)
      if let query { takeQuery(query, usesPlus: true) }
    }
  }

  private func isSerialKey(_ key: ArraySlice<UInt8>) -> Bool {
    ["21", "ser"].contains(String(decoding: key, as: UTF8.self).lowercased())
  }

  /// Splits bytes at the first occurrence of a byte; the second part is nil if it does not occur.
  private static func cut(_ bytes: ArraySlice<UInt8>, at byte: UInt8) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
    guard let index = bytes.firstIndex(of: byte) else { return (bytes, nil) }
    return (bytes[..<index], bytes[index...].dropFirst())
  }

  /// The index of `://`.
  private static func slashes(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0] == UInt8(ascii: ":") && bytes[$0...].dropFirst().starts(with: "//".utf8) }
  }

  private static func opaqueScheme(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let colon = bytes.prefix(20).firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    return opaqueSchemes.contains(scheme) ? scheme : nil
  }

  /// Whether a word begins like `www.example.com/`.
  private static func beginsWithHost(_ word: ArraySlice<UInt8>) -> Bool {
    let host = word.prefix { isInScheme($0) }
    let end = word[host.endIndex...].first
    guard end == UInt8(ascii: "/") || end == UInt8(ascii: "?"), host.contains(UInt8(ascii: ".")) else { return false }
    let top = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).last ?? []
    // `S/N` and `Ser.No/` are labels.
    return top.count >= 2 && top.allSatisfy(isLetter) && !host.contains(UInt8(ascii: "+"))
      && !LabelKeywords.endsInSerialLabel(String(decoding: host, as: UTF8.self))
  }

  private static func isInScheme(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
}
