import AppleSerial
import Testing

/// Covers: words in capitals, which have the format of a serial once their `O` and `I` are taken for digits.
@Suite struct PlainWordTests {
  @Test(arguments: [
    "NETW0RK1NG", "PAN0RAM1CA", "C0NF1GURAT0R", "MULT1SPEC1ES", "C0NTR1BUT1NG", "H0RSEP0WER", "TECHN0L0GY",
    "UN1VERS1TY",
  ])
  func recognizesWords(text: String) { #expect(SerialNumber.isWord(text, isAnnounced: false)) }

  @Test(arguments: ["REG1STERED", "UNASS1GNED", "REC0ND1T10NE", "RESTR1CTED"])
  func recognizesWordsBehindALabel(text: String) { #expect(SerialNumber.isWord(text, isAnnounced: true)) }

  @Test(arguments: [
    "C02G414GMD6N", "KXQ0TRWMPV", "DMQHX1ZKPLWT", "ZNVXYQTKJL", "F1KQ0WPLXT", "XKQMTRWVHJ", "0123456789",
  ])
  func ignoresSerials(text: String) { #expect(!SerialNumber.isWord(text, isAnnounced: false)) }

  /// At most one in 150 random serials of ten characters, and one in 3,000 of those that a label announces.
  @Test func randomSerialsAreRarelyWords() {
    let alphabet = Array("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
    var state: UInt64 = 47
    let count = 100_000
    let serials = (0..<count).map { _ in
      String(
        decoding: (0..<10).map { _ in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return alphabet[Int((state >> 33) % UInt64(alphabet.count))]
        }, as: UTF8.self)
    }
    #expect(serials.count { SerialNumber.isWord($0, isAnnounced: false) } * 150 < count)
    #expect(serials.count { SerialNumber.isWord($0, isAnnounced: true) } * 3_000 < count)
  }
}
