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

    /// Creates strengths.
    public init(serial: Double, other: Double) {
      self.serial = serial
      self.other = other
    }

    /// Whether the text is a serial's label rather than another value's.
    public var announcesSerial: Bool { serial >= Self.least && serial >= other }
    /// Whether the text is another value's label rather than a serial's.
    public var announcesOther: Bool { other >= Self.least && other > serial }
  }

  /// Rates the text that ends where a value begins.
  ///
  /// - Parameter isCut: Whether the text begins at the image's edge, so that the beginning of a label may be missing.
  public static func strengths(before value: some StringProtocol, isCut: Bool = false) -> Strengths {
    let plain = plainScalars(value.suffix(40))
    var found = Strengths(serial: shortLabelStrength(before: value), other: 0)
    for label in serialLabels {
      guard let edits = edits(of: label, endingIn: plain, of: value) else { continue }
      found.serial = max(found.serial, label.weight - Double(edits) + (label.isLong ? 0.5 : 0))
    }
    for text in [plain, unqualified(value).map { plainScalars($0.suffix(40)) }].compactMap({ $0 }) {
      for label in otherLabels {
        guard let edits = edits(of: label, endingIn: text, of: value) else { continue }
        found.other = max(found.other, label.weight - Double(edits))
      }
    }
    if found.announcesOther, let slash = value.lastIndex(of: "/") {
      // After `Serial / IMEI`, the value's format decides which of the two it is.
      let first = strengths(before: value[..<slash])
      if first.serial >= Strengths.leastOfKnown { found = Strengths(serial: Strengths.short, other: 0) }
    }
    if isCut {
      let isBracketed = value.contains(")")
      let cutSerial =
        serialLabels.filter { isBracketed || !$0.endsInBracket }.map { cutStrength(of: $0, in: plain) }.max() ?? 0
      let cutOther = otherLabels.map { cutStrength(of: $0, in: plain) }.max() ?? 0
      if cutSerial != cutOther || !isSharedEnd(plain) {
        (found.serial, found.other) = (max(found.serial, cutSerial), max(found.other, cutOther))
      }
    }
    return found
  }

  /// The text without a word in parentheses at its end: `Password` for `Password (WPA):` or `Password CWPA):`. Nil if
  /// there is none.
  private static func unqualified<Text: StringProtocol>(_ text: Text) -> Text.SubSequence? {
    guard let end = text.lastIndex(where: { !" :#.".contains($0) }), text[end] == ")" else { return nil }
    return text[..<end].lastIndex { $0 == "(" || $0 == " " }.map { text[..<$0] }
  }

  /// Rates the output of a model for other scripts, which writes `Serial` for a serial's label and `Model` for any
  /// other label.
  ///
  /// - Parameters:
  ///   - text: The model's output.
  ///   - latin: The output of a model for Latin letters in the same place. If both outputs are similar, the label is in
  ///     Latin letters and is rated as such: `Social` is then not a misread `Serial`.
  public static func strengths(inOtherScripts text: String, latin: String) -> Strengths {
    let found = strengths(before: text)
    guard !found.announcesSerial, !found.announcesOther else { return found }
    let (word, latinWord) = (firstWord(of: text), firstWord(of: latin))
    let isSerial =
      isSerial(text, mostEdits: 2, unlike: latin) || (word != text && isSerial(word, mostEdits: 1, unlike: latinWord))
    return isSerial ? Strengths(serial: Strengths.least, other: 0) : found
  }

  /// The first word. The model sometimes appends letters of its own (`Serill HdMep`).
  private static func firstWord(of text: String) -> String { text.split(separator: " ").first.map(String.init) ?? "" }

  /// Whether a text is `Serial` with few errors while another reading of it is different.
  private static func isSerial(_ text: String, mostEdits: Int, unlike latin: String) -> Bool {
    let plain = plainScalars(text)
    let likeness = editDistance(plain[...], plainScalars(latin)[...], limit: plain.count)
    return editDistance(plain[...], plainScalars("Serial")[...], limit: mostEdits) <= mostEdits
      && 2 * likeness > plain.count
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

  /// Rates a text as the end of a label that begins outside the image: 1.5 for `Number`, more for `rial Number`; 0 if it
  /// is not.
  private static func cutStrength(of label: Label, in text: [Unicode.Scalar]) -> Double {
    guard text.count >= 5, text.count < label.scalars.count, !label.isIdeographic else { return 0 }
    let edits = editDistance(text[...], label.scalars.suffix(text.count), limit: 1)
    guard edits <= 1 else { return 0 }
    return min(3, 1.5 + 0.4 * Double(text.count - 6)) - 0.5 * Double(edits)
  }

  /// Whether a text may be the end of a serial's label cut off by the image's edge, too short to distinguish it from
  /// other labels: `No.`, `al`, `N:`, `Number`, or only a colon.
  public static func mayEndSerialLabel(_ text: some StringProtocol) -> Bool {
    let plain = plainScalars(text)
    if plain.isEmpty { return text.contains { ":)#".contains($0) } }
    if text.uppercased().hasSuffix("S)") { return plain.count == 1 }  // the data identifier on boxes, `(S)`
    if plain.count >= leastOfLabelEnd, isSharedEnd(plain) {
      return text.contains(")") || !bracketedEnds.contains(plain)
    }
    return plain.count < 5 && printedLabels.contains { $0.suffix(plain.count) == plain[...] }
  }

  /// Whether a text is the last words of a serial's label, but not all: `Number`, `de série`.
  public static func endsSerialLabel(_ text: some StringProtocol) -> Bool {
    let plain = plainScalars(text)
    return plain.count >= leastOfLabelEnd && labelEnds.contains(plain)
  }

  /// Whether a text is what labels of serials and of other values end in: `Number`, `nummer`.
  private static func isSharedEnd(_ plain: [Unicode.Scalar]) -> Bool {
    labelEnds.contains(plain) || sharedEndings.contains(String(String.UnicodeScalarView(plain)))
  }

  /// Minimum length of a label's last words: `No` and `de` stand in other text too.
  private static let leastOfLabelEnd = 5
  /// The last words of each label, in every number, and of those that end in a word in parentheses: `(system)`.
  private static let labelEnds = ends(of: serialTexts)
  private static let bracketedEnds = ends(of: serialTexts.filter { $0.hasSuffix(")") })

  private static func ends(of labels: [String]) -> Set<[Unicode.Scalar]> {
    Set(
      labels.flatMap { text in
        let words = text.split(separator: " ")
        return words.indices.dropFirst().map { plainScalars(words[$0...].joined()) }
      })
  }

  /// Whether a whole text, such as a line or a payload's field name, is exactly a serial's label.
  public static func isSerialLabel(_ text: some StringProtocol) -> Bool {
    let plain = plainScalars(text)
    let word = String(String.UnicodeScalarView(plain)).uppercased()
    if abbreviations.contains(word) || wholeWords.contains(word) { return true }
    guard !otherLabels.contains(where: { $0.scalars == plain }) else { return false }
    return serialLabels.contains { label in
      let edits = editDistance(plain[...], label.scalars[...], limit: label.tolerance)
      return edits <= label.tolerance && (edits <= label.mostEditsOfCore || holdsCore(of: label, plain))
    }
  }

  /// Printed labels of serials.
  public static let serialTexts = [
    "Serial Number", "Serial Number (system)", "Number (system)", "Numéro de série (système)", "Seriennummer (System)",
    "Número de serie (sistema)", "Numero di serie (sistema)", "Número de série (sistema)", "Serienummer (systeem)",
    "Numer seryjny (system)", "Sériové číslo (systém)", "Serial No.", "Serial", "(S) Serial No.", "Seriennummer",
    "Seriennr.", "Numéro de série", "N° de série", "Série", "Número de serie", "N.º de serie", "Numero di serie",
    "N. di serie", "Número de série", "Serienummer", "Sériové číslo", "Серийный номер", "Sarjanumero", "Numer seryjny",
    "Seri numarası", "Sorozatszám", "Serijski broj", "Serijska številka", "Număr de serie", "Nomor Seri",
    "Seerianumber", "Výrobní číslo", "Ser.-Nr.", "Ser. No.", "序列号", "序號", "序列號", "シリアル番号", "일련번호",
  ]

  /// Printed labels of other values.
  public static let otherTexts = [
    "Model Number", "Modellnummer", "Modelnummer", "Numéro de modèle", "Número de modelo", "Numero modello",
    "Номер модели", "Číslo modelu", "Model Name", "Model", "Modell", "Modèle", "Modelo", "Part No.", "Part Number",
    "Teilenummer", "Référence", "IMEI", "IMEI2", "IMEI/MEID", "MEID", "EID", "SEID", "CSN", "CLEI", "ICCID", "UPC",
    "EAN", "Asset Tag", "Asset", "Asset No.", "Inventory", "Inv. Nr.", "Wi-Fi Address", "WLAN-Adresse", "Wi-Fi",
    "Bluetooth", "MAC", "EMC", "FCC ID", "IC", "CMIIT ID", "Modem Firmware", "Firmware", "Capacity", "Version",
    "Software Version", "Build Number", "Versienummer", "Baseband Version", "Kernel Version", "Device Name",
    "Service Tag", "Product ID", "ProdID", "Warranty", "WWN", "UDID", "UUID", "Invoice", "Invoice No.", "Customer",
    "Customer No.", "Web Order", "Tracking", "Tracking No.", "Rechnung", "Rechnungsnummer", "Material", "Material No.",
    "Material Number", "Materialnummer", "Kundennummer", "Bestellnummer", "Facture", "Commande", "Factura", "Pedido",
    "Fattura", "Ordine", "Voucher", "Voucher Code", "Coupon", "Coupon Code", "Promo Code", "Promotional Code",
    "Discount Code", "Gift Card", "Gift Code", "Redemption Code", "Order Code", "Booking Code", "Gutschein",
    "Gutscheincode", "Rabattcode", "Aktionscode", "Geschenkkarte", "Buchungscode", "Bestellcode", "Code promo",
    "Code cadeau", "Code de réduction", "Code de réservation", "Bon d'achat", "Cupón", "Código promocional",
    "Código de descuento", "Código de reserva", "Codice promozionale", "Codice sconto", "Codice prenotazione",
    "Buono regalo", "Código de desconto", "Kortingscode", "Boekingscode", "Промокод", "Slevový kód", "Server Number",
    "Set No.", "Seq. No.", "Sec. No.", "Seitennummer", "Helpdesk", "Order No.", "Batch", "Lot", "Key", "Network Key",
    "Security Key", "Product Key", "Licence Key", "Schlüssel", "Netzwerkschlüssel", "Password", "Passwort",
    "Passphrase", "Passcode", "Kennwort", "WPA", "WPA2", "PSK", "Mot de passe", "Contraseña", "SSID", "型号", "型號",
    "モデル番号", "모델 번호", "优惠码", "優惠碼", "クーポン", "쿠폰",
  ]

  private struct Label: Sendable {
    let scalars: [Unicode.Scalar]
    let isSerial: Bool
    let weight: Double
    /// In a serial's label of several words, the word that distinguishes it: `serial` in `Serial Number`; empty if
    /// there is none.
    let core: [Unicode.Scalar]
    /// Whether the label has ideographs or kana. Each carries as much as several letters, so short labels allow no
    /// edits.
    let isIdeographic: Bool
    /// Whether it ends in a word in parentheses.
    let endsInBracket: Bool
    /// Maximum number of edits in the distinguishing word: with more, `Build Number` would match `Serial Number`,
    /// `Versienummer` `Serienummer`, and `osservano` `(S) Serial No.`.
    let mostEditsOfCore: Int
    /// Maximum number of edits in the whole label.
    let tolerance: Int
    var isLong: Bool { scalars.count > 8 }
    /// Whether a serial's label counts only where a word begins: with errors, since `Material`, `preferiti` and
    /// `osservano` end almost like `Serial` and `Serial No.`, and `Série` always (`Brasserie`).
    func mustBeginWord(isExact: Bool) -> Bool { isSerial && !isIdeographic && (!isExact || scalars.count <= 5) }

    init(_ text: String, isSerial: Bool, hasCore: Bool = false) {
      scalars = LabelKeywords.plainScalars(text)
      self.isSerial = isSerial
      endsInBracket = text.hasSuffix(")")
      isIdeographic = scalars.contains { $0.value > 0x2E7F }
      let letters = isIdeographic ? scalars.count * 3 : scalars.count
      core = hasCore && !isIdeographic ? LabelKeywords.core(of: text) : []
      mostEditsOfCore = core.count <= 5 || text.hasPrefix("(") ? 1 : 2
      tolerance =
        if isIdeographic {
          scalars.count > 4 ? 1 : 0
        } else if hasCore && core.isEmpty {
          2  // `Number (system)` has no distinguishing word.
        } else {
          Self.tolerance(ofLength: scalars.count, isSerial: isSerial)
        }
      weight = isSerial ? (letters <= 8 ? 3 : 5) : (letters > 4 ? 3 : 2) + (letters > 8 ? 2 : 0)
    }

    private static func tolerance(ofLength length: Int, isSerial: Bool) -> Int {
      switch length {
      case ...4: 0
      case 5: isSerial ? 0 : 1
      case 6...7: isSerial ? 2 : 1
      case 8: isSerial ? 2 : 3
      default: isSerial ? min(4, length / 3) : 3
      }
    }
  }

  /// Cyrillic labels as read by a reader that knows only Latin letters: `Серийный номер` in four typefaces.
  /// `Инвентарный номер` is five edits from the closest one.
  private static let latinViews = ["Cepinnbii Homep", "Cepiihbii Homep", "CepHHHbliH H0MeD", "CepHiHbli H0MED"]
  private static let serialLabels =
    serialTexts.map { Label($0, isSerial: true, hasCore: true) } + latinViews.map { Label($0, isSerial: true) }
  private static let otherLabels = otherTexts.map { Label($0, isSerial: false) }

  /// The minimum number of edits between a label and the end of a text, over slightly shorter and longer ends; nil if
  /// above the tolerance.
  ///
  /// - Parameter value: The text as it was read, which shows where words begin.
  private static func edits(
    of label: Label, endingIn text: [Unicode.Scalar], of value: some StringProtocol
  ) -> Int? {
    let tolerance = label.tolerance
    guard text.count >= label.scalars.count - (tolerance > 0 && label.isSerial ? 1 : 0) else { return nil }
    // A short label must be a whole word: `EID` at the end of `ICEID` is chance.
    let least = (tolerance > 0 ? [-1, 0, 1] : [0]).compactMap { longer -> Int? in
      let length = max(0, label.scalars.count + longer)
      let edits = editDistance(text.suffix(length), label.scalars[...], limit: tolerance)
      guard edits <= tolerance else { return nil }
      return !label.mustBeginWord(isExact: edits == 0) || wordBegins(length, beforeEndOf: value) ? edits : nil
    }.min()
    guard let least, least <= label.mostEditsOfCore || holdsCore(of: label, text) else { return nil }
    return least
  }

  /// Whether a word begins with the last letters and digits of a text, of some number: behind anything but a letter, or
  /// with a capital as in `SystemSerial` and `ICSerial`.
  private static func wordBegins(_ wanted: Int, beforeEndOf text: some StringProtocol) -> Bool {
    var count = 0
    var next: Character?
    for index in text.indices.reversed() {
      let character = text[index]
      defer { next = character }
      guard !plainScalars(String(character)).isEmpty else { continue }
      count += 1
      guard count == wanted, index > text.startIndex else { continue }
      let before = text[text.index(before: index)]
      return !before.isLetter || (character.isUppercase && (before.isLowercase || next?.isLowercase ?? false))
    }
    return true
  }

  /// Words that serials' labels share with other labels, and endings that their words share (`Seriennummer`,
  /// `Teilenummer`).
  private static let sharedWords: Set<String> = [
    "broj", "cislo", "de", "di", "no", "nomor", "nr", "number", "numar", "numarasi", "numer", "numero", "stevilka",
    "sistema", "systeem",
    "system", "systeme",
  ]
  private static let sharedEndings = ["nummer", "number", "numero", "nr"]

  /// The longest word of a label that does not occur in other labels.
  private static func core(of label: String) -> [Unicode.Scalar] {
    let words = label.split { " ()".contains($0) }.map { String(String.UnicodeScalarView(plainScalars($0))) }
    guard let word = words.filter({ !sharedWords.contains($0) }).max(by: { $0.count < $1.count }) else { return [] }
    let ending = sharedEndings.first { word.hasSuffix($0) && word.count > $0.count + 3 } ?? ""
    return plainScalars(word.dropLast(ending.count))
  }

  /// Whether the distinguishing word of a label is at the end of a text, with few errors.
  private static func holdsCore(of label: Label, _ text: [Unicode.Scalar]) -> Bool {
    let most = label.mostEditsOfCore
    let end = text.suffix(label.scalars.count + most)
    let core = label.core[...]
    guard core.count > most else { return true }
    return end.indices.contains { start in
      (core.count - 1...core.count + 1).contains { length in
        start + length <= end.endIndex && editDistance(end[start...].prefix(length), core, limit: most) <= most
      }
    }
  }

  /// What stands between words and behind a label.
  private static let marks: Set<Character> = [" ", ".", ":", ";", "-", "#", "%"]

  /// Rates `S/N`, `SN:`, `SL#`, `(S)`, `Ser.-Nr.` and their usual misreads at the end of the text, as whole words.
  private static func shortLabelStrength(before value: some StringProtocol) -> Double {
    let end = value.suffix(16)
    let words = end.uppercased().replacing("$", with: "S").replacing("5", with: "S").split { marks.contains($0) }
    // `51` and `(5)` are numbers, whatever their digits look like.
    guard let last = end.split(whereSeparator: marks.contains).last, last.contains(where: \.isLetter) else {
      return 0
    }
    switch words.last {
    case "S/N", "S/IN", "S/H", "(S)", "S/NO", "N/S": return Strengths.short
    case "SL":
      // Other words end in it, or in what looks like it.
      let whole = value.filter { $0 != " " }
      return String(whole) == "SL" || whole.last.map { ".:#".contains($0) } ?? false ? Strengths.short : 0
    case "SIN", "SI", "S1", "S|N", "S1N", "SLN":
      if value.hasSuffix(":") || value.hasSuffix("#") { return Strengths.short }
      // `Si` begins a word, and `EDGE-SI` ends in another one.
      return last.contains(where: \.isLowercase) || end[..<last.startIndex].hasSuffix("-") ? 0 : Strengths.least
    case "SER": return [".", ":", "#"].contains { value.hasSuffix($0) } ? Strengths.short : 0
    default:
      let isMarked = value.suffix(8).contains { ".:#-".contains($0) }
      return (1...3).map { abbreviationStrength(words.suffix($0).joined(), isMarked: isMarked) }.max() ?? 0
    }
  }

  /// Rates words joined together as an abbreviation of a serial's label: 2 if exact. With errors it needs a mark, since
  /// `Serum` and `Servo` are words.
  private static func abbreviationStrength(_ word: String, isMarked: Bool) -> Double {
    if abbreviations.contains(word) { return Strengths.short }
    let scalars = Array(word.unicodeScalars)
    guard isMarked, word.hasPrefix("SE"), scalars.count >= 4 else { return 0 }
    return abbreviations.contains { editDistance(scalars[...], Array($0.unicodeScalars)[...], limit: 1) <= 1 }
      ? Strengths.least : 0
  }

  /// Upper-case abbreviations of a serial's label, without dots and hyphens.
  private static let abbreviations: Set<String> = [
    "SERNR", "SERNO", "SERNUM", "SERIENR", "SERINO", "SLNO", "SN", "SNR", "SNO",
  ]
  /// All labels of serials, long ones and abbreviations.
  private static let printedLabels = serialLabels.map(\.scalars) + abbreviations.map(plainScalars)
  /// Abbreviations that are labels only if nothing else is in the text, or with a dot or colon.
  private static let wholeWords: Set<String> = ["SER", "SL"]

  /// Returns the text's letters in lower case and its digits, without accents.
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
