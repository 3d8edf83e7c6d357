// Serials of parts, such as a disk, a battery or a display: their labels, and what stands beside them.

extension LabelKeywords {
  /// What a line says about the serial in its row or beside it.
  public enum Part: Sendable {
    /// A field of a part stands beside a part's serial: `Link Width: x4`.
    case field
    /// It is the label of a part's serial: `Battery Serial No.`.
    case label
    /// It is the label of the serial of a part that may be an Apple device of its own: `Display Serial Number`.
    case labelOfDevice
  }

  /// What a line says of a part; nil if nothing.
  public static func part(in line: some StringProtocol) -> Part? { isFieldOfPart(line) ? .field : partOfLabel(line) }

  /// Words that name a part in front of a serial's label: `Battery Serial Number`, `Mainboard S/N`.
  private static let parts: Set<String> = [
    "accu", "akku", "antenna", "baseband", "baseboard", "batteri", "batteria", "batterie", "batterij", "battery",
    "bateria", "board", "camera", "cpu", "dimm", "disk", "drive", "fan", "fotocamera", "gpu", "hdd", "kamera", "lcd",
    "logicboard", "mainboard", "memory", "modem", "module", "motherboard", "nand", "nvme", "panel", "pcb", "psu", "ram",
    "screen", "sensor", "speaker", "ssd", "touchpad",
  ]
  /// Words that name a part or an accessory which may be an Apple device of its own, and devices beside it.
  private static let partsOrDevices: Set<String> = [
    "adapter", "bildschirm", "charger", "display", "dock", "drucker", "headset", "keyboard", "ladegerat", "monitor",
    "mouse", "netzteil", "printer", "projector", "router", "scanner", "tastatur", "trackpad", "webcam",
  ]

  /// What part a text names right before a serial's label at its end; nil if none.
  static func partOfLabel(_ text: some StringProtocol) -> Part? {
    let words = words(of: text)
    guard let index = words.lastIndex(where: { parts.contains($0.plain) || partsOrDevices.contains($0.plain) }),
      index < words.count - 1
    else { return nil }
    // `Memory 16 GB Serial Number` names two fields.
    let label = text[words[index].end...].drop { !$0.isLetter && !$0.isNumber }
    guard label.first?.isLetter ?? false, isSerialLabel(label) else { return nil }
    return parts.contains(words[index].plain) ? .label : .labelOfDevice
  }

  /// The words of a text in plain letters, each with its end; also those of `BatterySerialNumber`.
  private static func words<Text: StringProtocol>(of text: Text) -> [(plain: String, end: Text.Index)] {
    var words: [(plain: String, end: Text.Index)] = []
    var word = String.UnicodeScalarView()
    var previous: Character?
    for index in text.indices {
      let character = text[index]
      if !character.isLetter || (character.isUppercase && previous?.isLowercase ?? false), !word.isEmpty {
        words.append((String(word), index))
        word.removeAll()
      }
      if character.isLetter { word.append(contentsOf: plainScalars(String(character))) }
      previous = character
    }
    return word.isEmpty ? words : words + [(String(word), text.endIndex)]
  }

  /// Fields that system reports list for a part and for no device.
  private static let fieldsOfParts = [
    // Storage.
    "ATA Version", "BSD", "Detachable Drive", "Largeur du lien", "Link Speed", "Link Width", "LU WWN", "Medium Type",
    "Model Family", "Namespaces", "Native Command", "Nom BSD", "Nombre BSD", "Nome BSD", "Number of Namespaces",
    "Partition Map", "PCI Vendor", "Queue Depth", "Removable Media", "Rotational Rate", "SATA Version", "Sector Size",
    "Start of information", "Total NVM", "TRIM Support", "TRIM-Unterstützung", "User Capacity", "Verbindungsbreite",
    "Verbindungsgeschwindigkeit", "Vitesse du lien", "Wechselmedien",
    // USB.
    "Current Available", "Current Required", "Hersteller-ID", "ID du fabricant", "ID du fournisseur",
    "ID del fabricante", "ID del proveedor", "ID produttore", "Vendor ID",
    // Batteries and chargers.
    "AC Charger", "Batterieinformationen", "Battery Information", "Cell Revision", "Device Name bq", "Fully Charged",
    "Informations sur la batterie", "Pack Lot", "PCB Lot", "Wattage", "Zellenrevision",
    // Memory.
    "BANK 0/DIMM", "BANK 1/DIMM", "BANK 2/DIMM", "BANK 3/DIMM", "DIMM0", "DIMM1", "Part Number HM", "Part Number M4",
  ].map(plainScalars)

  private static func isFieldOfPart(_ line: some StringProtocol) -> Bool {
    let plain = plainScalars(line)
    return line.hasPrefix("S.M.A.R.T") || fieldsOfParts.contains { plain.starts(with: $0) }
  }
}
