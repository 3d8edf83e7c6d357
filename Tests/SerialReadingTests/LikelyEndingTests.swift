import SerialReading
import Testing

/// Covers: letters that occur in no configuration code.
@Suite struct LikelyEndingTests {
  /// The corrected text of one whose last four characters have these margins.
  private func settled(_ text: String, _ ending: [Float]) -> String {
    let margins = [Float](repeating: 0.5, count: text.utf8.count - ending.count) + ending
    var likely = LikelyText(Array(text.utf8), margins: margins)
    likely.correctEnding()
    return String(decoding: likely.text, as: UTF8.self)
  }

  @Test(arguments: [
    ("C02Y77Y2JGSH", "C02Y77Y2JG5H"), ("C02Y95SGBDZA", "C02Y95SG8D24"), ("F18KRRHKUEXD", "F18KRRHKVFXD"),
  ])
  func resolvesAmbiguousEndingByKnownCodes(read: String, likely: String) {
    #expect(settled(read, [1, 1, 1, 1]) == likely)
  }

  @Test func keepsClearEnding() {
    #expect(settled("C02Y77Y2JGSH", [3, 3, 1.3, 3]) == "C02Y77Y2JGSH")
  }

  @Test(arguments: ["XK4Q2M9TSW", "W80A041AUSB", "C02ZK1ABMD6N"])
  func appliesOnlyToTwelveCharacters(read: String) {
    #expect(settled(read, [1, 1, 1, 1]) == read)
  }
}
