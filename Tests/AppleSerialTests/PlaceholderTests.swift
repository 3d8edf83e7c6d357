import AppleSerial
import Testing

/// Covers: samples and masks in the format of a serial, and serials of devices, which are neither.
@Suite struct PlaceholderTests {
  @Test(arguments: [
    "XXXXXXXXXXXX", "XXXXXXXXXX", "0123456789AB", "0000000000", "1111111111", "0123456789", "1234567890",
    "C02XXXXXXXXX",
    "FVFXXXXXXXXX",
    "XXXXXXXMD6N", "C02XXXXXMD6N", "X0X1X0X1X0", "1010101010", "ABCDEFGHJK", "ABC123DEF456", "C02C02C02C02",
    "A1B2CA1B2C",
    "9876543210", "AAAABBBBCCCC", "X12X34XX56", "A1B2C3D4E5",
  ])
  func samplesAndMasksArePlaceholders(text: String) {
    #expect(SerialNumber.isPlaceholder(text))
  }

  @Test(arguments: [
    "XXXXXXXXXXXX", "XXXXXXXXXX", "C02XXXXXXXXX", "FVFXXXXXXXXX", "ABCDEFGHJK", "1010101010", "0123456789",
  ])
  func placeholdersHaveValidFormat(text: String) { #expect(SerialNumber(text) != nil) }

  @Test(arguments: [
    "C02G414GMD6N", "C02F5D3XMD6M", "C02YQH9BLVCF", "DLXQP8G00WQ1", "R6YB7VWG1V", "RBLZN43C86", "C02DDDD1MD6N",
    "C07RTMVPRHA6",
    "W8902123ABC", "F5KGQ000PLJ9", "H6DV5AAFKG3R", "3FD9BWCBXV",
  ])
  func deviceSerialsAreNotPlaceholders(text: String) throws {
    #expect(try !#require(SerialNumber(text)).isPlaceholder)
  }

  @Test func randomSerialsAreRarelyPlaceholders() {
    let alphabet = Array("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
    let years = Array("CDFGHJKLMNPQRSTVWXYZ".utf8)
    let weeks = Array("123456789CDFGHJKLMNPQRTVWXY".utf8)
    var state: UInt64 = 43
    func random(_ characters: [UInt8]) -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return characters[Int((state >> 33) % UInt64(characters.count))]
    }
    let count = 400_000
    for length in [10, 12] {
      let found = (0..<count).count { _ in
        var text = (0..<length).map { _ in random(alphabet) }
        if length == 12 { (text[3], text[4]) = (random(years), random(weeks)) }
        return SerialNumber(String(decoding: text, as: UTF8.self))?.isPlaceholder ?? false
      }
      #expect(found * 100_000 < count)
    }
  }
}
