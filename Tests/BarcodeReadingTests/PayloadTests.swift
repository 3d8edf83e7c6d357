import AppleSerial
import BarcodeReading
import Foundation
import Testing

/// Covers: payloads of codes. The serial in a payload of any kind is extracted completely, and never includes part of an
/// escape.
@Suite struct PayloadTests {
  /// A kind of payload.
  struct Kind: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var isGS1 = false
    /// Whether the payload labels its serial.
    var isLabelled = true
    /// Writes a payload with a serial.
    var write: @Sendable (String) -> String

    init(
      _ name: String, isGS1: Bool = false, isLabelled: Bool = true, _ write: @escaping @Sendable (String) -> String
    ) {
      (testDescription, self.isGS1, self.isLabelled, self.write) = (name, isGS1, isLabelled, write)
    }
  }

  static let kinds = [
    Kind("mailto") { "mailto:help@example.org?subject=Serial%20\($0)" },
    Kind("mailto, line ends") { "MAILTO:help@example.org?subject=Mac&body=Model%3A%20A%0D%0ASerial%3A%20\($0)%0D%0A" },
    Kind("mailto, plus") { "mailto:help@example.org?subject=Serial+\($0)" },
    Kind("link, query") { "https://assets.example/item?id=77&serial=\($0)&v=2" },
    Kind("link, escaped label") { "https://assets.example/item?q=Serial%20Number%3A%20\($0)%20%2F%20Bob" },
    Kind("link, plus") { "https://assets.example/item?q=Serial+Number+\($0)+Bob" },
    Kind("link, equals escaped") { "https://assets.example/item?q=serial%3D\($0)%26x%3D1" },
    Kind("link, entities") { "https://assets.example/item?id=1&amp;serial=\($0)&amp;x=2" },
    Kind("link, path") { "HTTPS://ASSETS.EXAMPLE/DEVICES/SERIAL/\($0)/EDIT" },
    Kind("link, escaped path") { "https://assets.example/go/serial%2F\($0)" },
    Kind("link, escaped twice") { "https://assets.example/item?q=Serial%2520\($0)%2520x" },
    Kind("link within a link") { "https://sso.example/?to=https%3A%2F%2Fassets.example%2F%3Fserial%3D\($0)%26y%3D1" },
    Kind("link, fragment") { "https://assets.example/#/devices?serial=\($0)" },
    Kind("link, no scheme") { "www.assets.example/item?serial=\($0)" },
    Kind("link in a text") { "Mac of Bob https://assets.example/item?serial=\($0) thanks" },
    Kind("link, user and port") { "https://bob:x@assets.example:8443/s;serial=\($0)?a=b" },
    Kind("sms") { "SMSTO:+4912345:Serial%20\($0)" },
    Kind("link, unlabelled", isLabelled: false) { "https://assets.example/\($0)" },
    Kind("link, unlabelled, escaped", isLabelled: false) { "https://assets.example/?q=%20\($0)%20" },
    Kind("digital link") { "https://id.gs1.org/01/09506000134352/10/ABC%2F1/21/\($0)?17=261231" },
    Kind("digital link, own host") { "https://example.com/some/path/01/9506000134352/21/\($0)" },
    Kind("vcard") { "BEGIN:VCARD\nVERSION:3.0\nFN:IT\nNOTE:Serial\\: \($0)\\nof Bob\\, IT\nEND:VCARD" },
    Kind("vcard, quoted-printable") {
      "BEGIN:VCARD\r\nN:Doe\r\nNOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:"
        + "Serial=3A=20\($0)=0D=0Ax\r\nEND:VCARD"
    },
    Kind("vcard, soft line break") {
      "BEGIN:VCARD\r\nNOTE;QUOTED-PRINTABLE:Mac=20of=20Bob=\r\n=0ASerial=3A\($0.prefix(5))=\r\n"
        + "\($0.dropFirst(5))=3D\r\nEND:VCARD"
    },
    Kind("vcard, folded") {
      "BEGIN:VCARD\r\nNOTE:Mac of Bob\\nSerial: \($0.prefix(4))\r\n \($0.dropFirst(4))\\n\r\nEND:VCARD"
    },
    Kind("vcard, own property") { "BEGIN:VCARD\nFN:Mac\nitem1.X-SERIAL:\($0)\nEND:VCARD" },
    Kind("vcard, link") { "BEGIN:VCARD\nFN:Mac\nURL:https\\://assets.example/?q=Serial%20\($0)\nEND:VCARD" },
    Kind("mecard") { "MECARD:N:Doe,John;NOTE:Serial\\: \($0)\\;;URL:http\\://x.example;;" },
    Kind("matmsg") { "MATMSG:TO:help@example.org;SUB:Serial \($0);BODY:Mac;;" },
    Kind("json") { "{\"model\":\"A2141\",\"serial\":\"\($0)\",\"n\":1}" },
    Kind("json, escapes") { "{\"text\":\"Model\\u003a A2141\\nSerial\\u003a\($0)\\n\"}" },
    Kind("json, nested") { "{\"device\":{\"ids\":[{\"serial\":{\"value\":\"\($0)\"}},{\"asset\":\"77\"}]}}" },
    Kind("json, line end before") { "{\"note\":\"SN:\\t\($0)\\r\\nBob\"}" },
    Kind("json, link") { "[{\"url\":\"https:\\/\\/assets.example\\/?serial=\($0)\"}]" },
    Kind("json, loose") { "{serial:'\($0)', note:\"a\\nb\"}" },
    Kind("json, loose, link") { "{url:'https://assets.example/x',serial:'\($0)'}" },
    Kind("gs1", isGS1: true) { "010950600013435210AB1\u{1D}21\($0)" },
    Kind("gs1, serial first", isGS1: true) { "0109506000134352" + "21\($0)\u{1D}17261231" },
    Kind("gs1, symbology named") { "]C1010950600013435221\($0)" },
    Kind("gs1, separators alone") { "010950600013435210AB1\u{1D}21\($0)" },
    Kind("gs1, brackets") { "(01)09506000134352(10)AB(1)(21)\($0)" },
    Kind("gs1, brackets and spaces") { "(01) 09506000134352 (21) \($0)" },
    Kind("envelope") { "[)>\u{1E}06\u{1D}1PMVVJ2LL/A\u{1D}S\($0)\u{1D}Q1\u{1E}\u{4}" },
    Kind("envelope of gs1") { "[)>\u{1E}05\u{1D}0109506000134352\u{1D}21\($0)\u{1E}\u{4}" },
    Kind("envelope of texts") { "[)>\u{1E}12\u{1D}MFR APPLE\u{1D}SER \($0)\u{1E}\u{4}" },
    Kind("separated identifiers") { "1PMVVJ2LL/A\u{1D}S\($0)" },
    Kind("identifier") { "S\($0)" },
    Kind("text") { "Model: A2141\nSerial Number: \($0)\nAsset: 0012345678" },
    Kind("text, escaped") { "Serial%20Number%3A%20\($0)%0AAsset%3A%2077" },
    Kind("text, backslashes") { "Model: A2141\\nSerial: \($0)\\nAsset: 77" },
    Kind("text, entities") { "Serial&nbsp;No.&#58;&#x20;\($0)&nbsp;&amp; more" },
    Kind("text, markup") { "<device><serial>\($0)</serial><asset>77</asset></device>" },
    Kind("text, cjk") { "序列号\($0)，型号A2141" },
    Kind("text, zero width") { "\u{FEFF}Serial: \u{200B}\($0.prefix(6))\u{200B}\($0.dropFirst(6))" },
    Kind("text, camel case") { "hw.deviceSerial: \($0);" },
  ]

  private static func serials(_ text: String, isGS1: Bool = false) -> [SerialCode] {
    SerialCodes.serials(in: [
      Barcode(text: text, symbology: .qrCode, corners: [], libraries: [.zbar, .zxing], isGS1: isGS1)
    ])
  }

  /// Random valid serials of each format that are not another identifier, also after an `S`.
  private static func randomSerials(_ count: Int, format: SerialNumber.Format? = nil) -> [String] {
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789")
    var chance = Chance(state: 36)
    var serials: [String] = []
    while serials.count < count {
      let length = format?.length ?? 10 + Int(chance.next() * 3)
      let text = String((0..<length).map { _ in alphabet[Int(chance.next() * Double(alphabet.count))] })
      guard case .plain(let serial) = SerialPayload(text), case .identified = SerialPayload("S\(text)") else {
        continue
      }
      serials.append(serial.text)
    }
    return serials
  }

  @Test(arguments: kinds) func extractsWholeSerial(_ kind: Kind) {
    for serial in Self.randomSerials(200) where kind.isLabelled {
      // After an equals sign these may be the rest of a quoted-printable escape.
      if kind.write(serial).contains("%3D\(serial)"), serial.prefix(2).allSatisfy(\.isHexDigit) { continue }
      let found = Self.serials(kind.write(serial), isGS1: kind.isGS1)
      #expect(found.map(\.serial) == [serial], "\(kind.write(serial).debugDescription)")
      #expect(found.allSatisfy { $0.form == .labelled }, "\(kind.write(serial).debugDescription)")
    }
    for serial in Self.randomSerials(200, format: .twelve).map({ "C02" + $0.dropFirst(3) }) {
      #expect(Self.serials(kind.write(serial), isGS1: kind.isGS1).map(\.serial) == [serial])
    }
  }

  /// Also if the text is shorter than a serial, so that an escape beside it would complete it.
  @Test(arguments: kinds) func serialNeverOverlapsEscape(_ kind: Kind) {
    for serial in Self.randomSerials(200) {
      for cut in 1...4 {
        for part in [String(serial.dropFirst(cut)), String(serial.dropLast(cut))] {
          for found in Self.serials(kind.write(part), isGS1: kind.isGS1) {
            let isWhole = [part, "S\(part)", String(part.dropFirst())].contains(found.serial)
            #expect(isWhole, "\(kind.write(part).debugDescription) gave \(found.serial)")
          }
        }
      }
    }
  }

  /// Escapes in unescaped payloads: text after them is uncertain.
  @Test(arguments: ["%2%", "%zz%20", "=3A", "\\", "\\x", "%", "&#", "%u003a"])
  func brokenEscapesLowerConfidence(escape: String) {
    // Two hexadecimal digits after a percent sign are an escape.
    for serial in Self.randomSerials(300) where !serial.prefix(2).allSatisfy(\.isHexDigit) {
      for before in ["Serial", "https://x.example/?q=Serial", "{\"q\":\"Serial"] {
        let payload = before + escape + serial
        for found in Self.serials(payload) where found.serial != serial {
          #expect(found.form == .ambiguous && found.probability <= 0.5, "\(payload) gave \(found.serial)")
        }
      }
    }
  }

  @Test(arguments: [
    "special=XK4Q2M9TRW", "social=XK4Q2M9TRW", "burial: XK4Q2M9TRW", "Serial Number: AB-XK4Q2M9TRW",
    "serial_number=AB-XK4Q2M9TRW", "SN: XK4Q2M9TRW-B1", "Serial:;XK4Q2M9TRW;77", "(21)AB-XK4Q2M9TRW",
    "[)>\u{1E}06\u{1D}25SXK4Q2M9TRW\u{1E}\u{4}",
    "WIFI:T:WPA;S:C02ZK1ABMD6N;P:SN\\:C02ZK1ABMD6N;;", "(10)C02ZK1ABMD6N",
    "https://id.gs1.org/01/09506000134352/10/C02ZK1ABMD6N",
    "mailto:C02ZK1ABMD6N@example.org", "data:text/plain,Serial%20XK4Q2M9TRW",
    "BEGIN:VCARD\nUID:C02ZK1ABMD6N\nEND:VCARD",
    // Cyrillic and Greek letters that look like Latin ones, and letters whose capitals are Latin.
    "SN: \u{421}02ZK1ABMD6N", "SN: \u{421}XK4Q2M9TRW", "SN: XK4Q2M9TRW\u{410}", "\u{421}XK4Q2M9TRW",
    "SN: C02ZK1\u{391}BMD6N",
    "SN: C02ZK1ABMD6\u{39D}", "XK4Q2\u{41C}9TRW", "SN: C02ZK1A\u{DF}D6N", "\u{17F}C02ZK1ABMD6N", "C02ZK1ABMD6\u{FFFD}N",
    "SN: \u{FFFD}XK4Q2M9TRW", "SN: XK4Q2M9TRW\u{2460}", "SN: \u{FF38}K4Q2M9TRW",
  ])
  func ignoresOtherPayloadsOrText(payload: String) {
    let found = Self.serials(payload)
    #expect(found.allSatisfy { $0.probability < 0.97 && $0.form == .embedded }, "\(found)")
    if !payload.allSatisfy(\.isASCII) { #expect(found.isEmpty) }
  }

  /// A serial starts and ends with a field or a word.
  @Test func partsOfWordsAreNotSerials() {
    for payload in ["SN: XXC02ZK1ABMD6N", "SN: C02ZK1ABMD6NXX", "010950600013435221C02ZK1ABMD6N", "AC02ZK1ABMD6N"] {
      #expect(Self.serials(payload).isEmpty, "\(payload)")
    }
  }

  @Test func differentDecodingsOfOneCodeCountOnce() throws {
    func code(_ text: String, x: Double, _ libraries: Barcode.Libraries) -> Barcode {
      let corners = [(0.0, 0.0), (90, 0), (90, 90), (0, 90)].map { Barcode.Corner(x: $0.0 + x, y: $0.1) }
      return Barcode(text: text, symbology: .qrCode, corners: corners, libraries: libraries)
    }
    let one = try #require(SerialCodes.serials(in: [code("SN C02ZK1ABMD6N é", x: 0, .zxing)]).first)
    let twice = try #require(
      SerialCodes.serials(in: [
        code("SN C02ZK1ABMD6N é", x: 0, .zxing), code("SN C02ZK1ABMD6N \u{FFFD}", x: 3, .zbar),
      ]).first)
    #expect(twice.probability == one.probability)
    let two = try #require(
      SerialCodes.serials(in: [code("SN C02ZK1ABMD6N", x: 0, .zxing), code("C02ZK1ABMD6N", x: 300, .zxing)]).first)
    #expect(two.probability > one.probability)
  }

  /// Payloads that are truncated, repeated, mixed and changed: none traps, and every result is a serial in the payload.
  @Test(arguments: kinds) func survivesMalformedPayloads(_ kind: Kind) {
    var chance = Chance(state: 37)
    let serial = "C02ZK1ABMD6N"
    let whole = Array(kind.write(serial).utf8)
    for length in 0...whole.count { _ = Self.serials(String(decoding: whole[..<length], as: UTF8.self)) }
    for _ in 0..<500 {
      var bytes = whole
      for _ in 0..<1 + Int(chance.next() * 5) {
        bytes[Int(chance.next() * Double(bytes.count))] = UInt8(chance.next() * 256)
      }
      for found in Self.serials(String(decoding: bytes, as: UTF8.self), isGS1: chance.next() < 0.5) {
        #expect(found.serial.utf8.allSatisfy(SerialNumber.isInAlphabet))
      }
    }
    for size in [4_000, 16_000, 1_000_000] {
      let many = Array(repeatElement(whole, count: size / whole.count + 1).joined().prefix(size))
      _ = Self.serials(String(decoding: many, as: UTF8.self), isGS1: kind.isGS1)
    }
  }

  @Test(arguments: [
    "{", "[", "{\"a\":", "[{\"a\":[", "\"", "\\", "\\u", "%", "%2", "=\n", " =\n", "a://", "a:", "?", "&", "&#", "&amp",
    ";", "(21)", "(", "21", "]C1", "[)>\u{1E}", "\u{1D}", "BEGIN:V", "BEGIN:VCARD\nNOTE;QUOTED-PRINTABLE:=\n",
    "MECARD:", "\u{200B}",
    "é\u{301}", "S", "H4K9TT2X ",
    "XK4Q2M9TRW ", "serial ", "/", "01/09506000134352/21/", "SN:H4K9TT2X ", "data:", "\u{FEFF}",
  ])
  func survivesRepeatedSigns(sign: String) {
    for count in [1, 50, 1000] {
      _ = Self.serials(String(repeating: sign, count: count))
      _ = Self.serials("https://x.example/?" + String(repeating: sign, count: count), isGS1: true)
      _ = Self.serials("{\"serial\":\"" + String(repeating: sign, count: count))
      _ = Self.serials("BEGIN:VCARD\nNOTE:" + String(repeating: sign, count: count))
    }
  }
}
