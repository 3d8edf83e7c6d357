import AppleSerial
import Foundation
import Testing

/// Fields beside serials: the format of each kind, its check digits, and finding it in a line.
@Suite struct DeviceFieldTests {
  typealias Kind = DeviceField.Kind

  @Test(
    arguments: [
      (Kind.modelNumber, "A2338", "A2338", nil), (.modelNumber, "a2338", "A2338", nil), (.emc, "3347", "3347", nil),
      (.partNumber, "MYD82LL/A", "MYD82LL/A", nil), (.partNumber, "mu6d3b/a", "MU6D3B/A", nil),
      (.partNumber, "Z14V000JKLL/A", "Z14V000JKLL/A", nil),
      (.modelIdentifier, "macbookpro17,1", "MacBookPro17,1", nil), (.modelIdentifier, "iPhone14,2", "iPhone14,2", nil),
      (.imei, "35 693803 564380 9", "356938035643809", true), (.imei, "356938035643808", "356938035643808", false),
      (.imei2, "35-538108-123456-4", "355381081234564", true),
      (.meid, "A1000012345678", "A1000012345678", nil), (.meid, "A1000012345678B", "A1000012345678B", true),
      (.meid, "A1000012345678C", "A1000012345678C", false), (.meid, "990000123456784", "990000123456784", true),
      (.meid, "990000123456785", "990000123456785", false),
      (.eid, "89049032005000882600012345678938", "89049032005000882600012345678938", true),
      (.eid, "89049032005000882600012345678939", "89049032005000882600012345678939", false),
      (.eid, "89049032 00500088 26000123 45678938", "89049032005000882600012345678938", true),
      (.iccid, "89014103211118510720", "89014103211118510720", true),
      (.iccid, "8901410321111851072", "8901410321111851072", true),
      (.iccid, "89014103211118510721", "89014103211118510721", false),
      (.wifiAddress, "f0-18-98-0a-1b-2c", "F0:18:98:0A:1B:2C", nil),
      (.bluetoothAddress, "F018980A1B2C", "F0:18:98:0A:1B:2C", nil),
      (.bluetoothAddress, "F0:18-98:0A-1B:2C", "F0:18:98:0A:1B:2C", nil),
      (.upc, "1 94252 05689 9", "194252056899", true), (.upc, "4006381333931", "4006381333931", true),
      (.upc, "194252056898", "194252056898", false), (.capacity, "256gb", "256 GB", nil),
      (.capacity, "1 TB", "1 TB", nil),
      (.color, "space gray", "Space Gray", nil), (.osVersion, "17.5.1", "17.5.1", nil),
      (.osVersion, "14.4", "14.4", nil),
    ] as [(Kind, String, String, Bool?)])
  func acceptsEachKind(kind: Kind, printed: String, text: String, check: Bool?) {
    let field = DeviceField(kind, printed)
    #expect(field?.text == text)
    #expect(field?.check == check)
  }

  @Test(arguments: [
    (Kind.modelNumber, "A233"), (.modelNumber, "A23381"), (.modelNumber, "B2338"), (.emc, "33A7"),
    (.partNumber, "MYD82LL"), (.partNumber, "661-12345"), (.partNumber, "XYD82LL/A"), (.partNumber, "M/A"),
    (.modelIdentifier, "MacBookPro17"), (.modelIdentifier, "ThinkPad17,1"), (.modelIdentifier, "Mac0,1"),
    (.imei, "35693803564380"), (.imei, "3569380356438091"), (.imei, "35693803564380A"), (.imei, "٣٥٦٩٣٨٠٣٥٦٤٣٨٠٩"),
    (.meid, "A100001234567"), (.meid, "A100001234567G"), (.eid, "8904903200500088260001234567893"),
    (.iccid, "99014103211118510720"), (.wifiAddress, "F0:18:98:0A:1B"), (.wifiAddress, "00:00:00:00:00:00"),
    (.wifiAddress, "01:18:98:0A:1B:2C"), (.upc, "19425205689"), (.capacity, "100 GB"), (.capacity, "GB"),
    (.color, "Greyish"), (.osVersion, "1.62.11"), (.osVersion, "17"), (.osVersion, "17.5.1.2"), (.imei, ""),
  ])
  func rejectsInvalidValues(kind: Kind, text: String) { #expect(DeviceField(kind, text) == nil) }

  /// The check digits detect any wrong digit.
  @Test(arguments: [
    (Kind.imei, "356938035643809"), (.eid, "89049032005000882600012345678938"), (.iccid, "89014103211118510720"),
    (.upc, "194252056899"), (.meid, "A1000012345678B"),
  ])
  func wrongDigitFailsTheCheck(kind: Kind, text: String) {
    let characters = Array(text)
    for place in characters.indices {
      for digit in (kind == .meid ? "0123456789ABCDEF" : "0123456789") where digit != characters[place] {
        var wrong = characters
        wrong[place] = digit
        #expect(DeviceField(kind, String(wrong))?.check != true, "\(String(wrong))")
      }
    }
  }

  @Test func masksIdentifyingFields() {
    #expect(DeviceField(.imei, "356938035643809")?.masked == "35*************")
    #expect(DeviceField(.modelNumber, "A2338")?.masked == "A2338")
  }
}

@Suite struct FieldTextTests {
  typealias Kind = DeviceField.Kind

  private func values(_ text: String, announced: Set<Kind> = [], isCode: Bool = false) -> [String] {
    FieldText.fields(in: text, announced: announced, isCode: isCode).map {
      "\($0.field.kind.rawValue) \($0.field.text)"
    }
  }

  @Test(arguments: [
    ("Model A2141 EMC 3347", ["model_number A2141", "emc 3347"]),
    ("Modell: A2337", ["model_number A2337"]),
    ("FCC ID: BCGA2141 IC: 579C-A2141", ["model_number A2141", "model_number A2141"]),
    ("IMEI: 35 693803 564380 9 IMEI2: 355381081234564", ["imei 356938035643809", "imei2 355381081234564"]),
    ("IMEI 2 35 538108 123456 4", ["imei2 355381081234564"]),
    ("IMEI/MEID 356938035643809", ["imei 356938035643809"]), ("IMEI/MEID 35693803564380", ["meid 35693803564380"]),
    ("IMEI:35693803564380O", ["imei 356938035643800"]),
    ("EID 89049032005000882600012345678938", ["eid 89049032005000882600012345678938"]),
    ("89049032005000882600012345678938", ["eid 89049032005000882600012345678938"]),
    ("(1P) Part No. MYD82LL/A", ["part_number MYD82LL/A"]), ("1PMYD82LL/A", ["part_number MYD82LL/A"]),
    ("Model Identifier: MacBookPro17.1", ["model_identifier MacBookPro17,1"]),
    ("Wi-Fi Address F0:18:98:0A:1B:2C", ["wifi_address F0:18:98:0A:1B:2C"]),
    ("WLAN-Adresse F0:18:98:OA:1B:2C", ["wifi_address F0:18:98:0A:1B:2C"]),
    ("Bluetooth F0:18:98:0A:1B:2D", ["bluetooth_address F0:18:98:0A:1B:2D"]),
    ("Wi-Fi Address F0-18:98-0A:1B:2C", ["wifi_address F0:18:98:0A:1B:2C"]),
    ("Wi-Fi Address: FO-18-98:0A-1B-2C", ["wifi_address F0:18:98:0A:1B:2C"]),
    ("UPC 1 94252 05689 9", ["upc 194252056899"]), ("1 94252 05689 9", ["upc 194252056899"]),
    ("iPhone 12, Black, 64GB", ["color Black", "capacity 64 GB"]),
    ("Mac mini M2 8GB 256GB", ["capacity 256 GB"]), ("MacBook Pro 64GB 1TB", ["capacity 1 TB"]),
    ("Kapazität 128 GB", ["capacity 128 GB"]), ("Software Version 17.5.1", ["os_version 17.5.1"]),
  ])
  func findsFieldsInLines(text: String, expected: [String]) { #expect(values(text) == expected) }

  @Test(arguments: [
    "F0:18:98:0A:1B:2C", "Ethernet F0:18:98:0A:1B:2C", "Memory 16 GB", "Available 64 GB", "Modem Firmware 1.62.11",
    "Version 14.4", "356938035643808", "Order 356938035643809 of 2", "SSCC 000000000000000000", "3347", "Red",
    "IMEI 35693803564380", "Serial C02ZK1ABMD6N", "Tel. 194252056898", "EMC A2141", "",
  ])
  func leavesOtherTextUnmasked(text: String) { #expect(values(text).isEmpty) }

  @Test func readsValueBesideLabel() {
    #expect(values("356938035643808", announced: [.imei]) == ["imei 356938035643808"])
    #expect(values("356938035643809", announced: [.imei2]) == ["imei2 356938035643809"])
    #expect(values("A2338", announced: FieldText.kinds(announcedBy: "Numéro de modèle")) == ["model_number A2338"])
    #expect(values("MYD82LL/A", announced: FieldText.kinds(announcedBy: "モデル番号")) == ["part_number MYD82LL/A"])
  }

  @Test(
    arguments: [
      ("IMEl", [.imei]), ("IMEI2", [.imei2]), ("lMEI", [.imei]), ("MElD", [.meid]), ("ElD", [.eid]),
      ("ICCJD", [.iccid]), ("EMD", []), ("ModeI", []), ("UPC", [.upc]),
    ] as [(String, Set<Kind>)])
  func readsAbbreviationsWithCharactersLikeI(label: String, kinds: Set<Kind>) {
    #expect(FieldText.kinds(announcedBy: label) == kinds)
  }

  @Test func reportsFieldRange() {
    let found = FieldText.fields(in: "Model A2141 EMC 3347")
    #expect(found.map(\.characters) == [5..<10, 13..<17])
    #expect(found.map(\.support) == [.labelled, .labelled])
  }

  @Test func acceptsConfigurationCodesVerbatim() {
    #expect(values("35693803564380O", announced: [.imei], isCode: true).isEmpty)
    #expect(values("356938035643809", isCode: true) == ["imei 356938035643809"])
  }

  /// Random text is parsed in bounded time.
  @Test(arguments: [
    String(repeating: "1", count: 100_000), String(repeating: "1 ", count: 50_000),
    String(repeating: "IMEI:", count: 9_000),
    "IMEI::::: 3 5", ":", "=", "( )", "EMC", "BCG", "1P", "\u{301}\u{301}",
  ])
  func findsNothingInRandomText(text: String) { #expect(values(text).isEmpty) }
}

/// Names of models, in `config/models.csv` and in other tables.
@Suite struct ModelTableTests {
  @Test func namesModelsByNumberAndIdentifier() {
    let table = ModelTable(
      "code,name\nA2141,\"MacBook Pro (16-inch, 2019)\"\r\nMacBookPro16.1,x\niphone14,2\nB1,y\nA1,z\n\n")
    #expect(table.name(of: "a2141") == "MacBook Pro (16-inch, 2019)")
    #expect(table.name(of: "A2142") == nil)
    #expect(table.count == 1)
    #expect(ModelTable("").count == 0)
  }

  @Test func everyTableRowIsUsed() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../config/models.csv")
    let text = try String(contentsOf: file, encoding: .utf8)
    let rows = text.split(separator: "\n").count - 1
    #expect(rows > 400)
    // A repeated code would count once.
    #expect(ModelTable(text).count == rows)
    #expect(ModelTable(text).name(of: "A2337") == "MacBook Air (M1, 2020)")
    #expect(ModelTable(text).name(of: "iPhone14,5") == "iPhone 13")
  }
}
