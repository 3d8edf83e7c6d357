import AppleSerial
import Testing

/// Covers: computers named after their serials.
@Suite struct ComputerNameTests {
  @Test(arguments: ["MBP-", "MAC-", "for MBP-", "iMac-", "MacBookPro-"])
  func recognizesBeginnings(text: String) { #expect(ComputerName.begins(text)) }

  @Test(arguments: ["MBP", "PN-", "-", "", "579C-"])
  func ignoresOtherText(text: String) { #expect(!ComputerName.begins(text)) }
}
