/// Finds fields in a line of text or a barcode's payload.
public enum FieldText {
  /// The evidence for a field.
  public enum Support: Sendable, Equatable {
    /// An exactly matching label.
    case labelled
    /// A distinctive format.
    case form
    /// Another identifier that contains it, as `BCGA2141` contains the model number.
    case implied
  }

  /// A field found in a text.
  public struct Found: Sendable, Equatable {
    /// The field.
    public var field: DeviceField
    /// The evidence for it.
    public var support: Support
    /// Its range of characters in the text, not counting spaces.
    public var characters: Range<Int>
  }

  /// Returns the kinds of values announced by the label at the end of a text, for values after or below it.
  public static func kinds(announcedBy text: some StringProtocol) -> Set<DeviceField.Kind> {
    FieldLabels.kinds(after: text)
  }

  /// Finds the fields in a text.
  ///
  /// - Parameters:
  ///   - text: A line as read, or a barcode's payload.
  ///   - kinds: The kinds announced by a label before the text.
  ///   - isCode: Whether the text is from a barcode: its characters are certain, and a value that is the whole payload
  ///     needs no label.
  public static func fields(
    in text: String, announced kinds: Set<DeviceField.Kind> = [], isCode: Bool = false
  ) -> [Found] {
    var line = FieldLine(text, announced: kinds, isCode: isCode)
    return line.fields()
  }
}

/// A line split into words.
private struct FieldLine {
  private struct Word {
    var text: Substring
    /// Index of its first character in the line, not counting spaces.
    var start: Int
    var count: Int { text.count }
  }

  private let words: [Word]
  private let text: String
  private let announced: Set<DeviceField.Kind>
  private let isCode: Bool
  private let namesDevice: Bool
  private var found: [FieldText.Found] = []

  /// Maximum number of words examined in a line.
  private static let mostWords = 200

  init(_ text: String, announced: Set<DeviceField.Kind>, isCode: Bool) {
    (self.text, self.announced, self.isCode) = (text, announced, isCode)
    var words: [Word] = []
    var start = 0
    for part in text.split(whereSeparator: \.isWhitespace).prefix(Self.mostWords) {
      words += Self.parted(Word(text: part, start: start))
      start += part.count
    }
    self.words = words
    let lower = text.lowercased()
    namesDevice = Self.devices.contains(where: lower.contains)
  }

  private static let devices = ["iphone", "ipad", "macbook", "imac", "mac mini", "watch", "ipod", "airpods"]

  /// Splits a word at the colon after a label, and strips surrounding punctuation.
  private static func parted(_ word: Word) -> [Word] {
    var parts: [Word] = []
    if let colon = word.text.lastIndex(where: { ":#=".contains($0) }), word.text.count(where: { $0 == ":" }) == 1,
      DeviceField(.wifiAddress, word.text.uppercased().replacing("O", with: "0")) == nil
    {
      let label = word.text[...colon]
      let rest = word.text[word.text.index(after: colon)...]
      parts = [Word(text: label, start: word.start), Word(text: rest, start: word.start + label.count)]
    } else {
      parts = [word]
    }
    return parts.map { part in
      let leading = part.text.prefix { "([,;\"'".contains($0) }.count
      var text = part.text.dropFirst(leading)
      while let last = text.last, ",;.)]\"'".contains(last) { text = text.dropLast() }
      return Word(text: text, start: part.start + leading)
    }.filter { !$0.text.isEmpty }
  }

  mutating func fields() -> [FieldText.Found] {
    var index = 0
    while index < words.count {
      index += max(1, takeNumber(at: index) ?? takeWord(at: index) ?? takePhrase(at: index) ?? 0)
    }
    return found
  }

  /// The kinds announced by the label directly before a word.
  private func kinds(before index: Int) -> Set<DeviceField.Kind> {
    guard index > 0 else { return announced }
    let label = text(upTo: index)
    return FieldLabels.kinds(after: label)
  }

  private func text(upTo index: Int) -> Substring {
    text[..<words[index].text.startIndex]
  }

  private mutating func add(_ field: DeviceField?, _ support: FieldText.Support, _ first: Int, _ last: Int) {
    guard let field else { return }
    let (start, end) = (words[first].start, words[last].start + words[last].count)
    found.append(FieldText.Found(field: field, support: support, characters: start..<max(start, end)))
  }

  // MARK: Numbers in groups

  /// Parses all groups of digits starting at a word; nil if there are none. Letters among digits are read as the digits
  /// they resemble.
  private mutating func takeNumber(at first: Int) -> Int? {
    var (digits, last) = ("", first)
    let separator = isCode ? "" : "-"
    for index in words.indices.dropFirst(first) {
      guard let group = Self.digits(words[index].text.filter { !separator.contains($0) }, isCode: isCode) else { break }
      // The group ends in the next value's label: `IMEI2 35`.
      if index > first, !FieldLabels.kinds(after: text(upTo: index)).isEmpty { break }
      digits += group
      last = index
    }
    guard digits.count >= 12 else { return nil }
    let kinds = kinds(before: first)
    for kind in [DeviceField.Kind.imei, .imei2, .meid, .eid, .iccid, .upc] {
      guard let field = DeviceField(kind, digits) else { continue }
      if kinds.contains(kind) {
        add(field, .labelled, first, last)
        return last - first + 1
      }
      guard kinds.isEmpty, field.check == true, isTold(byForm: field, isAll: first == 0 && last == words.count - 1)
      else { continue }
      add(field, .form, first, last)
      return last - first + 1
    }
    return last - first + 1
  }

  /// Whether a number's check digits and leading digits identify its kind without a label.
  private func isTold(byForm field: DeviceField, isAll: Bool) -> Bool {
    switch field.kind {
    // Reporting bodies of devices sold by Apple.
    case .imei: isAll && ["35", "01"].contains(field.text.prefix(2))
    case .eid: field.text.hasPrefix("8904")
    case .upc: isAll && Self.companies.contains { "000\(field.text)".suffix(14).dropFirst(2).hasPrefix($0) }
    default: false
    }
  }

  /// Company prefixes of Apple's 12-digit trade item numbers.
  private static let companies = ["885909", "888462", "190198", "190199", "194252", "194253", "195949"]

  private static func digits(_ word: some StringProtocol, isCode: Bool) -> String? {
    var digits = ""
    for byte in word.utf8 {
      switch byte {
      case 0x30...0x39: digits.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: "O") where !isCode: digits += "0"
      case UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "|"):
        guard !isCode else { return nil }
        digits += "1"
      default: return nil
      }
    }
    return digits.isEmpty || word.utf8.allSatisfy { $0 > 0x39 } ? nil : digits
  }

  // MARK: Single words

  private mutating func takeWord(at index: Int) -> Int? {
    let word = words[index].text
    guard word.utf8.contains(where: { (0x30...0x39).contains($0) }) || word.utf8.count >= 12 else { return nil }
    let kinds = kinds(before: index)
    func support(_ kind: DeviceField.Kind) -> FieldText.Support { kinds.contains(kind) ? .labelled : .form }
    func labelled(_ kind: DeviceField.Kind, _ text: some StringProtocol) -> DeviceField? {
      kinds.contains(kind) ? DeviceField(kind, text) : nil
    }
    if let field = DeviceField(.modelNumber, word) {
      if kinds.isEmpty || kinds.contains(.modelNumber) { add(field, support(.modelNumber), index, index) }
      return 1
    }
    let address = isCode ? String(word) : word.uppercased().replacing("O", with: "0")
    let identifier = isCode ? String(word) : String(word).replacing(".", with: ",")
    if let model = Self.impliedModel(in: word) {
      add(DeviceField(.modelNumber, model), .implied, index, index)
    } else if let part = partNumber(word) {
      add(part, support(.partNumber), index, index)
    } else if let model = DeviceField(.modelIdentifier, identifier) {
      add(model, support(.modelIdentifier), index, index)
    } else if let field = labelled(.emc, word) ?? Self.emc(behindItsName: word) ?? labelled(.meid, word)
      ?? labelled(.osVersion, word) ?? labelled(.wifiAddress, address) ?? labelled(.bluetoothAddress, address)
    {
      add(field, .labelled, index, index)
    } else {
      return nil
    }
    return 1
  }

  private static func emc(behindItsName word: Substring) -> DeviceField? {
    word.uppercased().hasPrefix("EMC") ? DeviceField(.emc, word.dropFirst(3)) : nil
  }

  private func partNumber(_ word: Substring) -> DeviceField? {
    if word.uppercased().hasPrefix("1P"), let field = DeviceField(.partNumber, word.dropFirst(2)) { return field }
    return DeviceField(.partNumber, word)
  }

  /// The model number contained in an approval: `BCGA2141`, `579C-A2141`.
  private static func impliedModel(in word: Substring) -> Substring? {
    let upper = word.uppercased()
    guard upper.hasPrefix("BCG") || upper.hasPrefix("579C") else { return nil }
    let model = word.suffix(5)
    let rest = upper.dropLast(5)
    guard ["BCG", "BCG-", "579C", "579C-"].contains(String(rest)) else { return nil }
    return DeviceField(.modelNumber, model) == nil ? nil : model
  }

  // MARK: Phrases

  private mutating func takePhrase(at index: Int) -> Int? {
    for count in [1, 2] where index + count <= words.count {
      let last = index + count - 1
      let phrase = words.dropFirst(index).prefix(count).map(\.text).joined(separator: " ")
      if let field = DeviceField(.capacity, phrase) {
        let isLabelled = kinds(before: index).contains(.capacity)
        guard isLabelled || isOfStorage(field.text) else { return count }
        add(field, isLabelled ? .labelled : .form, index, last)
        return count
      }
    }
    for count in (1...DeviceColors.mostWords).reversed() where index + count <= words.count {
      let last = index + count - 1
      guard let field = DeviceField(.color, words.dropFirst(index).prefix(count).map(\.text).joined(separator: " "))
      else { continue }
      let isLabelled = kinds(before: index).contains(.color)
      if isLabelled || namesDevice { add(field, isLabelled ? .labelled : .form, index, last) }
      return count
    }
    return nil
  }

  /// Whether a size in a line that names a device is its storage capacity, because a Mac's memory is printed there too.
  private func isOfStorage(_ size: String) -> Bool {
    guard namesDevice, !size.hasSuffix("TB") else { return namesDevice }
    return !text.lowercased().contains("mac") || size.utf8.count > 5 && size != "120 GB"
  }
}
