import AppleSerial
import BarcodeReading
import Foundation
import Imaging
import ScanModel
import SerialReading
import Testing

/// Covers: fields beside serials: the choice between values, and their serial.
@Suite struct FieldTests {
  private func box(_ x: Double, _ y: Double, width: Double = 100, height: Double = 20) -> Quadrilateral {
    Quadrilateral(
      PixelPoint(x: x, y: y), PixelPoint(x: x + width, y: y), PixelPoint(x: x + width, y: y + height),
      PixelPoint(x: x, y: y + height))
  }

  private func read(_ serial: String, _ region: Quadrilateral) -> SerialRead {
    SerialRead(
      serial: serial, confidence: 0.98, method: "tesseract", strategy: "rows", region: region, isValid: true,
      verdict: .accepted)
  }

  private func reading(_ serials: [SerialRead], _ fields: [FieldRead], every: Bool = false) -> Reading {
    var reading = Reading(
      verdict: serials.isEmpty ? .refused : .accepted, serials: serials, preset: .sticker, presetWasDetected: true,
      strategyUsed: "rows", fallbackUsed: false, trace: [], notes: [], photoSize: PixelSize(width: 2000, height: 2000),
      processingTime: 0.1, cpuTime: 0.1)
    reading.fields = fields
    if every { reading.isOfEverySerial = true }
    return reading
  }

  private let imei = "356938035643809"

  @Test func onlySerialGetsAllFields() {
    let found = reading(
      [read("C02ZK1ABMD6N", box(100, 100))],
      [
        FieldRead(kind: .imei, text: imei, confidence: 0.9, region: box(900, 1900), check: true),
        FieldRead(kind: .modelNumber, text: "A2141", confidence: 0.95),
      ]
    ).assigningFields()
    #expect(found.topSerial?.fields?.map(\.kind) == [.modelNumber, .imei])
    #expect(found.fields == [])
    #expect(found.notes.isEmpty)
  }

  @Test func eachSerialGetsItsOwnFields() {
    let serials = [read("C02ZK1ABMD6N", box(100, 100)), read("FVFC53TKMNHX", box(100, 900))]
    let found = reading(
      serials,
      [
        FieldRead(kind: .partNumber, text: "MYD82LL/A", confidence: 0.9, region: box(100, 160)),
        FieldRead(kind: .partNumber, text: "MGN63D/A", confidence: 0.9, region: box(100, 860)),
        FieldRead(kind: .imei, text: imei, confidence: 0.9, region: box(100, 500), check: true),
        FieldRead(kind: .upc, text: "194252056899", confidence: 0.9, region: box(1500, 902), check: true),
      ], every: true
    ).assigningFields()
    #expect(found.serials[0].fields?.map(\.text) == ["MYD82LL/A"])
    // In a table, a field belongs to the serial in its row.
    #expect(found.serials[1].fields?.map(\.text) == ["MGN63D/A", "194252056899"])
    // Half way between two serials, a field belongs to neither.
    #expect(found.fields?.map(\.text) == [imei])
  }

  @Test func photoWithoutSerialKeepsItsFields() {
    let field = FieldRead(kind: .imei, text: imei, confidence: 0.9, region: box(0, 0), check: true)
    #expect(reading([], [field]).assigningFields().fields == [field])
  }

  @Test func checkDigitDecidesBetweenReadings() {
    let fields = [
      FieldRead(kind: .imei, text: "356938035643808", confidence: 0.9, region: box(0, 0), check: false),
      FieldRead(kind: .imei, text: imei, confidence: 0.6, region: box(0, 0), check: true),
    ]
    let told = reading([read("C02ZK1ABMD6N", box(100, 100))], fields).assigningFields().topSerial?.fields
    #expect(told?.map(\.text) == [imei])
    #expect(told?.first?.check == true)
  }

  @Test func twoValuesWithValidCheckDigitStayUnchecked() {
    let fields = [
      FieldRead(kind: .imei, text: "355381081234564", confidence: 0.9, region: box(0, 0), check: true),
      FieldRead(kind: .imei, text: imei, confidence: 0.9, region: box(0, 300), check: true),
    ]
    let told = reading([read("C02ZK1ABMD6N", box(100, 100))], fields).assigningFields().topSerial?.fields
    #expect(told?.count == 1)
    #expect(told?.first?.check == nil)
    #expect(told?.first.map { $0.confidence < 0.7 } == true)
  }

  @Test func countsReadingsOfOnePlaceOnce() throws {
    let model = FieldRead(kind: .modelNumber, text: "A2141", confidence: 0.9, region: box(0, 0))
    var elsewhere = model
    elsewhere.region = box(0, 300)
    let serial = read("C02ZK1ABMD6N", box(100, 100))
    let once = try #require(reading([serial], [model, model]).assigningFields().topSerial?.fields?.first)
    let twice = try #require(reading([serial], [model, elsewhere]).assigningFields().topSerial?.fields?.first)
    #expect(once.confidence == 0.9)
    #expect(twice.confidence > 0.98)
  }

  @Test(arguments: [("A2337", true), ("A2141", false), ("A1466", true)])
  func notesConfigurationCodeOfOtherModel(model: String, isNoted: Bool) {
    let field = FieldRead(kind: .modelNumber, text: model, confidence: 0.95, region: box(0, 0))
    let notes = reading([read("C02ZK1ABMD6N", box(100, 100))], [field]).assigningFields().notes
    #expect(notes.contains { $0.contains("MD6N") && $0.contains("A2141") && $0.contains(model) } == isNoted)
  }

  /// An uncertain model number or an unknown code contradicts nothing.
  @Test func ignoresUnknownCodes() {
    let doubtful = FieldRead(kind: .modelNumber, text: "A2337", confidence: 0.5, region: box(0, 0))
    #expect(reading([read("C02ZK1ABMD6N", box(100, 100))], [doubtful]).assigningFields().notes.isEmpty)
    let sure = FieldRead(kind: .modelNumber, text: "A2337", confidence: 0.99, region: box(0, 0))
    #expect(reading([read("C02ZK1ABQQQQ", box(100, 100))], [sure]).assigningFields().notes.isEmpty)
    #expect(reading([read("XK4Q2M9TRW", box(100, 100))], [sure]).assigningFields().notes.isEmpty)
  }
}

/// Covers: fields in codes, plain and with identifiers.
@Suite struct FieldsOfCodesTests {
  private func fields(_ text: String, isGS1: Bool = false) -> [FieldRead] {
    let seen = TextSeen(photoSize: PixelSize(width: 1000, height: 1000))
    let corners = [(0.0, 0.0), (100, 0), (100, 20), (0, 20)].map { Barcode.Corner(x: $0.0, y: $0.1) }
    seen.note(
      [Barcode(text: text, symbology: .qrCode, corners: corners, libraries: [.zxing], isGS1: isGS1)], .identity)
    return FieldFinder(seen).fields
  }

  @Test(arguments: [
    ("356938035643809", false, ["imei 356938035643809"]), ("1PMYD82LL/A", false, ["part_number MYD82LL/A"]),
    ("89049032005000882600012345678938", false, ["eid 89049032005000882600012345678938"]),
    ("(01)00194252056899(21)C02ZK1ABMD6N", false, ["upc 194252056899"]),
    ("0100194252056899\u{1D}21C02ZK1ABMD6N", true, ["upc 194252056899"]),
    ("[)>\u{1E}06\u{1D}1PMYD82LL/A\u{1D}SC02ZK1ABMD6N\u{1E}\u{04}", false, ["part_number MYD82LL/A"]),
    (
      #"{"serial":"C02ZK1ABMD6N","imei":"356938035643809","eid":"89049032005000882600012345678938"}"#, false,
      ["imei 356938035643809", "eid 89049032005000882600012345678938"]
    ),
    ("IMEI: 356938035643809\nIMEI2: 355381081234564", false, ["imei 356938035643809", "imei2 355381081234564"]),
    ("C02ZK1ABMD6N", false, []), ("356938035643808", false, []), ("https://example.org/?imei=1", false, []),
  ])
  func findsFieldsInCodes(text: String, isGS1: Bool, expected: [String]) {
    let found = fields(text, isGS1: isGS1)
    #expect(Set(found.map { "\($0.kind.rawValue) \($0.text)" }) == Set(expected))
    #expect(found.allSatisfy { $0.confidence > 0.9 && $0.region != nil })
  }
}

/// Covers: fields of pictures, as the whole reader reports them.
@Suite(.serialized) struct FieldsOfPicturesTests {
  @Test(arguments: [
    ("etched_clean_1.jpg", ["model_number A1993"]),
    ("sticker_medium_3.jpg", ["part_number MRXR2ZA/A", "imei2 359086634156778"]),
  ])
  func reportsFieldsOfPictures(name: String, expected: [String]) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../testdata/pictures/\(name)")
    let reading = try makeReader().reading(of: Array(try Data(contentsOf: file)))
    let told = (reading.topSerial?.fields ?? []).map { "\($0.kind.rawValue) \($0.text)" }
    #expect(Set(expected).isSubset(of: told), "\(told)")
  }

  @Test func readsDistantLinesOnlyForAllFields() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../testdata/pictures/screen_medium_1.jpg")
    let bytes = Array(try Data(contentsOf: file))
    let (near, all) = (try makeReader().reading(of: bytes), try makeReader(fields: .all).reading(of: bytes))
    let kinds = { (reading: Reading) in Set((reading.topSerial?.fields ?? []).map(\.kind)) }
    #expect(kinds(near).isStrictSubset(of: kinds(all)), "\(kinds(near)) \(kinds(all))")
    #expect(near.topSerial?.serial == all.topSerial?.serial && near.verdict == all.verdict)
    #expect(near.topSerial?.confidence == all.topSerial?.confidence)
  }

  @Test(arguments: ["etched_medium_1.jpg", "screen_medium_2.jpg", "screen_zh.jpg", "sticker_medium_1.jpg"])
  func fieldsDoNotChangeTheSerial(name: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../testdata/pictures/\(name)")
    let bytes = Array(try Data(contentsOf: file))
    let (with, without) = (
      try makeReader().reading(of: bytes), try makeReader(fields: .none).reading(of: bytes)
    )
    #expect(without.serials.allSatisfy { $0.fields == nil })
    #expect(with.verdict == without.verdict && with.strategyUsed == without.strategyUsed)
    #expect(
      with.serials.map { "\($0.serial) \($0.confidence) \($0.doubts ?? [])" }
        == without.serials.map { "\($0.serial) \($0.confidence) \($0.doubts ?? [])" })
  }
}
