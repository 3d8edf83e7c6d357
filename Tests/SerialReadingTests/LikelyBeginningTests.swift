import SerialReading
import Testing

/// Covers: similar characters at the places of plant, half-year, year and week, which allow few.
@Suite struct LikelyBeginningTests {
  /// The corrected text and the least margin of one whose first five characters have these margins.
  ///
  /// - Parameter other: Another reading of the line.
  private func settled(
    _ text: String, _ beginning: [Float] = [3, 3, 3, 3, 3], or other: String? = nil
  ) -> (text: String, least: Float) {
    let margins = beginning + [Float](repeating: 4, count: text.utf8.count - beginning.count)
    var tallies = text.utf8.map { byte in
      var tally = CharacterTally()
      tally.add(byte, 4)
      return tally
    }
    for (place, byte) in (other ?? text).utf8.enumerated() { tallies[place].add(byte, 0.5) }
    var likely = LikelyText(Array(text.utf8), margins: margins)
    likely.correctBeginning(tallies)
    return (String(decoding: likely.text, as: UTF8.self), likely.margins.min() ?? 0)
  }

  @Test(arguments: [
    ("FSKF3YCZATVP", "F5KF3YCZATVP"), ("025YM2NC00G6", "D25YM2NC00G6"), ("H0538NZ7QUU", "H0538NZ7QUU"),
    ("FVHXBLF2NLNZ", "FVHX8LF2NLNZ"), ("QQQFBYCZATVP", "QQQF8YCZATVP"), ("H0558NZ7QUU", "H0538NZ7QUU"),
    ("6802477YC60", "G802477YC60"),
  ])
  func replacesWithLikelyLookAlike(read: String, likely: String) {
    #expect(settled(read, or: likely).text == likely)
  }

  @Test(arguments: ["DMRFC1A2Q6L4", "DNPFC1A2Q6L4", "F78FC1A2Q6L4", "G6NFC1A2Q6L4"])
  func doesNotReplaceReadPlantWithUnreadOne(read: String) {
    #expect(settled(read) == (read, 1.5))
    #expect(settled(read, [1, 1, 1, 1, 1]).text != read)
  }

  @Test func slashedZeroIsNotEight() {
    #expect(settled("C82ZK1ABMD6N", or: "C02ZK1ABMD6N").text == "C02ZK1ABMD6N")
    #expect(settled("C82ZK1ABMD6N") == ("C82ZK1ABMD6N", 1.5))
  }

  @Test(arguments: ["C02ZK1ABMD6N", "QQQFYYCZATVP", "XK4Q2M9TRW", "SK6368HEKL", "G802477YC60"])
  func keepsLikelyBeginning(read: String) {
    #expect(settled(read) == (read, 3))
  }

  @Test func keepsButDoubtsConfidentBeginning() {
    #expect(settled("E4HRNZC222FM", [4, 4, 4, 4, 4]) == ("E4HRNZC222FM", 1.5))
    #expect(settled("QQQRNZC222FM", [4, 4, 4, 4, 4]).least == 4)
  }

  @Test func correctsLeastCertainPlace() {
    // Either C02, by changing the first character, or C07, by changing the last.
    #expect(settled("G0ZZK1ABMD6N", [0.2, 3, 3, 3, 3]).text == "G0ZZK1ABMD6N")
    #expect(settled("C0ZZK1ABMD6N", or: "C02ZK1ABMD6N").text == "C02ZK1ABMD6N")
    #expect(settled("602ZK1ABMD6N", [0.2, 3, 3, 3, 3]).text == "C02ZK1ABMD6N")
  }

  @Test func correctedPlaceIsUncertain() {
    #expect(settled("FSKF3YCZATVP").least == 1.5)
    #expect(settled("FVHXBLF2NLNZ", [3, 3, 3, 3, 3.4]).least == 1.5)
  }
}
