/// The words that announce a serial, and those that announce something else, in the languages of Apple's products.
///
/// A label is searched for at the end of the text before a value. It is compared without case, accents, spaces and
/// punctuation, and with as many edits as its length bears, since labels are misread too.
public enum LabelKeywords {
  /// How strongly the text before a value announces a serial, and how strongly something else.
  public struct Strengths: Sendable, Equatable {
    /// 0 (nothing) to 5.5 (`Serial Number`, every letter right).
    public var serial: Double
    /// 0 (nothing) to 5 (`Model Number`, every letter right).
    public var other: Double

    /// The least that announces anything.
    public static let least = 1.5
    /// The least of a label with every letter right: `S/N`.
    public static let short = 2.0
    /// The least of a label that is certainly one: every letter of `Serial`, or nearly all of a longer one.
    public static let leastOfKnown = 2.5

    /// Creates strengths.
    public init(serial: Double, other: Double) {
      self.serial = serial
      self.other = other
    }

    /// Whether the text is a serial's label, and more so than anything else's.
    public var announcesSerial: Bool { serial >= Self.least && serial >= other }
    /// Whether the text is the label of something that is no serial.
    public var announcesOther: Bool { other >= Self.least && other > serial }
  }

  /// Judges the text that ends where a value begins.
  ///
  /// - Parameter isCut: Whether the text begins at the picture's edge, so that a label may lack its beginning.
  public static func strengths(before value: some StringProtocol, isCut: Bool = false) -> Strengths {
    let plain = plainScalars(value.suffix(40))
    var found = Strengths(serial: shortLabelStrength(before: value), other: 0)
    for label in serialLabels {
      guard let edits = edits(of: label, endingIn: plain, spare: 1) else { continue }
      found.serial = max(found.serial, label.weight - Double(edits) + (label.isLong ? 0.5 : 0))
    }
    for text in [plain, unqualified(value).map { plainScalars($0.suffix(40)) }].compactMap({ $0 }) {
      for label in otherLabels {
        guard let edits = edits(of: label, endingIn: text, spare: 0) else { continue }
        found.other = max(found.other, label.weight - Double(edits))
      }
    }
    if found.announcesOther, let slash = value.lastIndex(of: "/") {
      // Of `Serial / IMEI` it is the value's shape that tells which of both it is.
      let first = strengths(before: value[..<slash])
      if first.serial >= Strengths.leastOfKnown { found = Strengths(serial: Strengths.short, other: 0) }
    }
    if isCut {
      found.serial = max(found.serial, serialLabels.map { cutStrength(of: $0, in: plain) }.max() ?? 0)
      found.other = max(found.other, otherLabels.map { cutStrength(of: $0, in: plain) }.max() ?? 0)
    }
    return found
  }

  /// A text without the word in parentheses that it ends with: `Password` of `Password (WPA):`, or `Password CWPA):`; nil where there is none.
  private static func unqualified<Text: StringProtocol>(_ text: Text) -> Text.SubSequence? {
    guard let end = text.lastIndex(where: { !" :#.".contains($0) }), text[end] == ")" else { return nil }
    return text[..<end].lastIndex { $0 == "(" || $0 == " " }.map { text[..<$0] }
  }

  /// Judges what a model writes that knows labels in other scripts and writes `Serial` for a serial's and `Model` for any other.
  ///
  /// - Parameters:
  ///   - text: What it wrote.
  ///   - latin: What a model that knows Latin letters alone read in the same place. Where both read much the same, the label is in
  ///     Latin letters, and is judged as such: `Social` is no misread `Serial` then.
  public static func strengths(inOtherScripts text: String, latin: String) -> Strengths {
    let found = strengths(before: text)
    guard !found.announcesSerial, !found.announcesOther else { return found }
    let (word, latinWord) = (firstWord(of: text), firstWord(of: latin))
    let isSerial =
      isSerial(text, mostEdits: 2, unlike: latin) || (word != text && isSerial(word, mostEdits: 1, unlike: latinWord))
    return isSerial ? Strengths(serial: Strengths.least, other: 0) : found
  }

  /// The model goes on with letters of its own at times (`Serill HdMep`).
  private static func firstWord(of text: String) -> String { text.split(separator: " ").first.map(String.init) ?? "" }

  /// Whether a text is `Serial` with few letters wrong, and another reading of it is something else.
  private static func isSerial(_ text: String, mostEdits: Int, unlike latin: String) -> Bool {
    let plain = plainScalars(text)
    let likeness = editDistance(plain[...], plainScalars(latin)[...], limit: plain.count)
    return editDistance(plain[...], plainScalars("Serial")[...], limit: mostEdits) <= mostEdits
      && 2 * likeness > plain.count
  }

  /// Whether a text is a serial's label and then one to three characters more, as happens where the beginning of the value
  /// was taken for the label's end: `Serial No. C` before `1MWMQHD4SWV`.
  public static func holdsBeginningOfValue(_ text: some StringProtocol) -> Bool {
    let words = text.split { $0 == " " || $0 == ":" }
    guard words.count >= 2, let last = words.last, last.count <= 3, !endsOfLabels.contains(String(last)),
      last.utf8.allSatisfy(SerialNumber.isInAlphabet)
    else { return false }
    return strengths(before: text.prefix(upTo: last.startIndex)).announcesSerial
  }

  /// Short words in capitals that end a label.
  private static let endsOfLabels: Set<String> = ["NR", "N", "SN", "S"]

  /// How strongly a text is the end of a label whose beginning lies outside the picture: 1.5 for `Number`, which many
  /// labels end in, more for `rial Number`; 0 for none.
  private static func cutStrength(of label: Label, in text: [Unicode.Scalar]) -> Double {
    guard text.count >= 5, text.count < label.scalars.count, !label.isIdeographic else { return 0 }
    let edits = editDistance(text[...], label.scalars.suffix(text.count), limit: 1)
    guard edits <= 1 else { return 0 }
    return min(3, 1.5 + 0.4 * Double(text.count - 6)) - 0.5 * Double(edits)
  }

  /// Whether a text may be all that is left of a serial's label that the picture's edge cuts, too short to tell it from others': `No.`,
  /// `al`, `N:`, or a colon alone.
  public static func mayEndSerialLabel(_ text: some StringProtocol) -> Bool {
    let plain = plainScalars(text)
    if plain.isEmpty { return text.contains { ":)#".contains($0) } }
    if text.uppercased().hasSuffix("S)") { return plain.count == 1 }  // the data identifier on boxes, `(S)`
    return plain.count < 5 && printedLabels.contains { $0.suffix(plain.count) == plain[...] }
  }

  /// Whether a whole text, such as a line's or a structured payload's field name, is a serial's label and nothing more.
  public static func isSerialLabel(_ text: some StringProtocol) -> Bool {
    let plain = plainScalars(text)
    let word = String(String.UnicodeScalarView(plain)).uppercased()
    if abbreviations.contains(word) || wholeWords.contains(word) { return true }
    return serialLabels.contains { label in
      let tolerance = label.tolerance(isSerial: true)
      let edits = editDistance(plain[...], label.scalars[...], limit: tolerance)
      return edits <= tolerance && (edits <= mostEditsOfCore || holdsCore(of: label, plain))
    }
  }

  /// Labels of a serial, as they are printed.
  public static let serialTexts = [
    "Serial Number", "Serial Number (system)", "Number (system)", "Numéro de série (système)", "Seriennummer (System)",
    "Número de serie (sistema)", "Numero di serie (sistema)", "Número de série (sistema)", "Serienummer (systeem)",
    "Numer seryjny (system)", "Sériové číslo (systém)", "Serial No.", "Serial", "(S) Serial No.",
    "Seriennummer", "Seriennr.", "Numéro de série",
    "N° de série", "Série", "Número de serie", "N.º de serie", "Numero di serie", "N. di serie", "Número de série",
    "Serienummer", "Sériové číslo", "Серийный номер", "Sarjanumero", "Numer seryjny", "Seri numarası", "Sorozatszám",
    "Serijski broj", "Serijska številka", "Număr de serie", "Nomor Seri", "Seerianumber", "Výrobní číslo", "Ser.-Nr.",
    "Ser. No.",
    "序列号", "序號", "序列號", "シリアル番号", "일련번호",
  ]

  /// Labels of values that are no serial, as they are printed.
  public static let otherTexts = [
    "Model Number", "Modellnummer", "Modelnummer", "Numéro de modèle", "Número de modelo", "Numero modello",
    "Номер модели", "Číslo modelu", "Model Name", "Model", "Modell", "Modèle", "Modelo", "Part No.", "Part Number",
    "Teilenummer", "Référence", "IMEI", "IMEI2", "IMEI/MEID", "MEID", "EID", "SEID", "CSN", "ICCID", "UPC", "EAN",
    "Asset Tag", "Asset", "Asset No.", "Inventory", "Inv. Nr.", "Wi-Fi Address", "WLAN-Adresse", "Wi-Fi", "Bluetooth",
    "MAC", "EMC", "FCC ID", "IC", "CMIIT ID", "Modem Firmware", "Firmware", "Capacity", "Version", "Software Version",
    "Build Number", "Baseband Version", "Kernel Version", "Device Name", "Service Tag", "Product ID", "ProdID",
    "Warranty", "WWN", "UDID",
    "UUID", "Invoice", "Invoice No.", "Customer", "Customer No.", "Web Order", "Tracking", "Tracking No.", "Rechnung",
    "Rechnungsnummer",
    "Kundennummer", "Bestellnummer", "Facture", "Commande", "Factura", "Pedido", "Fattura", "Ordine",
    "Helpdesk", "Order No.", "Batch", "Lot", "Key", "Network Key", "Security Key", "Product Key", "Licence Key",
    "Schlüssel", "Netzwerkschlüssel", "Password", "Passwort", "Passphrase", "Passcode", "Kennwort", "WPA", "WPA2",
    "PSK", "Mot de passe", "Contraseña", "SSID",
    "型号", "型號", "モデル番号", "모델 번호",
  ]

  private struct Label: Sendable {
    let scalars: [Unicode.Scalar]
    let weight: Double
    /// Of a serial's label in several words the one that other labels do not have: `serial` of `Serial Number`; empty where it has none.
    let core: [Unicode.Scalar]
    /// Ideographs and kana: each carries as much as several letters, so no edit is allowed in short labels.
    let isIdeographic: Bool
    var isLong: Bool { scalars.count > 8 }

    init(_ text: String, isSerial: Bool, hasCore: Bool = false) {
      scalars = LabelKeywords.plainScalars(text)
      isIdeographic = scalars.contains { $0.value > 0x2E7F }
      let letters = isIdeographic ? scalars.count * 3 : scalars.count
      core = hasCore && !isIdeographic ? LabelKeywords.core(of: text) : []
      weight = isSerial ? (letters <= 8 ? 3 : 5) : (letters > 4 ? 3 : 2) + (letters > 8 ? 2 : 0)
    }

    func tolerance(isSerial: Bool) -> Int {
      if isIdeographic { return scalars.count > 4 ? 1 : 0 }
      return switch scalars.count {
      case ...4: 0
      case 5: isSerial ? 0 : 1
      case 6...7: isSerial ? 2 : 1
      case 8: isSerial ? 2 : 3
      default: isSerial ? min(4, scalars.count / 3) : 3
      }
    }
  }

  /// Cyrillic labels as a reader that knows Latin letters alone sees them: `Серийный номер` in four typefaces. `Инвентарный номер` is five letters
  /// away from the nearest.
  private static let latinViews = ["Cepinnbii Homep", "Cepiihbii Homep", "CepHHHbliH H0MeD", "CepHiHbli H0MED"]
  private static let serialLabels =
    serialTexts.map { Label($0, isSerial: true, hasCore: true) } + latinViews.map { Label($0, isSerial: true) }
  private static let otherLabels = otherTexts.map { Label($0, isSerial: false) }

  /// Least edits between a label and the end of a text, over ends a little shorter and longer; nil beyond tolerance.
  private static func edits(of label: Label, endingIn text: [Unicode.Scalar], spare: Int) -> Int? {
    let tolerance = label.tolerance(isSerial: spare == 1)
    guard text.count >= label.scalars.count - (tolerance > 0 ? spare : 0) else { return nil }
    // A short label must be a word of its own: `EID` at the end of `ICEID` is chance.
    let least = (tolerance > 0 ? [-1, 0, 1] : [0]).map { longer in
      editDistance(text.suffix(max(0, label.scalars.count + longer)), label.scalars[...], limit: tolerance)
    }.min()
    guard let least, least <= tolerance, least <= mostEditsOfCore || holdsCore(of: label, text) else { return nil }
    return least
  }

  /// Edits that the telling word of a label bears: with more in that word, `Serial Number` is `Build Number`.
  private static let mostEditsOfCore = 2
  /// Words that serials' labels share with others, and what others have in their last word too (`Seriennummer`, `Teilenummer`).
  private static let sharedWords: Set<String> = [
    "broj", "cislo", "de", "di", "no", "nomor", "nr", "number", "numar", "numarasi", "numer", "numero", "stevilka",
    "sistema", "systeem",
    "system", "systeme",
  ]
  private static let sharedEndings = ["nummer", "number", "numero", "nr"]

  /// The longest word of a label that others do not have.
  private static func core(of label: String) -> [Unicode.Scalar] {
    let words = label.split { " ()".contains($0) }.map { String(String.UnicodeScalarView(plainScalars($0))) }
    guard let word = words.filter({ !sharedWords.contains($0) }).max(by: { $0.count < $1.count }) else { return [] }
    let ending = sharedEndings.first { word.hasSuffix($0) && word.count > $0.count + 3 } ?? ""
    return plainScalars(word.dropLast(ending.count))
  }

  /// Whether the telling word of a label stands at the end of a text, with few letters wrong.
  private static func holdsCore(of label: Label, _ text: [Unicode.Scalar]) -> Bool {
    let end = text.suffix(label.scalars.count + mostEditsOfCore)
    let core = label.core[...]
    guard core.count > mostEditsOfCore else { return true }
    return end.indices.contains { start in
      (core.count - 1...core.count + 1).contains { length in
        start + length <= end.endIndex
          && editDistance(end[start...].prefix(length), core, limit: mostEditsOfCore) <= mostEditsOfCore
      }
    }
  }

  /// `S/N`, `SN:`, `SL#`, `(S)`, `Ser.-Nr.` at the end of the text, as words of their own, with their usual misreadings.
  private static func shortLabelStrength(before value: some StringProtocol) -> Double {
    let text = value.suffix(16).uppercased().replacing("$", with: "S").replacing("5", with: "S")
    let words = text.split { " .:;-#%".contains($0) }
    switch words.last {
    case "S/N", "SL", "S/IN", "S/H", "(S)", "S/NO", "N/S": return Strengths.short
    case "SIN", "SI", "S1", "S|N", "S1N", "SLN":
      if value.hasSuffix(":") || value.hasSuffix("#") { return Strengths.short }
      // `Si` is the beginning of a word.
      return value.suffix(3).contains(where: \.isLowercase) ? 0 : Strengths.least
    case "SER": return [".", ":", "#"].contains { value.hasSuffix($0) } ? Strengths.short : 0
    default: return (1...3).map { abbreviationStrength(words.suffix($0).joined()) }.max() ?? 0
    }
  }

  /// How strongly words written together are an abbreviation of a serial's label: 2 with every letter right.
  private static func abbreviationStrength(_ word: String) -> Double {
    if abbreviations.contains(word) { return Strengths.short }
    let scalars = Array(word.unicodeScalars)
    guard word.hasPrefix("SE"), scalars.count >= 4 else { return 0 }
    return abbreviations.contains { editDistance(scalars[...], Array($0.unicodeScalars)[...], limit: 1) <= 1 }
      ? Strengths.least : 0
  }

  /// Abbreviations of a serial's label in capitals, without their dots and hyphens.
  private static let abbreviations: Set<String> = [
    "SERNR", "SERNO", "SERNUM", "SERIENR", "SERINO", "SLNO", "SN", "SNR", "SNO",
  ]
  /// All labels of a serial's, long ones and abbreviations.
  private static let printedLabels = serialLabels.map(\.scalars) + abbreviations.map(plainScalars)
  /// Abbreviations that announce a serial only where they are all there is, or with a dot or colon.
  private static let wholeWords: Set<String> = ["SER", "SL"]

  /// Lower case letters and digits without accents.
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
