import AppleSerial
import Testing

/// Formats by length, the characters of each position, and their meaning.
@Suite struct SerialNumberTests {
  @Test(arguments: [
    ("C02ZK1ABMD6N", SerialNumber.Format.twelve), ("W80312ABCDE", .eleven), ("XK4Q2M9TRW", .ten),
    ("c02zk1abmd6n", .twelve), ("FVFC53TKMNHX", .twelve), ("W89530XYZ1Q", .eleven),
  ])
  func acceptsEachFormat(text: String, format: SerialNumber.Format) {
    let serial = SerialNumber(text)
    #expect(serial?.format == format)
    #expect(serial?.text == text.uppercased())
  }

  @Test(arguments: [
    "C02AK1ABMD6N", "C02ZA1ABMD6N", "C02Z01ABMD6N", "W80992ABCDE", "W80002ABCDE", "W8A312ABCDE", "XK4O2M9TRW",
    "XK4I2M9TRW", "A2141", "C02ZK1ABMD6", "C02ZK1ABMD6NN", "C02ZK1AB-D6N", "", "С02ZK1ABMD6N",
  ])
  func rejectsWrongCharactersDatesAndLengths(text: String) { #expect(SerialNumber(text) == nil) }

  @Test(arguments: [
    ("C02C1AAAMD6N", "C02", [2010, 2020], 1, "AAA", "MD6N"), ("C02YYAAALVCF", "C02", [2019], 53, "AAA", "LVCF"),
    ("C02ZYAAALVCF", "C02", [2019], 53, "AAA", "LVCF"), ("C02ZCAAALVCF", "C02", [2019], 36, "AAA", "LVCF"),
    ("FVFGXAAAQ6L4", "FVF", [2011, 2021], 52, "AAA", "Q6L4"), ("C02HX123JHCC", "C02", [2012], 26, "123", "JHCC"),
    ("W80312ABCDE", "W8", [2000, 2010], 31, "2AB", "CDE"), ("W88532ABCDE", "W8", [2008], 53, "2AB", "CDE"),
  ])
  func decodesPositions(
    text: String, plant: String, years: [Int], week: Int, unit: String, code: String
  ) throws {
    let meaning = try #require(SerialNumber(text)?.meaning)
    #expect(meaning.plant == plant)
    #expect(meaning.years == years)
    #expect(meaning.week == week)
    #expect(meaning.unit == unit)
    #expect(meaning.configurationCode == code)
  }

  @Test(arguments: [
    ("C02G414GMD6N", "MacBook Pro (16-inch, 2019)", [2021]),
    ("C02G414GMD6N", "MacBook Pro (17-inch, 2009-2011)", [2011]),
    ("C02G414GMD6N", "iPhone 12", [2011, 2021]), ("C02G414GMD6N", nil, [2011, 2021]),
    ("C02G414GMD6N", "MacBook Pro (2016)", [2021]), ("C02XL0THJHCC", "iMac (24-inch, 2021)", [2018]),
  ])
  func modelExcludesYears(_ text: String, _ model: String?, _ years: [Int]) {
    #expect(SerialNumber(text)?.meaning?.years(ofModel: model) == years)
  }

  @Test func tenCharactersHaveNoDate() { #expect(SerialNumber("XK4Q2M9TRW")?.meaning == nil) }

  @Test func knowsFrequentPlants() {
    #expect(SerialNumber("C02ZK1ABMD6N")?.hasFrequentPlant == true)
    #expect(SerialNumber("QQQZK1ABMD6N")?.hasFrequentPlant == false)
    #expect(SerialNumber("W80312ABCDE")?.hasFrequentPlant == false)
    #expect(SerialNumber("5CG7576492")?.isMostlyDigits == true)
    #expect(SerialNumber("5CG757649N")?.isMostlyDigits == false)
    #expect(SerialNumber("W8031212345")?.isMostlyDigits == false)
    #expect(SerialNumber("GB802209547")?.isMostlyDigits == true)
    #expect(SerialNumber("220Y2402728F")?.isMostlyDigits == true)
    #expect(SerialNumber("F17Y2402728F")?.isMostlyDigits == false)
  }

  @Test(arguments: [
    ("C02ZK1ABMD", true), ("DLXF7Q55E1", true), ("W8422ZADT7", true), ("C02BK1ABMD", false), ("C02ZU1ABMD", false),
    ("QQQZK1ABMD", false), ("W8455ZADT7", false), ("QZ422ZADT7", false), ("XK4Q2M9TRW", false),
    ("C02ZK1ABMD6N", false), ("W8422ZADT73", false),
  ])
  func knowsBeginningsOfOlderSerials(text: String, isBeginning: Bool) {
    #expect(SerialNumber(text)?.isProbablyBeginning == isBeginning)
  }

  @Test(arguments: [
    ("HBMT22700048", true), ("C02T22700048", false), ("HBMT227X0048", false), ("HBMT2A700048", true),
    ("QQ80312345A", false), ("QQ803X12345", true), ("W8803X12345", false), ("YLNP012345", true), ("YLNPA12345", false),
  ])
  func knowsRunningNumbers(text: String, ends: Bool) {
    #expect(SerialNumber(text)?.endsInRunningNumber == ends)
  }

  @Test(arguments: [
    ("FSCM99A6BCEC", true), ("FSCM99A6BCEG", false), ("FVFZ99A6BCEC", false), ("F5CM99A6BCEC", false),
    ("WCCM76V7KQF8", true), ("908NTLE1K215", true), ("5CG9443407", true), ("5CG99434X7", false), ("CNK8181G2C", true),
    ("VNB3K12345", true), ("JPBCH12345", true), ("VNB3K1234X", false), ("XNB3K12345", false), ("CE2146G123", true),
    ("CE2154G123", false), ("CE21X6G123", false), ("CE21461123", false), ("CE2146G12X", false),
  ])
  func knowsShapesOfOtherMakers(text: String, isShaped: Bool) {
    #expect(SerialNumber(text)?.isShapedLikeOthers == isShaped)
  }

  @Test(arguments: [
    ("CNF8K2X1AB", true), ("SG6BFLX0ND", true), ("ZY224C5ABC", true), ("ZYX24C5ABC", false), ("XK4Q2M9TRW", false),
    ("CN80312ABCD", false), ("CNFC82X1ABCD", false),
  ])
  func knowsWhatMayBeOfOtherMakers(text: String, may: Bool) {
    #expect(SerialNumber(text)?.mayBeOfOthers == may)
  }

  @Test(arguments: [
    ("C02ZK1ABMD6N", true), ("QQQZK1ABMD6N", false), ("W80312ABCDE", true), ("QQ0312ABCDE", false),
    ("XK4Q2M9TRW", false),
  ])
  func knowsPlantsOfBothFormats(text: String, isKnown: Bool) {
    #expect(SerialNumber(text)?.hasKnownPlant == isKnown)
  }

  @Test(arguments: [
    ("C02ZK1ABMD6N", "C02*****MD6N"), ("W80312ABCDE", "W8******CDE"), ("XK4Q2M9TRW", "XK*******W"),
    ("ABCDEFGH", "AB******"),
    ("", ""),
  ])
  func masksUnitDigits(text: String, masked: String) { #expect(SerialNumber.masked(text) == masked) }

  @Test func accessorySerialsNeedLettersAndDigits() {
    #expect(AccessorySerial("H4K9TT2X") != nil)
    #expect(AccessorySerial("BCGA2141") == nil)
    #expect(AccessorySerial("12345678") == nil)
    #expect(AccessorySerial("MVVJ2LLA") == nil)
    #expect(AccessorySerial("ABCDEFGH") == nil)
  }
}

/// Configuration codes against model numbers.
@Suite struct ConfigurationCodeTests {
  @Test(arguments: [
    ("C02ZK1ABMD6N", "A2141", ConfigurationCodes.Agreement.confirms), ("C02ZK1ABMD6N", "A1990", .contradicts),
    ("C02ZK1ABQQQQ", "A2141", .unknown), ("XK4Q2M9TRW", "A2141", .unknown),
  ])
  func comparesCodeWithModel(serial: String, model: String, agreement: ConfigurationCodes.Agreement) throws {
    #expect(ConfigurationCodes().agreement(of: try #require(SerialNumber(serial)), withModel: model) == agreement)
  }

  @Test func addsConfirmedCodes() throws {
    let serial = try #require(SerialNumber("C02ZK1ABQQQQ"))
    let table = ConfigurationCodes(adding: [("QQQQ", "A9999")])
    #expect(table.agreement(of: serial, withModel: "A9999") == .confirms)
    #expect(table.agreement(of: serial, withModel: "A2141") == .contradicts)
  }

  @Test func modelWithoutNumberContradictsNothing() throws {
    let serial = try #require(SerialNumber("C02ZK1ABQQQQ"))
    let table = ConfigurationCodes(adding: [("qqqq", "The MacBook of the front desk")])
    #expect(table.agreement(of: serial, withModel: "A2141") == .unknown && table.areSure(of: serial))
  }

  @Test func codeIsCertainWithoutSimilarCode() throws {
    let serial = try #require(SerialNumber("C02ZK1ABQQQQ"))
    #expect(!ConfigurationCodes().areSure(of: serial))
    #expect(!ConfigurationCodes(adding: [("QQQQ", "A1"), ("QQ8Q", "A1")]).areSure(of: serial))
    #expect(ConfigurationCodes(adding: [("QQQQ", "A1"), ("Q88Q", "A1")]).areSure(of: serial))
    // A built-in code does not count as confirmed.
    #expect(!ConfigurationCodes().areSure(of: try #require(SerialNumber("C02ZK1ABQ6L4"))))
  }

  @Test func findsModelNumbersByName() {
    let table = ModelTable("code,name\nA2141,MacBook Pro\n\"MacBookPro16,1\",MacBook Pro\nA2337,MacBook Air\n")
    #expect(table.numbers(of: "a2141") == ["A2141"] && table.numbers(of: "A9999") == ["A9999"])
    #expect(table.numbers(of: "MacBookPro16,1") == ["A2141"] && table.numbers(of: "macbook air") == ["A2337"])
    #expect(table.numbers(of: "iBook").isEmpty)
  }
}

/// Identifiers that are not serials, and strings of a serial's length that contain one.
@Suite struct LookAlikeTests {
  @Test(
    arguments: [
      ("0xC0001403", LookAlike.hexadecimal), ("NT5CC64M16GP", .memoryChip), ("MT41K256M16", .memoryChip),
      ("MZVLW256HEHP", .drive), ("MZVLB1T0HALR", .drive),
      ("BCGA2141", .fccID), ("BCG-E3085A", .fccID), ("579C-A2141", .canadianID),
      ("579CA2141", .canadianID),
      ("A2141", .model), ("MacBookPro16,1", .model), ("iPhone14,5", .model), ("EMC 3347", .emc), ("EMC3347", .emc),
      ("IS 13252", .standard), ("IEC 60950-1", .standard), ("R-41000450", .registration), ("R41000450", .registration),
      ("RM53774", .registration), ("COMP000000000872506", .computerNumber), ("MVVJ2LL/A", .partNumber),
      ("MQ6K2B/A", .partNumber), ("Z0K6B/A", .partNumber),
      ("MVVJ2LLA", .partNumber), ("1PMVVJ2LL/A", .partNumber), ("661-12345", .partNumber), ("820-01700-A", .logicBoard),
      ("C02034501AAFFP11H", .logicBoard), ("490154203237518", .imei), ("49015420323751A", nil),
      ("89049032004008882600003212345678", .eid), ("89014103211118510720", .iccid), ("036000291452", .tradeItem),
      ("4006381333931", .tradeItem), ("A4:83:E7:12:34:56", .macAddress), ("A483E7123456", .macAddress),
      ("2019AJ1234", .cmiit), ("1234567890", .number), ("C02ZK1ABMD6N", nil), ("XK4Q2M9TRW", nil), ("W80312ABCDE", nil),
    ] as [(String, LookAlike?)])
  func classifiesIdentifiers(text: String, kind: LookAlike?) { #expect(LookAlike(text) == kind) }

  @Test func rejectsIMEIWithWrongCheckDigit() { #expect(LookAlike("490154203237519") == .number) }

  @Test(arguments: ["2041BCGA2141", "8CGA2141SE", "579CA21411X", "BC6A2141QXY4", "1513252R4100"])
  func findsApprovalNumbersWithoutSpaces(text: String) { #expect(LookAlike.isHidden(in: text)) }

  @Test(arguments: ["C02ZK1ABMD6N", "FVFC53TKMNHX", "XK4Q2M9TRW", "W80312ABCDE", "DMPCG1ABMDQ2"])
  func ignoresSerials(text: String) { #expect(!LookAlike.isHidden(in: text)) }
}

/// The data identifier `S` before a serial in a barcode.
@Suite struct SerialPayloadTests {
  @Test func stripsOnlyUnambiguousPrefix() throws {
    let twelve = try #require(SerialNumber("C02ZK1ABMD6N"))
    let ten = try #require(SerialNumber("XK4Q2M9TRW"))
    #expect(SerialPayload("C02ZK1ABMD6N") == .plain(twelve))
    #expect(SerialPayload("SC02ZK1ABMD6N") == .identified(twelve))
    #expect(SerialPayload("SXK4Q2M9TRW") == .identified(ten))
  }

  @Test func keepsBothFormsOfOldPlantCode() throws {
    let whole = try #require(SerialNumber("SG0312ABCDE"))
    let stripped = try #require(SerialNumber("G0312ABCDE"))
    #expect(SerialPayload("SG0312ABCDE") == .ambiguous(whole: whole, stripped: stripped))
  }

  @Test(arguments: [
    "1234567890", "036000291452", "A483E7123456", "1PMVVJ2LL/A", "490154203237518", "COMP000000000872506",
    "S1234567890", "2019AJ1234", "C02034501AAFFP11H", "",
  ])
  func rejectsOtherCodes(payload: String) { #expect(SerialPayload(payload) == nil) }
}

/// Other lines on the label of a device.
@Suite struct DeviceNameTests {
  @Test(arguments: [
    "Model A2537 EMC 2439", "Thunderbolt Display A1407", "Rated 5V 1A EMC 2815", "FCC ID: BCGA1644", "IC: 579C-A1644",
  ])
  func detectsModelLines(text: String) { #expect(LookAlike.namesDevice(text)) }

  @Test(arguments: [
    "MacBook Pro 16", "Order W560645521", "S/N: C02ZK1ABMD6N", "IMEI 490154203237518", "EMC", "A21", "",
  ])
  func ignoresOtherLines(text: String) { #expect(!LookAlike.namesDevice(text)) }
}

/// Similar characters, within the format.
@Suite struct ConfusionTests {
  @Test func offersOnlyCharactersValidAtPosition() {
    let eight = UInt8(ascii: "8")
    #expect(Confusions.alternatives(to: eight).contains(UInt8(ascii: "B")))
    #expect(!Confusions.alternatives(to: eight, at: 3, of: .twelve).contains(UInt8(ascii: "B")))
    #expect(Confusions.alternatives(to: UInt8(ascii: "0"), at: 3, of: .twelve).contains(UInt8(ascii: "D")))
  }

  @Test func similarityIsSymmetric() {
    for group in Confusions.groups {
      for (a, b) in zip(group, group.dropFirst()) {
        #expect(Confusions.areConfusable(a, b))
        #expect(Confusions.areConfusable(b, a))
      }
    }
  }

  @Test func foldsSimilarCharacters() {
    #expect(Confusions.folded("O")?.byte == UInt8(ascii: "0"))
    #expect(Confusions.folded("l")?.byte == UInt8(ascii: "1"))
    #expect(Confusions.folded("k")?.byte == UInt8(ascii: "K"))
    #expect(Confusions.folded("K")?.changed == false)
    #expect(Confusions.folded("é") == nil)
    #expect(Confusions.folded("-") == nil)
  }

  @Test func countsDifferences() throws {
    let differences = try #require(Confusions.differences("C02ZK1ABMD6N", "C02ZK1A8MD6X"))
    #expect(differences == (2, 1))
    #expect(Confusions.differences("C02", "C0") == nil)
  }
}
