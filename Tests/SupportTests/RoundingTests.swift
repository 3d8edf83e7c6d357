import Support
import Testing

@Suite struct RoundingTests {
  @Test func roundsToPlaces() {
    #expect(1.23456.rounded(toPlaces: 3) == 1.235)
    #expect((-0.05).rounded(toPlaces: 1) == -0.1)
    #expect(268.24.rounded(toPlaces: 1) == 268.2)
    #expect(2.0.rounded(toPlaces: 4) == 2)
    #expect("\(0.1 + 0.2)" != "0.3" && "\((0.1 + 0.2).rounded(toPlaces: 4))" == "0.3")
  }

  @Test func keepsWhatHasNoPlaces() {
    #expect(Double.infinity.rounded(toPlaces: 3) == .infinity)
    #expect(Double.nan.rounded(toPlaces: 3).isNaN)
  }
}
