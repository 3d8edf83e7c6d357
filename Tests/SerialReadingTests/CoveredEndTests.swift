import Foundation
import Imaging
import ScanModel
import SerialReading
import Testing
import TextReading

/// Covers: serials whose beginning or end is covered, so that a shorter valid serial remains.
@Suite struct CoveredEndTests {
  /// The cover over the first or last two characters.
  enum Cover: CaseIterable, Sendable {
    case dark, light, blocks

    /// White paper on a white label, and black on a black display.
    func isInvisible(on label: Label) -> Bool {
      (self == .light && label.file.hasPrefix("sticker")) || (self == .dark && label.file.hasPrefix("screen"))
    }

    func gray(_ x: Int, _ y: Int) -> UInt8 {
      switch self {
      case .dark: 40
      case .light: 250
      case .blocks: UInt8(truncatingIfNeeded: (x / 5 &* 73) ^ (y / 5 &* 151))
      }
    }
  }

  /// A line of `testdata/pictures/labels.csv`.
  struct Label: Sendable {
    var file: String
    var serial: String
    /// The corners of its serial, from the top left clockwise.
    var corners: [(x: Double, y: Double)]

    /// The labelled serials of 12 characters that are printed or etched.
    static func longSerials() throws -> [Label] {
      try labels().filter { $0.serial.count == 12 && $0.file.contains("clean") }
    }

    /// All labelled serials whose place is known.
    static func labels() throws -> [Label] {
      let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../testdata/pictures/labels.csv")
      return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().compactMap { line in
        let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let numbers = cells[6].split(separator: ";").compactMap { Double($0) }
        guard numbers.count == 8 else { return nil }
        return Label(file: cells[0], serial: cells[1], corners: (0..<4).map { (numbers[2 * $0], numbers[2 * $0 + 1]) })
      }
    }

    /// The rows of a picture in which a cover may lie.
    func rows(of picture: GrayPicture) -> Range<Int> {
      let (top, bottom) = corners.reduce((Double.infinity, -Double.infinity)) { (min($0.0, $1.y), max($0.1, $1.y)) }
      let reach = bottom - top
      return max(0, Int(top - reach))..<min(picture.height, Int(bottom + reach) + 1)
    }

    /// Whether a pixel is within the first two characters, or within the last two or as far again after them.
    func covers(_ x: Int, _ y: Int, atBeginning: Bool) -> Bool {
      let (left, right, below) = (corners[0], corners[1], corners[3])
      func share(_ along: (x: Double, y: Double)) -> Double {
        let (dx, dy) = (along.x - left.x, along.y - left.y)
        return ((Double(x) - left.x) * dx + (Double(y) - left.y) * dy) / (dx * dx + dy * dy)
      }
      let covered = atBeginning ? 0...2.0 / 12 : 10.0 / 12...14.0 / 12
      return covered.contains(share(right)) && (-0.8...1.8).contains(share(below))
    }
  }

  @Test(arguments: Cover.allCases, [true, false])
  func shorterSerialBesideCoverNeedsReview(cover: Cover, atBeginning: Bool) throws {
    let labels = try Label.longSerials()
    #expect(labels.count >= 4)
    for label in labels where !cover.isInvisible(on: label) {
      let whole = try testPicture(label.file)
      var pixels = whole.pixels
      for y in label.rows(of: whole) {
        for x in 0..<whole.width where label.covers(x, y, atBeginning: atBeginning) {
          pixels[y * whole.width + x] = cover.gray(x, y)
        }
      }
      let reading = try read(try #require(GrayPicture(width: whole.width, height: whole.height, pixels: pixels)))
      #expect(
        reading.verdict != .accepted || reading.topSerial?.serial == label.serial,
        "\(label.file) of \(label.serial), \(cover): \(reading.topSerial?.serial ?? "nothing")")
    }
  }

  /// The end of a shadow lies along the line, so that the ground above it is lighter than the ground below.
  @Test(arguments: [
    ("screen_ja.jpg", "T72TBV73R4"), ("screen_medium_2.jpg", "114DBDWUTG"), ("sticker_medium_1.jpg", "YECEYRHV7F"),
  ])
  func unevenGroundCoversNothing(file: String, serial: String) throws {
    let label = try #require(try Label.labels().first { $0.file == file })
    let rows = label.corners.map(\.y)
    let (middle, height) = (rows.reduce(0, +) / 4, abs(rows[3] - rows[0]))
    let whole = try testPicture(file)
    let reading = try read(
      GrayPicture(width: whole.width, height: whole.height) { pixels in
        for index in pixels.indices {
          let (y, x) = index.quotientAndRemainder(dividingBy: whole.width)
          let share = min(max((Double(y) - middle) / height + 0.5, 0), 1)
          pixels[index] = UInt8(Double(whole[x, y]) * (1 - 0.2 * share))
        }
      })
    #expect(reading.topSerial?.serial == serial)
    #expect(reading.verdict == .accepted, "\(reading)")
  }

  /// A line as it is read, with spaces of 8 pixels.
  private func line(_ text: String) -> TextLine {
    var symbols: [Symbol] = []
    var (left, startsWord) = (0, true)
    for character in text {
      if character == " " {
        (left, startsWord) = (left + 8, true)
        continue
      }
      symbols.append(
        Symbol(character: character, confidence: 98, left: left, right: left + 12, startsWord: startsWord))
      (left, startsWord) = (left + 14, false)
    }
    return TextLine(symbols: symbols)
  }

  /// What text around a serial shows that it is whole: words of lower-case letters, a label, a closed parenthesis.
  @Test(arguments: [
    ("Serial number XK4Q2M9TRW has been", true, true), ("(S/N XK4Q2M9TRW).", true, true),
    ("unit (XK4Q2M9TRW) was", true, true), ("your XK4Q2M9TRW | Qty: 1", true, true),
    ("Serial: XK4Q2M9TRW/ Model: iMac", true, true), ("S/N XK4Q2M9TRW", true, false),
    ("XK4Q2M9TRW XW", false, false), ("XK4Q2M9TRW vs", false, false), ("your XK4Q2M9TRWis", true, false),
    ("XK4Q2M9TRW)", false, false), ("Q XK4Q2M9TRW | 7", false, false),
  ])
  func wordsShowWhereSerialEnds(text: String, before: Bool, after: Bool) throws {
    let around = try #require(TextAround("XK4Q2M9TRW", in: line(text)))
    #expect(around.before == before && around.after == after)
  }

  @Test func onlyClearAndCloseWordsShowWhereSerialEnds() throws {
    var unclear = line("your XK4Q2M9TRW has")
    for index in unclear.symbols.indices.suffix(3) { unclear.symbols[index].confidence = 85 }
    #expect(try !#require(TextAround("XK4Q2M9TRW", in: unclear)).after)
    var distant = line("your XK4Q2M9TRW has")
    for index in distant.symbols.indices.suffix(3) {
      distant.symbols[index].left += 24
      distant.symbols[index].right += 24
    }
    #expect(try !#require(TextAround("XK4Q2M9TRW", in: distant)).after)
    #expect(TextAround("XK4Q2M9TRW", in: line("your XK4Q2M9TRV has")) == nil)
  }

  @Test func labelRightBeforeSerialCoversNothing() throws {
    // Out of focus, the space between label and serial is narrower than the ground beyond an end must be.
    let reading = try read(testPicture("format_png.png").boxMean(size: 5).boxMean(size: 5))
    #expect(reading.topSerial?.serial == "6ZKTATAQUD")
    #expect(reading.verdict == .accepted, "\(reading)")
  }
}
