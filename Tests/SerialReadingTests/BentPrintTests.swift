import Imaging
import Testing

/// Covers: a serial whose print bends away from its label.
@Suite struct BentPrintTests {
  /// A picture whose columns from one on lie lower and lower, as if its print went round a ring of a radius, in pixels.
  private static func bent(_ picture: GrayPicture, from start: Int, radius: Double) -> GrayPicture {
    GrayPicture(width: picture.width, height: picture.height) { pixels in
      for x in 0..<picture.width {
        let drop = Double(max(0, x - start) * max(0, x - start)) / (2 * radius)
        for y in 0..<picture.height {
          let from = max(0, Double(y) - drop)
          let (row, share) = (Int(from), from - from.rounded(.down))
          let next = picture[x, min(row + 1, picture.height - 1)]
          pixels[y * picture.width + x] = UInt8(Double(picture[x, row]) * (1 - share) + Double(next) * share)
        }
      }
    }
  }

  @Test func aSerialThatBendsAwayFromItsLabelIsFollowedToItsEnd() throws {
    // Its label ends at 330.
    let reading = try read(Self.bent(testPicture("etched_clean_3.jpg"), from: 330, radius: 400))
    #expect(reading.topSerial?.serial == "C07J564K3WS3")
    #expect(reading.verdict == .accepted, "\(reading)")
  }
}
