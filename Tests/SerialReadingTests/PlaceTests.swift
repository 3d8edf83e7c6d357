import ScanModel
import SerialReading
import Testing

/// A level region of 200 x 42 pixels, so with capitals of 24.
private func region(x: Double = 100, y: Double, width: Double = 200) -> Quadrilateral {
  Quadrilateral(
    PixelPoint(x: x, y: y), PixelPoint(x: x + width, y: y), PixelPoint(x: x + width, y: y + 42),
    PixelPoint(x: x, y: y + 42))
}

/// Covers: which readings are of one line.
@Suite struct PrintedBoxTests {
  private func box(x: Double = 100, y: Double, width: Double = 200) throws -> PrintedBox {
    try #require(PrintedBox(region(x: x, y: y, width: width)))
  }

  @Test func readingsThatOverlapByHalfAreOfOneLine() throws {
    let read = try box(y: 100)
    #expect(read.isOneLine(with: try box(y: 115)))
    #expect(read.isOneLine(with: try box(x: 120, y: 100, width: 120)))
  }

  @Test func neighbouringRowsAndWordsAreNotOfOneLine() throws {
    let read = try box(y: 100)
    #expect(!read.isOneLine(with: try box(y: 130)))
    #expect(!read.isOneLine(with: try box(x: 310, y: 100)))
  }

  @Test func gapIsTheDistanceOfTheNearestEdges() throws {
    let read = try box(y: 100)
    #expect(read.gap(to: try box(y: 130)) == 0)
    #expect(abs(read.gap(to: try box(y: 192)) - 50) < 1e-9)
    #expect(abs(read.gap(to: try box(x: 330, y: 182)) - 50) < 1e-9)
  }

  @Test func regionWithoutExtentHasNoBox() { #expect(PrintedBox(region(y: 0, width: 0)) == nil) }
}

/// Covers: which candidates compete.
@Suite struct SpotsTests {
  private func text(_ serial: String, _ region: Quadrilateral?) -> Candidate {
    Candidate(serial: serial, method: .tesseract, strategy: "text", confidence: 0.9, region: region)
  }

  private func code(_ region: Quadrilateral) -> Candidate {
    Candidate(serial: "C02XL0THJHCC", method: .barcode, strategy: "barcode", confidence: 0.99, region: region)
  }

  @Test func readingsOfOneLineShareASpot() {
    let spots = Spots([text("C02XL0THJHCC", region(y: 100)), text("C02XL0THJHC0", region(y: 104))])
    #expect(spots.indices == [0, 0])
  }

  @Test func rowsAreSpotsOfTheirOwn() {
    let spots = Spots([text("C02XL0THJHCC", region(y: 100)), text("C02XL0THJHCC", region(y: 200))])
    #expect(spots.indices == [0, 1])
  }

  @Test func codeJoinsTheNearestTextOfItsLabel() {
    let spots = Spots([
      text("C02XL0THJHCC", region(y: 100)), text("XK4Q2M9TRW", region(y: 500)), code(region(y: 160)),
    ])
    #expect(spots.indices == [0, 1, 0])
  }

  @Test func distantCodeIsASpotOfItsOwn() {
    let spots = Spots([text("C02XL0THJHCC", region(y: 100)), code(region(y: 400))])
    #expect(spots.indices == [0, 1])
  }

  @Test func candidateWithoutAPlaceHasNoSpot() { #expect(Spots([text("C02XL0THJHCC", nil)]).indices == [nil]) }
}
