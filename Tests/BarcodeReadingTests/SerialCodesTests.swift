import BarcodeReading
import Testing

/// Covers: payloads of codes that are serials, their confidence, and payloads that never are.
@Suite struct SerialCodesTests {
  private func code(_ text: String, _ symbology: Barcode.Symbology = .qrCode) -> Barcode {
    Barcode(text: text, symbology: symbology, corners: [], libraries: [.zbar, .zxing])
  }

  @Test(arguments: [
    ("C02ZK1ABMD6N", "C02ZK1ABMD6N", SerialCode.Form.alone), (" c02zk1abmd6n\n", "C02ZK1ABMD6N", .alone),
    ("SC02ZK1ABMD6N", "C02ZK1ABMD6N", .labelled), ("SXK4Q2M9TRW", "XK4Q2M9TRW", .labelled),
    ("XK4Q2M9TRW", "XK4Q2M9TRW", .alone), ("SN:C02ZK1ABMD6N", "C02ZK1ABMD6N", .labelled),
    ("https://assets.example/item?id=77&serial=XK4Q2M9TRW&v=2", "XK4Q2M9TRW", .labelled),
    ("https://assets.example/C02ZK1ABMD6N", "C02ZK1ABMD6N", .embedded),
    ("Model: A2141\nSerial Number: C02ZK1ABMD6N\nAsset: 0012345678", "C02ZK1ABMD6N", .labelled),
    ("BEGIN:VCARD\nFN:IT\nNOTE:S/N C02ZK1ABMD6N\nEND:VCARD", "C02ZK1ABMD6N", .labelled),
    ("{\"model\":\"A2141\",\"serial\":\"C02ZK1ABMD6N\"}", "C02ZK1ABMD6N", .labelled),
    ("Seriennummer: XK4Q2M9TRW", "XK4Q2M9TRW", .labelled), ("SN: H4K9TT2X", "H4K9TT2X", .labelled),
  ])
  func acceptsSerialPayloads(payload: String, serial: String, form: SerialCode.Form) throws {
    let found = SerialCodes.serials(in: [code(payload)])
    #expect(found.count == 1)
    #expect(found.first?.serial == serial)
    #expect(found.first?.form == form)
  }

  @Test(arguments: [
    "490154203237518", "89049032004008882600003212345678", "036000291452", "1PMVVJ2LL/A", "MVVJ2LL/A", "A483E7123456",
    "A4:83:E7:12:34:56", "COMP000000000872506", "1234567890", "C02034501AAFFP11H", "https://example.com/warranty",
    "IMEI:490154203237518", "Asset: XK4Q2M9TRW", "Model: C02ZK1ABMD6N", "H4K9TT2X", "", "2019AJ1234",
    "EkZFJHsejVUD", "https://id.example/c02zK1aBMD6N",
  ])
  func ignoresOtherPayloadsOrText(payload: String) { #expect(SerialCodes.serials(in: [code(payload)]).isEmpty) }

  @Test func offersBothFormsOfAnAmbiguousPayload() {
    let found = SerialCodes.serials(in: [code("SG0312ABCDE")])
    #expect(Set(found.map(\.serial)) == ["SG0312ABCDE", "G0312ABCDE"])
    #expect(found.allSatisfy { $0.probability <= 0.5 })
  }

  @Test func labelledSerialHasHigherConfidenceThanTenCharacters() throws {
    let labelled = try #require(SerialCodes.serials(in: [code("SXK4Q2M9TRW")]).first)
    let alone = try #require(SerialCodes.serials(in: [code("XK4Q2M9TRW")]).first)
    #expect(labelled.probability > 0.95)
    #expect(alone.probability < 0.9)
  }

  @Test func twoCodesRaiseConfidence() throws {
    let one = try #require(SerialCodes.serials(in: [code("XK4Q2M9TRW")]).first)
    let both = try #require(
      SerialCodes.serials(in: [code("XK4Q2M9TRW"), code("XK4Q2M9TRW", .code128)]).first)
    #expect(both.probability > one.probability)
  }

  @Test func doubtsLetterFollowedByCount() throws {
    let ticket = try #require(SerialCodes.serials(in: [code("TKT3342390")]).first)
    #expect(ticket.probability < 0.5)
  }

  @Test func trustsCode39LessWithoutCheckCharacter() throws {
    let checked = try #require(SerialCodes.serials(in: [code("C02ZK1ABMD6N", .code128)]).first)
    let unchecked = try #require(SerialCodes.serials(in: [code("C02ZK1ABMD6N", .code39)]).first)
    #expect(unchecked.probability < checked.probability)
  }
}
