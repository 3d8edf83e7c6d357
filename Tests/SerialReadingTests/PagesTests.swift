import Imaging
import ScanModel
import SerialReading
import Testing

/// Covers: files of several pages. Each is read, and the serial with the highest confidence is reported with its page.
@Suite struct PagesTests {
  private let code: GrayPicture
  private let other: GrayPicture
  private let reader: SerialReader

  init() throws {
    code = try testPicture("sticker_qr.jpg")
    other = try testPicture("sticker_code128.jpg")
    reader = try makeReader()
  }

  @Test func readsSerialOfLaterPage() throws {
    var fractions: [Double] = []
    let reading = try reader.reading(of: TIFFFile.bytes([blank, blank, code])) { fractions.append($0.fraction) }
    #expect(reading.topSerial?.serial == "C3DRLK8BEKYS")
    #expect(reading.notes.contains("The serial is on page 3."))
    #expect(reading.photoSize == PixelSize(width: code.width, height: code.height))
    #expect(fractions == fractions.sorted() && fractions.last == 1)
  }

  @Test func differentSerialsOnTwoPagesNeedReview() throws {
    #expect(try reader.reading(of: TIFFFile.bytes([code])).verdict == .accepted)
    #expect(try reader.reading(of: TIFFFile.bytes([code, blank, code])).verdict == .accepted)
    let reading = try reader.reading(of: TIFFFile.bytes([code, other]))
    #expect(reading.verdict == .uncertain)
    #expect(!reading.serials.isEmpty && reading.serials.allSatisfy { $0.verdict == .uncertain })
    #expect(reading.notes.contains { $0.contains("compare both with the photo") })
  }

  @Test func reportsSerialsOfAllPagesOnRequest() throws {
    let request = ReadRequest(timeBudget: 20, limits: PictureLimits(maxPixels: 60_000_000), wantsEverySerial: true)
    let reading = try reader.read(TIFFFile.bytes([code, blank, other, code]), request).reading
    #expect(Set(reading.serials.map(\.serial)).count == 2 && reading.serials.count == 2)
    #expect(reading.serials.allSatisfy { $0.verdict == .accepted } && reading.verdict == .accepted)
    #expect(reading.serials[0].confidence >= reading.serials[1].confidence)
    #expect(reading.notes.contains { $0.contains("is on page 3") || $0.contains("is on page 1") })
  }

  @Test func pixelLimitAppliesToAllPagesTogether() throws {
    let limit = 2 * blank.pixels.count + code.pixels.count
    let whole = try reader.reading(of: TIFFFile.bytes([blank, blank, code]), pixelLimit: limit)
    #expect(whole.topSerial?.serial == "C3DRLK8BEKYS")
    let cut = try reader.reading(of: TIFFFile.bytes([blank, blank, code]), pixelLimit: limit - 1)
    #expect(cut.topSerial == nil)
    #expect(cut.notes.contains { $0.contains("Only the first 2 pages") })
    #expect(throws: ReadFailure.self) {
      try reader.reading(of: TIFFFile.bytes([code, blank]), pixelLimit: code.pixels.count - 1)
    }
  }

  @Test func readsEightPages() throws {
    let small = GrayPicture(width: 40, height: 30, gray: 180)
    let eighth = try reader.reading(of: TIFFFile.bytes(Array(repeating: small, count: 7) + [code]))
    #expect(eighth.topSerial?.serial == "C3DRLK8BEKYS")
    let ninth = try reader.reading(of: TIFFFile.bytes(Array(repeating: small, count: 8) + [code]))
    #expect(ninth.topSerial == nil)
  }

  @Test func damagedPageKeepsOthers() throws {
    var file = TIFFFile.bytes([blank, blank, code])
    // The second page has an unknown compression.
    let second = 8 + 2 + 120 + 4 + blank.pixels.count
    file[second + 2 + 4 * 12 + 8] = 250
    let reading = try reader.reading(of: file)
    #expect(reading.topSerial?.serial == "C3DRLK8BEKYS")
    #expect(reading.notes.contains("Pages that can't be decoded: 2."))
  }
}
