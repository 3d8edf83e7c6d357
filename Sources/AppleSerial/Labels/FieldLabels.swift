/// The printed labels of fields beside serials, in the languages of Apple's products.
///
/// Labels must match exactly, because a value under the wrong label is worthless. Abbreviations may differ in characters
/// that look like I: their values have check digits.
enum FieldLabels {
  /// Returns the kinds of values announced by the label at the end of a text; empty if there is none.
  static func kinds(after text: some StringProtocol) -> Set<DeviceField.Kind> {
    let words = text.suffix(longest).split { $0.isWhitespace || ":#.()=".contains($0) }
    for count in (1...mostWords).reversed() where words.count >= count {
      let label = plain(words.suffix(count).joined())
      if let kinds = byLabel[label] ?? byFoldedAbbreviation[folded(label)] { return kinds }
    }
    return []
  }

  private static let longest = 48
  private static let mostWords = 4

  private static func plain(_ text: some StringProtocol) -> String {
    String(String.UnicodeScalarView(LabelKeywords.plainScalars(text)))
  }

  /// Replaces what a reader takes for an `I` in a label of capitals (`IMEl`, `ICCJD`).
  private static func folded(_ label: String) -> String {
    String(label.map { "l1|!j".contains($0) ? "i" : $0 })
  }

  private static let byFoldedAbbreviation: [String: Set<DeviceField.Kind>] = {
    let kinds = [Set([DeviceField.Kind.imei]), [.imei2], [.meid], [.eid], [.iccid]]
    let labels = texts.filter { kinds.contains($0.kinds) }.flatMap { entry in entry.labels.map { ($0, entry.kinds) } }
    return Dictionary(labels.map { (folded(plain($0.0)), $0.1) }) { first, _ in first }
  }()

  private static let byLabel: [String: Set<DeviceField.Kind>] = {
    var found: [String: Set<DeviceField.Kind>] = [:]
    for (kinds, labels) in texts {
      for label in labels { found[plain(label), default: []].formUnion(kinds) }
    }
    return found
  }()

  private static let texts: [(kinds: Set<DeviceField.Kind>, labels: [String])] = [
    // An About page shows the order number there, and the model number after a tap.
    (
      [.modelNumber, .partNumber, .modelIdentifier],
      [
        "Model", "Model No.", "Model Number", "Modell", "Modellnummer", "Modelnummer", "Model Nr.", "Modell-Nr.",
        "Modèle", "Numéro de modèle", "N° de modèle", "Modelo", "Número de modelo", "Modello", "Numero modello",
        "Numero di modello", "Номер модели", "Модель", "Číslo modelu", "Mallinumero", "Modellnummer", "Numer modelu",
        "型号", "型號", "モデル番号", "모델 번호",
      ]
    ),
    ([.emc], ["EMC", "EMC No."]),
    (
      [.partNumber],
      [
        "Part No.", "Part Number", "Part", "P/N", "(1P)", "(1P) Part No.", "Teilenummer", "Teile-Nr.", "Artikelnummer",
        "Référence", "Apple Part No.",
      ]
    ),
    (
      [.modelIdentifier],
      [
        "Model Identifier", "Modell-Identifizierung", "Modellidentifizierung", "Modell-ID", "Identifiant du modèle",
        "Identificador del modelo", "Identificador de modelo", "Identificativo modello", "Model ID",
      ]
    ),
    ([.imei], ["IMEI", "IMEI1", "IMEI 1", "IMEI No.", "Primary IMEI"]),
    ([.imei2], ["IMEI2", "IMEI 2"]),
    ([.imei, .meid], ["IMEI/MEID", "MEID/IMEI", "IMEI1/MEID"]),
    ([.imei2, .meid], ["IMEI2/MEID"]),
    ([.meid], ["MEID", "MEID2"]),
    ([.eid], ["EID"]),
    ([.iccid], ["ICCID"]),
    (
      [.wifiAddress],
      [
        "Wi-Fi Address", "Wi-Fi", "WLAN-Adresse", "WLAN", "Adresse Wi-Fi", "Dirección Wi-Fi", "Indirizzo Wi-Fi",
        "Endereço Wi-Fi", "Wi-Fi-adres", "Wi-Fi-adress", "Wi-Fi MAC", "Wi-Fi MAC Address", "WLAN MAC", "Adres Wi-Fi",
        "无线局域网地址", "Wi-Fi 地址", "Wi-Fi アドレス", "Wi-Fi 주소",
      ]
    ),
    (
      [.bluetoothAddress],
      ["Bluetooth", "Bluetooth Address", "Bluetooth-Adresse", "Adresse Bluetooth", "Bluetooth MAC", "蓝牙", "블루투스"]
    ),
    ([.upc], ["UPC", "EAN", "UPC/EAN", "EAN/UPC", "GTIN", "JAN"]),
    (
      [.capacity],
      [
        "Capacity", "Kapazität", "Capacité", "Capacidad", "Capacità", "Capacidade", "Capaciteit", "Kapacitet",
        "Pojemność", "Kapacita", "总容量", "容量", "용량",
      ]
    ),
    ([.color], ["Color", "Colour", "Farbe", "Couleur", "Colore", "Kleur"]),
    (
      [.osVersion],
      [
        "Software Version", "Softwareversion", "iOS Version", "iPadOS Version", "watchOS Version", "OS Version",
        "System Version", "Version logicielle", "Version du logiciel", "Versión de software", "Versión del software",
        "Versione software", "Versão do software", "iOS", "iPadOS", "macOS", "watchOS", "tvOS", "visionOS", "OS X",
        "软件版本", "iOS 版本", "ソフトウェアバージョン", "소프트웨어 버전",
      ]
    ),
  ]
}
