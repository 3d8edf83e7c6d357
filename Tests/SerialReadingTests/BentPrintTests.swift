import Imaging
import Testing

/// Covers: a serial whose print bends away from its label, or is curved beside straight print.
@Suite struct BentPrintTests {
  /// A picture whose columns from `start` on are shifted down increasingly, as if printed around a ring.
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

  @Test func followsSerialThatBendsFromItsLabel() throws {
    // Its label ends at 330.
    let reading = try read(Self.bent(testPicture("etched_clean_3.jpg"), from: 330, radius: 400))
    #expect(reading.topSerial?.serial == "C07J564K3WS3")
    #expect(reading.verdict == .accepted, "\(reading)")
  }

  /// One picture above another.
  private static func stacked(_ above: GrayPicture, _ below: GrayPicture) -> GrayPicture {
    let width = max(above.width, below.width)
    return GrayPicture(width: width, height: above.height + below.height) { pixels in
      for (picture, top) in [(above, 0), (below, above.height)] {
        for y in 0..<picture.height {
          for x in 0..<picture.width { pixels[(top + y) * width + x] = picture[x, y] }
        }
      }
    }
  }

  @Test(arguments: ["no_serial_1.jpg", "no_serial_4.jpg", "no_serial_5.jpg"])
  func readsCurvedPrintBesideStraightPrint(straight: String) throws {
    let reading = try read(Self.stacked(testPicture("round_dark.jpg"), testPicture(straight)))
    #expect(reading.topSerial?.serial == "FF1X9QXSH318")
    #expect(reading.verdict == .accepted && reading.topSerial?.strategy == "text-curved", "\(reading)")
  }
}
