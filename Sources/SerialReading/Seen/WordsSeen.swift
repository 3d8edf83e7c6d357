import AppleSerial
import Imaging
import ScanModel
import TextReading

/// The device makers named in one photo, in text read by any strategy.
///
/// Some makers' serials have the format of Apple's and the same label.
package struct MakersSeen {
  /// Whether Apple or an Apple device is named.
  private(set) var isAppleNamed = false
  private(set) var isOtherNamed = false

  /// Mean confidence of a line, 0...100, from which its names count.
  private static let leastConfidence: Float = 95
  private static let apple: Set<String> = [
    "apple", "iphone", "ipad", "ipod", "macbook", "imac", "macos", "ipados", "airpods", "airtag", "homepod", "watchos",
    "tvos",
  ]
  /// Names that are something else in other case: `MAC` addresses, Cisco's `IOS`.
  private static let appleInThisCase: Set<String> = ["Mac", "iOS"]
  /// Makers of computers, telephones, cameras, printers, inverters, network and household devices and accessories, and
  /// devices named without their maker.
  private static let others: Set<String> = [
    "acer", "adtran", "agilent", "alcatel", "alienware", "android", "anker", "aqara", "arcadyan", "arista", "arris",
    "askey", "aspire", "asrock", "asus", "asustor", "avaya", "belkin", "benq", "bixolon", "blackberry",
    "blackmagic", "bosch", "bose", "broadlink", "brother", "calix", "canon", "casio", "chromebook", "cisco",
    "corsair", "cradlepoint", "crestron", "cyberpower", "dahua", "daikin", "datalogic", "dell", "denon", "dewalt",
    "deye", "dlink", "draytek", "dreame", "dymo", "dynabook", "dyson", "eaton", "ecobee", "ecovacs", "edgerouter",
    "edimax", "eizo", "electrolux", "elitebook", "engenius", "enphase", "epson", "ericsson", "espressif", "eufy",
    "extron", "ezviz", "fairphone", "fiberhome", "fitbit", "fortigate", "fortinet", "foscam", "fronius", "fujifilm",
    "fujitsu", "galaxy", "garmin", "getac", "gigaset", "givenergy", "goodwe", "gopro", "grandstream", "growatt",
    "grundig", "haier", "hewlett", "hgst", "hikvision", "hisense", "hitachi", "hitron", "honeywell", "hoymiles",
    "huawei", "hynix", "ideapad", "iiyama", "infinix", "ingenico", "inspiron", "intermec", "irobot", "jabra",
    "juniper", "kenwood", "keysight", "kindle", "kingston", "kioxia", "kyocera", "lacie", "laserjet", "leica",
    "lenovo", "lexar", "lexmark", "linksys", "logitech", "makita", "marantz", "medion", "meraki", "mercusys", "miele",
    "mikrotik", "mitel", "motorola", "nanoleaf", "netatmo", "netgear", "nikon", "nintendo", "nokia", "oculus",
    "officejet", "olympus", "oneplus", "onkyo", "oppo", "optiplex", "panasonic", "peplink", "philips", "plantronics",
    "playstation", "polaroid", "polycom", "poweredge", "probook", "proliant", "qnap", "razer", "realme", "redmi",
    "reolink", "ricoh", "rigol", "roborock", "roku", "roomba", "ruckus", "sagemcom", "samsung", "sandisk", "sanyo",
    "seagate", "seiko", "sennheiser", "sercomm", "siemens", "skyworth", "snom", "solaredge", "sonicwall", "sonoff",
    "sonos", "sony", "sophos", "sungrow", "sunmi", "supermicro", "suunto", "synology", "technicolor", "tecno",
    "tektronix", "telefunken", "teltonika", "terramaster", "thinkcentre", "thinkpad", "tomtom", "toshiba", "totolink",
    "tplink", "tuya", "ubiquiti", "ubnt", "ulefone", "unifi", "unitech", "uniview", "vaio", "verifone", "vertiv",
    "vestel", "victron", "viewsonic", "vivobook", "vizio", "vostro", "wacom", "wallbox", "watchguard", "whirlpool",
    "withings", "wyze", "xbox", "xerox", "xiaomi", "yamaha", "yealink", "yeelight", "zebra", "zenbook", "zyxel",
  ]
  /// Makers' names that are short enough to be part of a word or are words in other case, and terms printed only on
  /// hard disks and optical network terminals.
  private static let othersInThisCase: Set<String> = [
    "AOC", "APC", "AVM", "DJI", "EPON", "GPON", "HP", "hp", "HTC", "JBL", "JVC", "LG", "MSI", "NEC", "SATA", "TCL",
    "WD", "WDC", "WWN", "XPON", "ZTE",
  ]

  package init() {}

  /// Whether neither Apple nor another maker is named.
  var isSilent: Bool { !isAppleNamed && !isOtherNamed }

  package mutating func note(_ line: TextLine) {
    guard line.meanConfidence >= Self.leastConfidence else { return }
    isAppleNamed = isAppleNamed || Self.namesApple(line.text)
    isOtherNamed = isOtherNamed || Self.namesOther(line.text)
    let words = Self.words(of: line.text)
    isAppleNamed = isAppleNamed || LookAlike.namesDevice(line.text) || words.contains(where: Self.isOrderNumber)
    let parts = words.flatMap { $0.split(separator: "-") }.map(String.init)
    isOtherNamed =
      isOtherNamed || parts.contains(where: Self.othersInThisCase.contains) || Self.namesOtherModel(words)
      || Self.namesOtherGrantee(words)
  }

  /// Whether other makers are named, but neither Apple nor an Apple device.
  package var areOthersAlone: Bool { isOtherNamed && !isAppleNamed }

  /// Whether a text contains the name of Apple or of its devices or systems as a word.
  static func namesApple(_ text: String) -> Bool {
    letterWords(of: text).contains { apple.contains($0.lowercased()) || appleInThisCase.contains($0) }
  }

  /// Whether a text contains the name of another maker as a word, including misread letters (`EL1TeBook`).
  private static func namesOther(_ text: String) -> Bool {
    // `TP-Link` is one word.
    [text, text.replacing("-", with: "")].contains { letterWords(of: $0).contains { isOther($0.lowercased()) } }
      || text.lowercased().split { !$0.isLetter && !$0.isNumber }.contains { word in
        guard word.contains(where: \.isNumber) else { return false }
        let letters = word.replacing("0", with: "o").replacing("5", with: "s")
        return ["i", "l"].contains { others.contains(String(letters.replacing("1", with: $0))) }
      }
  }

  /// Whether a word is the name of another maker, or a long one whose first stroke was read twice (`lLaserJet`).
  private static func isOther(_ word: String) -> Bool {
    others.contains(word) || (word.count > lettersOfLongName && others.contains(String(word.dropFirst())))
  }

  /// Minimum length of a name that no common word ends in.
  private static let lettersOfLongName = 6

  private static func letterWords(of text: String) -> [String] {
    text.split { !$0.isLetter }.map(String.init)
  }

  /// Words before a model, and words between the two.
  private static let modelLabels: Set<String> = [
    "model", "modell", "modèle", "modele", "modelo", "modello", "mdl", "m/n", "mtm",
  ]
  private static let fillers: Set<String> = ["no", "nr", "number", "code", "name", "id"]
  /// Minimum length of a model that is not a word, such as `5R1390` or `SM-G991B`.
  private static let leastOfModel = 4

  /// Whether words name the model of a non-Apple device. Apple's models are `A2141`, `MacBookPro16,1` or a name.
  private static func namesOtherModel(_ words: [String]) -> Bool {
    guard let label = words.firstIndex(where: { modelLabels.contains($0.lowercased()) }),
      let model = words[(label + 1)...].first(where: { !fillers.contains($0.lowercased()) })
    else { return false }
    return model.count >= leastOfModel && model.contains(where: \.isNumber) && model.contains(where: \.isUppercase)
      && !isModelOfApple(model)
  }

  /// Whether a model may be Apple's, even if a digit was read as a letter, the model is cut off or joined to the next
  /// word, or an order number lacks its country.
  private static func isModelOfApple(_ model: String) -> Bool {
    let plain = Array(model.uppercased().utf8)
    if plain.first == UInt8(ascii: "A"), plain.count == 5 || plain[1] <= UInt8(ascii: "9") { return true }
    return apple.contains { model.lowercased().hasPrefix($0) } || model.hasPrefix("Mac") || isOrderNumber(model)
      || (plain.count == 5 && model.first.map(beginningsOfOrderNumbers.contains) ?? false)
  }

  /// Apple's code in FCC IDs, and those of makers of radio modules used in old Macs as well as in other makers'
  /// computers.
  private static let granteeOfApple = Array("BCG".utf8)
  private static let granteesOfModules: Set<String> = ["QDS", "PPD", "PD9"]

  /// Whether words contain the FCC ID of a non-Apple device. Its first three characters, or five if it begins with a
  /// digit, are the code of the company that holds the grant (47 CFR 2.926).
  private static func namesOtherGrantee(_ words: [String]) -> Bool {
    guard let mark = words.firstIndex(of: "FCC"), mark + 2 < words.count, words[mark + 1] == "ID" else { return false }
    let identifier = words[mark + 2]
    let grantee = identifier.prefix(3)
    guard identifier.count >= 6, grantee.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) }),
      !granteesOfModules.contains(String(grantee))
    else { return false }
    // An Apple code may be misread.
    let alike = zip(grantee.utf8, granteeOfApple).count { $0 == $1 || Confusions.areConfusable($0, $1) }
    return alike < 2
  }

  /// Whether a word is an Apple order number. Without the slash before its last letter (`MVVJ2LLA`), other makers'
  /// models (`WD10EZEX`) and misread words resemble one, so that letter must be the usual `A`.
  private static func isOrderNumber(_ word: String) -> Bool {
    LookAlike(word) == .partNumber && word.contains(where: \.isNumber)
      && (word.contains("/") || (word.hasSuffix("A") && word.first.map(beginningsOfOrderNumbers.contains) ?? false))
  }

  /// First letters of Apple's order numbers: new, refurbished, replacement, engraved and configured devices.
  private static let beginningsOfOrderNumbers: Set<Character> = ["F", "M", "N", "P", "Z"]

  /// The words of a text, without the punctuation around them.
  private static func words(of text: String) -> [String] {
    text.split { " :,;#()=.".contains($0) }.map(String.init)
  }
}

/// A line that names an Apple device as the device's own label does. A serial beside it may have no label.
package struct DeviceMark: Sendable {
  private let place: Sighting

  /// Maximum distance of two lines' centres to count as beside each other, in capital heights: a label of a few lines.
  private static let reach = 16.0

  /// Creates a mark from a line; nil if its text names no device, by its model number or as a product.
  package init?(_ text: String, at place: Sighting) {
    guard LookAlike.namesDevice(text) || Self.isProduct(text) else { return nil }
    self.place = place
  }

  /// Whether it stands beside a read, in letters of about the same size.
  package func isBeside(_ read: Sighting) -> Bool {
    read.capital > 0 && Sighting.alikeHeights.contains(place.capital / read.capital)
      && (place.middle - read.middle).length <= Self.reach * read.capital
  }

  /// Whether a line is one printed on devices: it names an Apple device, says where the device was designed and
  /// assembled, or gives its mains voltage.
  package static func isDevicePrint(_ text: String) -> Bool {
    let plain = text.lowercased().filter { $0 != " " }
    return LookAlike.namesDevice(text) || phrases.contains(where: plain.contains)
  }

  /// Whether a line is the name of a product, such as `iPad Pro 11-inch`, and hardly more.
  private static func isProduct(_ text: String) -> Bool {
    text.split(separator: " ").count <= mostWords && products.contains(where: text.hasPrefix)
  }

  /// Maximum number of words of a product's name: `MacBook Pro 16-inch 2021`.
  private static let mostWords = 5
  private static let products = [
    "iPhone", "iPad", "iPod", "MacBook", "iMac", "Mac mini", "Mac Pro", "Mac Studio", "AirPods", "AirTag", "HomePod",
    "Apple Watch", "Apple TV", "Apple Pencil", "Studio Display", "Magic Keyboard", "Magic Mouse", "Magic Trackpad",
  ]

  private static let phrases = [
    "designedbyapple", "appleincalifornia", "california.assembled", "californiaassembled", "100-240v", "poweradapter",
  ]
}

/// The words read in one photo, by any strategy, that are as long as the longer serials or slightly longer.
package struct LongWords {
  /// The words, with look-alikes folded to the characters of serials.
  private var words: Set<[UInt8]> = []

  /// Mean confidence of a line, 0...100, from which its words are noted.
  private static let leastConfidence: Float = 97
  private static let lengths = 11...14
  /// Number of characters by which a word may exceed a serial contained in it.
  private static let extra = 1...4

  package init() {}

  package mutating func note(_ line: TextLine) {
    guard line.meanConfidence >= Self.leastConfidence else { return }
    let symbols = line.symbols
    let starts = symbols.indices.filter { $0 == 0 || symbols[$0].startsWord } + [symbols.count]
    for (start, end) in zip(starts, starts.dropFirst()) where Self.lengths.contains(end - start) {
      let bytes = symbols[start..<end].compactMap(\.serialByte)
      if bytes.count == end - start { words.insert(bytes) }
    }
  }

  /// Whether a word extends a serial by a few characters at either end. The serial may then be incomplete, and another
  /// one than the device's. A word too long for a serial may be one with a doubled character. A serial of the maximum
  /// length is never incomplete.
  package func continues(_ serial: String) -> Bool {
    let bytes = Array(serial.utf8)
    guard bytes.count < SerialNumber.Format.twelve.length else { return false }
    return words.contains { word in
      Self.extra.contains(word.count - bytes.count)
        && (word.starts(with: bytes) || word.suffix(bytes.count) == bytes[...])
    }
  }
}
