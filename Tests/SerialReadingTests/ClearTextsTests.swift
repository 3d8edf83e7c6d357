import SerialReading
import Testing

/// Covers: what is read clearly is not read again for every serial only where it can be no part of one.
@Suite struct ClearTextsTests {
  @Test(arguments: ["MacBook Pro 16-inch, 2021", "2024-12-03", "Ada Lovelace", "$1,299.00", "MODEL", "IT-01234"])
  func dropsWhatIsNoSerial(text: String) { #expect(!ClearTexts.mayBeSerial(text)) }

  @Test(arguments: [
    "C02XL0THJHCC", "S/N: FVFXC123", "C02X L0TH JHCC", "MVVJ2LL/A", "AB23B013-AAD5-4F21", "356938035643809",
    "QWERTYUPLK",
  ])
  func keepsWhatMayBePartOfOne(text: String) { #expect(ClearTexts.mayBeSerial(text)) }
}
