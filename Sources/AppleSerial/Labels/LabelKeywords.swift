/// Recognises labels of serials and of other values, in the languages of Apple's products.
///
/// The label is searched at the end of the text before a value. Case, accents, spaces and punctuation are ignored.
/// Because labels are misread too, a number of edits depending on the label's length is allowed.
public enum LabelKeywords {
  /// The strengths with which the text before a value announces a serial and another value.
  public struct Strengths: Sendable, Equatable {
    /// From 0 (no label) to 5.5 (`Serial Number`, exact).
    public var serial: Double
    /// From 0 (no label) to 5 (`Model Number`, exact).
    public var other: Double

    /// Minimum strength of a label.
    public static let least = 1.5
    /// Minimum strength of an exact label: `S/N`.
    public static let short = 2.0
    /// Minimum strength of a certain label: an exact `Serial`, or a longer label with few errors.
    public static let leastOfKnown = 2.5

    /// No label.
    public static let none = Strengths(serial: 0, other: 0)

    /// Creates strengths.
    public init(serial: Double, other: Double) {
      self.serial = serial
      self.other = other
    }

    /// Whether the text is certainly a label, a serial's or another value's.
    public var isKnown: Bool { max(serial, other) >= Self.leastOfKnown }
    /// Whether the text is a serial's label rather than another value's.
    public var announcesSerial: Bool { serial >= Self.least && serial >= other }
    /// Whether the text is another value's label rather than a serial's.
    public var announcesOther: Bool { other >= Self.least && other > serial }
  }

  /// Rates the text that ends where a value begins.
  ///
  /// - Parameter isCut: Whether the text begins at the image's edge, so that the beginning of a label may be missing.
  public static func strengths(before value: some StringProtocol, isCut: Bool = false) -> Strengths {
    // `Item 1: MacBook Air (SN XK4Q2M9TRW)`.
    if let opening = openParenthesis(in: value) {
      let inside = strengths(before: value[value.index(after: opening)...])
      if inside.announcesSerial { return inside }
    }
    // `<key>SerialNumber</key>`, `<key>IMEI</key><string>`.
    if value.hasSuffix(">"), let tag = value.lastIndex(of: "<") {
      let announced = strengths(before: value[..<tag])
      if announced.announcesSerial || announced.announcesOther { return announced }
    }
    let plain = plainScalars(value.suffix(40))
    var found = Strengths(serial: shortLabelStrength(before: value), other: 0)
    for label in serialLabels {
      guard let edits = label.edits(atEndOf: plain, of: value) else { continue }
      found.serial = max(found.serial, label.weight - Double(edits) + (label.isLong ? 0.5 : 0))
    }
    for text in [plain, unqualified(value).map { plainScalars($0.suffix(40)) }].compactMap({ $0 }) {
      for label in otherLabels {
        guard let edits = label.edits(atEndOf: text, of: value) else { continue }
        found.other = max(found.other, label.weight - Double(edits))
      }
    }
    if found.announcesSerial, partOfLabel(value) == .label { found = Strengths(serial: 0, other: found.serial) }
    if found.announcesOther, let slash = value.lastIndex(of: "/") {
      // After `Serial / IMEI`, the value's format decides which of the two it is.
      let first = strengths(before: value[..<slash])
      if first.serial >= Strengths.leastOfKnown { found = Strengths(serial: Strengths.short, other: 0) }
    }
    if isCut || isEndWithoutBeginning(plain), let cut = cutStrengths(plain, hasBracket: value.contains(")")) {
      (found.serial, found.other) = (max(found.serial, cut.serial), max(found.other, cut.other))
    }
    return found
  }

  /// The place of the last parenthesis, if it opens.
  public static func openParenthesis<Text: BidirectionalCollection<Character>>(in text: Text) -> Text.Index? {
    text.lastIndex { "()".contains($0) }.flatMap { text[$0] == "(" ? $0 : nil }
  }

  /// The text without a word in parentheses at its end: `Password` for `Password (WPA):` or `Password CWPA):`. Nil if
  /// there is none.
  private static func unqualified<Text: StringProtocol>(_ text: Text) -> Text.SubSequence? {
    guard let end = text.lastIndex(where: { !" :#.".contains($0) }), text[end] == ")" else { return nil }
    return text[..<end].lastIndex { $0 == "(" || $0 == " " }.map { text[..<$0] }
  }

  /// The number of edits, up to two, by which a text differs from what the line model writes for a label in another
  /// script: `Serial`, or `Model` for any other than a serial's. Nil if it differs by more.
  public static func editsOfOtherScript(_ text: some StringProtocol) -> Int? {
    let plain = plainScalars(text)
    let edits = ["serial", "model"].map { editDistance(plain[...], Array($0.unicodeScalars)[...], limit: 2) }
    return edits.min().flatMap { $0 <= 2 ? $0 : nil }
  }

  /// Whether a text is a serial's label followed by one to three characters, which happens if the beginning of the
  /// value was read as the label's end: `Serial No. C` before `1MWMQHD4SWV`.
  public static func holdsBeginningOfValue(_ text: some StringProtocol) -> Bool {
    let words = text.split { $0 == " " || $0 == ":" }
    guard words.count >= 2, let last = words.last, last.count <= 3, !endsOfLabels.contains(String(last)),
      last.utf8.allSatisfy(SerialNumber.isInAlphabet)
    else { return false }
    return strengths(before: text.prefix(upTo: last.startIndex)).announcesSerial
  }

  /// Short capitalised words that end a label.
  private static let endsOfLabels: Set<String> = ["NR", "N", "SN", "S"]

  /// Whether a whole text, such as a line or a payload's field name, is exactly a serial's label.
  public static func isSerialLabel(_ text: some StringProtocol) -> Bool {
    let plain = plainScalars(text)
    let word = String(String.UnicodeScalarView(plain)).uppercased()
    if abbreviations.contains(word) || wholeWords.contains(word) { return true }
    guard !otherLabels.contains(where: { $0.scalars == plain }) else { return false }
    return serialLabels.contains { $0.matches(plain) }
  }

  /// Returns a text's letters in lower case and its digits, without accents.
  static func plainScalars(_ text: some StringProtocol) -> [Unicode.Scalar] {
    text.lowercased().unicodeScalars.compactMap { scalar in
      switch scalar {
      case "a"..."z", "0"..."9": scalar
      case "à", "á", "â", "ã", "ä", "å", "ą", "ă": "a"
      case "ç", "č", "ć": "c"
      case "è", "é", "ê", "ë", "ě", "ę": "e"
      case "ì", "í", "î", "ï", "ı": "i"
      case "ñ", "ń": "n"
      case "ò", "ó", "ô", "õ", "ö", "ø": "o"
      case "š", "ş", "ś": "s"
      case "ù", "ú", "û", "ü", "ů": "u"
      case "ý", "ÿ": "y"
      case "ž", "ż", "ź": "z"
      default: scalar.value > 0x17F && scalar.properties.isAlphabetic ? scalar : nil
      }
    }
  }
}
