import AppleSerial

/// A serial found in a code.
package struct SerialCode: Sendable, Equatable {
  /// How the code identifies the serial.
  package enum Form: String, Sendable {
    /// Preceded by the data identifier `S` or by a label within the payload.
    case labelled
    /// The whole payload is the serial.
    case alone
    /// An unlabelled word of a longer payload, such as a link.
    case embedded
    /// The payload begins with `S` and is a valid serial with and without it: one of two serials.
    case ambiguous
  }

  /// The serial, in upper case.
  package var serial: String
  /// How the code identifies it.
  package var form: Form
  /// The code that contains it.
  package var code: Barcode
  /// Index of the code among those of the picture.
  package var index: Int
  /// The probability that it is the device's serial, from the code alone, 0...1.
  package var probability: Double
}

/// Extracts serials from codes. Leaves out part numbers, IMEIs, trade items, network addresses and asset tags.
package enum SerialCodes {
  /// The serials in the codes, most probable first, each serial once.
  package static func serials(in codes: [Barcode]) -> [SerialCode] {
    let found = codes.enumerated().flatMap { index, code in serials(in: code, index: index) }
    var best: [SerialCode] = []
    for candidate in found.sorted(by: { $0.probability > $1.probability }) {
      guard let same = best.firstIndex(where: { $0.serial == candidate.serial }) else {
        best.append(candidate)
        continue
      }
      // A second, different code with the same serial is independent evidence.
      if best[same].code.isOther(than: candidate.code) {
        best[same].probability = 1 - (1 - best[same].probability) * 0.3
      }
    }
    return best.sorted { $0.probability > $1.probability }
  }

  private static func serials(in code: Barcode, index: Int) -> [SerialCode] {
    forms(in: CodePayload(code)?.fields ?? []).map { serial, form in
      SerialCode(
        serial: serial, form: form, code: code, index: index,
        probability: probability(of: serial, form: form, code: code))
    }
  }

  /// The labelled or identified serials; else those that are a whole unnamed field; else the only one of the structured
  /// format.
  private static func forms(in fields: [CodeField]) -> [(serial: String, form: SerialCode.Form)] {
    var words = SerialWords()
    for field in fields where field.role != .other { words.read(field) }
    return words.forms
  }

  /// Whether a string is letters followed by six or more digits, as on tickets and asset tags. One random serial in a
  /// thousand looks like this.
  private static func isCounted(_ serial: String) -> Bool {
    let digits = serial.reversed().prefix(while: \.isNumber).count
    return digits >= 6 && serial.dropLast(digits).allSatisfy(\.isLetter)
  }

  /// The probability that a code's serial is the device's. A check character rules out misreadings, but not that the
  /// code is another number.
  private static func probability(of serial: String, form: SerialCode.Form, code: Barcode) -> Double {
    let parsed = SerialNumber(serial)
    var probability =
      switch (form, parsed?.format) {
      case (.labelled, .some): 0.99
      case (.labelled, nil): 0.9
      case (.alone, .twelve): parsed?.hasFrequentPlant == true ? 0.99 : 0.95
      case (.alone, .eleven): 0.85
      case (.alone, _): 0.7
      case (.embedded, _): 0.9
      case (.ambiguous, _): serial.count == 11 ? 0.35 : 0.5
      }
    if form != .labelled, isCounted(serial) { probability *= 0.3 }
    // Code 39 has no check character.
    if code.symbology == .code39 { probability *= code.libraries == [.zbar, .zxing] ? 0.97 : 0.85 }
    return probability
  }
}

/// Finds serials in the fields of a payload. Only whole words count, never parts of words.
struct SerialWords {
  /// The most words of a serial's shape that are checked for labels; a payload with more is a list.
  private static let mostCandidates = 64
  /// The number of scalars before a word that are searched for a label.
  private static let labelLength = 60

  private var labelled: [String] = []
  private var alone: [(serial: String, form: SerialCode.Form)] = []
  private var embedded: Set<String> = []
  private var candidates = 0

  /// The serials found: labelled ones; else those that are a whole payload; else one in a longer text, if it is the
  /// only one.
  var forms: [(serial: String, form: SerialCode.Form)] {
    if !labelled.isEmpty { return labelled.map { ($0, .labelled) } }
    if !alone.isEmpty { return alone }
    return embedded.count == 1 ? embedded.map { ($0, .embedded) } : []
  }

  /// Searches a field for serials.
  mutating func read(_ field: CodeField) {
    let isSerial = field.role == .serial || LabelKeywords.endsInSerialLabel(field.name)
    if isSerial || (field.role == .whole && !Self.isOfBothCases(field.text)),
      let payload = SerialPayload(field.text)
    {
      switch payload {
      case .plain(let serial) where !isSerial: alone.append((serial.text, .alone))
      case .plain(let serial), .identified(let serial): addLabelled(serial.text)
      case .ambiguous(let whole, let stripped): addAmbiguous(whole, stripped)
      }
    } else if field.role != .serial {
      readWords(of: field)
    } else if let serial = AccessorySerial(field.text) {
      addLabelled(serial.text)
    }
  }

  private mutating func readWords(of field: CodeField) {
    let scalars = Array(field.text.unicodeScalars)
    var name = field.name.isEmpty ? "" : "\(field.name): "
    var (lineStart, start) = (0, 0)
    while start < scalars.count {
      guard Self.isInWord(scalars[start]) else {
        if "\n\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains(scalars[start]) { (lineStart, name) = (start + 1, "") }
        start += 1
        continue
      }
      let end = scalars[start...].firstIndex { !Self.isInWord($0) } ?? scalars.count
      // The lengths of serials, with room for an accessory's serial and for a data identifier.
      if (8...13).contains(end - start), candidates < Self.mostCandidates {
        let before = max(lineStart, start - Self.labelLength)
        read(
          String(String.UnicodeScalarView(scalars[start..<end])),
          before: (before == 0 ? name : "") + String(String.UnicodeScalarView(scalars[before..<start])),
          after: scalars[end...].prefix(2))
      }
      start = end
    }
  }

  /// Checks a word of a text.
  private mutating func read(_ word: String, before: String, after: ArraySlice<Unicode.Scalar>) {
    // After the sign of an invalid escape, the word may be the rest of an escape.
    let sign = before.unicodeScalars.last
    guard sign != "%", sign != "\\" else { return }
    let serial: SerialNumber?
    switch SerialPayload(word) {
    case .plain(let found), .identified(let found): serial = found
    case .ambiguous, nil: serial = nil
    }
    guard let text = serial?.text ?? AccessorySerial(word)?.text else { return }
    candidates += 1
    if !Self.isJoined(to: after), Self.endsInLabelOfValue(before) {
      if let serial, sign == "=", let rest = Self.afterEscape(serial) {
        addAmbiguous(serial, rest)
      } else {
        addLabelled(text)
      }
    } else if let serial, text.utf8.count == word.utf8.count {
      let strengths = LabelKeywords.strengths(before: before)
      let isAnnounced = strengths.announcesSerial && strengths.serial >= LabelKeywords.Strengths.leastOfKnown
      let isLikely = serial.format == .twelve && serial.hasFrequentPlant && !Self.isOfBothCases(word)
      if isAnnounced || (!strengths.announcesOther && isLikely) {
        embedded.insert(text)
      }
    }
  }

  /// Whether a text has small letters and capitals, as random identifiers and no serials have.
  private static func isOfBothCases(_ text: String) -> Bool {
    text.utf8.contains { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
      && text.utf8.contains { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
  }

  private mutating func addLabelled(_ serial: String) {
    if !labelled.contains(serial) { labelled.append(serial) }
  }

  private mutating func addAmbiguous(_ whole: SerialNumber, _ rest: SerialNumber) {
    alone += [(whole.text, .ambiguous), (rest.text, .ambiguous)]
  }

  /// Whether a text ends in a serial's label that still lacks its value. `Serial:;` does not.
  private static func endsInLabelOfValue(_ text: String) -> Bool {
    let gap = text.unicodeScalars.reversed().prefix { !isInWord($0) }.reversed()
    let sign = gap.firstIndex { ":=".unicodeScalars.contains($0) }
    guard sign.map({ gap[$0...].contains { ",;|&".unicodeScalars.contains($0) } }) != true else { return false }
    return LabelKeywords.endsInSerialLabel(text)
  }

  /// Whether a word continues after a hyphen or another sign that occurs within words.
  private static func isJoined(to after: ArraySlice<Unicode.Scalar>) -> Bool {
    guard after.count == 2, let sign = after.first, let next = after.last, isInWord(next) else { return false }
    return "-_/.+*=%@#~^$\\".unicodeScalars.contains(sign)
  }

  /// The serial without two leading hexadecimal digits that encode a sign or a space in quoted-printable text; nil if
  /// it does not begin so, or if the rest is not a serial.
  private static func afterEscape(_ serial: SerialNumber) -> SerialNumber? {
    guard let value = Escapes.number(Array(serial.text.utf8)[..<2], radix: 16),
      let byte = UInt8(exactly: value), 0x20..<0x7F ~= byte || 0x09...0x0D ~= byte, !serial.hasFrequentPlant,
      !Unicode.Scalar(byte).properties.isAlphabetic, Unicode.Scalar(byte).properties.numericType == nil
    else { return nil }
    return SerialNumber(String(serial.text.dropFirst(2)))
  }

  /// Whether a scalar is part of a word: any but white space, punctuation and symbols.
  ///
  /// Ideographs and kana don't count, since text next to them is a separate word. Scalars that could not be decoded
  /// count.
  private static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return switch scalar {
      case "0"..."9", "A"..."Z", "a"..."z": true
      default: false
      }
    }
    if (0x2E80...0x9FFF).contains(scalar.value) || (0xAC00...0xD7AF).contains(scalar.value) { return false }
    return switch scalar.properties.generalCategory {
    case .otherSymbol: scalar == "\u{FFFD}"
    case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .dashPunctuation, .openPunctuation,
      .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .connectorPunctuation, .mathSymbol,
      .currencySymbol, .modifierSymbol:
      false
    default: true
    }
  }
}
