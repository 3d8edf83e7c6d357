import Foundation
import ScanModel
import Testing

/// Covers: results that earlier versions stored.
@Suite struct ReadingCodingTests {
  @Test func decodesReadingOfEarlierVersion() throws {
    let stored = """
      {"verdict":"accepted","serials":[{"serial":"C02XL0THJHCC","confidence":0.98,"method":"tesseract","strategy":"text",
      "isValid":true}],"preset":"etched","presetWasDetected":true,"strategyUsed":"text","fallbackUsed":false,
      "trace":[{"strategy":"text","seconds":0.1,"outcome":"read"}],"notes":[],"photoSize":{"width":9,"height":5},
      "processingTime":0.1,"cpuTime":0.1}
      """
    let reading = try JSONDecoder().decode(Reading.self, from: Data(stored.utf8))
    #expect(reading.refused == nil)
    #expect(reading.fields == nil && reading.topSerial?.fields == nil)
    #expect(reading.topSerial?.characters == nil && reading.topSerial?.doubts == nil)
  }
}
