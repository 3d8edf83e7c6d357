// The labels that are printed before serials and before other values.

extension LabelKeywords {
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

  /// Cyrillic labels as read by a reader that knows only Latin letters: `Серийный номер` in four typefaces.
  /// `Инвентарный номер` is five edits from the closest one.
  private static let latinViews = ["Cepinnbii Homep", "Cepiihbii Homep", "CepHHHbliH H0MeD", "CepHiHbli H0MED"]

  /// Upper-case abbreviations of a serial's label, without dots and hyphens.
  static let abbreviations: Set<String> = [
    "SERNR", "SERNO", "SERNUM", "SERIENR", "SERINO", "SLNO", "SN", "SNR", "SNO",
  ]
  /// Abbreviations that are labels only if nothing else is in the text, or with a dot or colon.
  static let wholeWords: Set<String> = ["SER", "SL"]

  /// Words that serials' labels share with other labels, and endings that their words share (`Seriennummer`,
  /// `Teilenummer`).
  static let sharedWords: Set<String> = [
    "broj", "cislo", "de", "di", "no", "nomor", "nr", "number", "numar", "numarasi", "numer", "numero", "stevilka",
    "sistema", "systeem", "system", "systeme",
  ]
  static let sharedEndings = ["nummer", "number", "numero", "nr"]

  /// The labels of serials.
  static let serialLabels =
    serialTexts.map { Label($0, isSerial: true, hasCore: true) } + latinViews.map { Label($0, isSerial: true) }
  /// The labels of other values.
  static let otherLabels = otherTexts.map { Label($0, isSerial: false) }
}
