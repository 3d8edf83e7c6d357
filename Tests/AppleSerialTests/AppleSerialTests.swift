import AppleSerial
import Testing

/// Formats by length, and what each position may hold.
@Suite struct SerialNumberTests {
  @Test func takesEachFormat() {
    #expect(SerialNumber("C02ZK1ABMD6N")?.format == .twelve)
    #expect(SerialNumber("W80312ABCDE")?.format == .eleven)
    #expect(SerialNumber("XK4Q2M9TRW")?.format == .ten)
  }

  @Test func refusesOtherAlphabetsAndDates() {
    #expect(SerialNumber("C02AK1ABMD6N") == nil)
    #expect(SerialNumber("W80992ABCDE") == nil)
    #expect(SerialNumber("XK4O2M9TRW") == nil)
    #expect(SerialNumber("A2141") == nil)
  }
}
