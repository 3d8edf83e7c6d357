import Foundation
import Imaging
import ScanModel
import SerialReading
import Testing

/// Covers: pictures of several devices. Read for one serial, none is accepted; read for all, each is reported with its place.
@Suite struct EverySerialTests {
  private static let thresholds = ReadingThresholds(accept: 0.97, refuse: 0.4)

  /// Pictures side by side on gray.
  private static func row(_ names: [String]) throws -> GrayPicture { row(try names.map(testPicture)) }

  private static func row(_ pictures: [GrayPicture]) -> GrayPicture {
    let (width, height) = (pictures.reduce(0) { $0 + $1.width }, pictures.map(\.height).max() ?? 0)
    return GrayPicture(width: width, height: height) { pixels in
      for index in pixels.indices { pixels[index] = 128 }
      var left = 0
      for picture in pictures {
        for y in 0..<picture.height {
          for x in 0..<picture.width { pixels[y * width + left + x] = picture.pixels[y * picture.width + x] }
        }
        left += picture.width
      }
    }
  }

  private static func reading(_ picture: GrayPicture, every: Bool) throws -> Reading {
    let request = ReadRequest(timeBudget: 20, limits: PictureLimits(maxPixels: 60_000_000), wantsEverySerial: every)
    return try makeReader(thresholds).read(try #require(picture.png()), request).reading
  }

  private static func serial(of name: String) throws -> String {
    try #require(RegionTests.labelled.first { $0.name == name }).serial
  }

  @Test(arguments: [
    (": 579C-A2141 Serial", "Serial"), ("Model A2338 Serial Number:", "Serial Number:"),
    ("Seriennummer", "Seriennummer"),
    ("Assembled in China S/N", "S/N"), ("", ""),
  ])
  func reportsLabelWithoutPrecedingText(line: String, label: String) {
    #expect(SerialJudgement.words(ofLabel: line) == label)
  }

  static let pairs = [
    ["sticker_qr.jpg", "sticker_code128.jpg"], ["screen_clean_1.jpg", "screen_clean_2.jpg"],
    ["etched_clean_1.jpg", "etched_clean_2.jpg"],
  ]

  @Test(arguments: [
    ["sticker_qr.jpg", "sticker_code128.jpg"], ["screen_medium_1.jpg", "screen_clean_2.jpg"],
    ["etched_medium_1.jpg", "etched_medium_2.jpg"], ["sticker_medium_1.jpg", "sticker_clean_1.jpg"],
  ])
  func photoOfTwoDevicesNeedsReview(names: [String]) throws {
    let reading = try Self.reading(Self.row(names), every: false)
    let serials = try names.map(Self.serial)
    #expect(reading.verdict == .uncertain)
    #expect(reading.serials.allSatisfy { $0.verdict != .accepted })
    let top = try #require(reading.topSerial)
    let other = try #require(serials.first { $0 != top.serial })
    let side = other == serials[0] ? "left" : "right"
    #expect(
      reading.notes.contains { $0.hasPrefix("Another serial number, \(other), was seen at the") && $0.contains(side) },
      "\(reading.notes)")
    #expect(top.doubts?.contains { $0.code == "other_device" } == true)
  }

  @Test(arguments: [
    // Without a label that could be read.
    (["screen_ja.jpg", "screen_clean_1.jpg"], "T72TBV73R4"),
    (["hardware_values.jpg", "screen_clean_1.jpg"], "7QXW4N2HRK"),
  ])
  func photoOfLikelySecondDeviceNeedsReview(names: [String], likely: String) throws {
    let reading = try Self.reading(Self.row(names), every: false)
    let top = try #require(reading.topSerial)
    #expect(try top.serial == Self.serial(of: names[1]))
    #expect(reading.verdict == .uncertain && reading.serials.count == 1)
    #expect(
      reading.notes.contains {
        $0.hasPrefix("What may be another serial number, \(likely)")
          && $0.hasSuffix("left: check which belongs to the device.")
      }, "\(reading.notes)")
    #expect(top.doubts?.contains { $0.code == "other_device" } == true)
  }

  /// The second device lies across the first or on its head, its characters touch, it is smaller, or its print is curved.
  @Test(arguments: [
    (["etched_medium_1.jpg", "etched_clean_1.jpg"], Orientation.right),
    (["etched_clean_1.jpg", "etched_medium_2.jpg"], .down), (["screen_medium_3.jpg", "screen_medium_1.jpg"], .up),
    (["sticker_clean_1.jpg", "sticker_medium_2.jpg"], .up), (["round_dark.jpg", "etched_medium_2.jpg"], .up),
  ])
  func deviceThatLiesOtherwiseNeedsReview(names: [String], orientation: Orientation) throws {
    let other = try testPicture(names[1]).upright(from: orientation)
    let reading = try Self.reading(Self.row([try testPicture(names[0]), other]), every: false)
    let serials = try names.map(Self.serial)
    let top = try #require(reading.topSerial)
    #expect(reading.verdict == .uncertain && serials.contains(top.serial), "\(reading.notes)")
    let second = try #require(serials.first { $0 != top.serial })
    #expect(reading.notes.contains { $0.contains("other serial number, \(second), was seen") }, "\(reading.notes)")
  }

  @Test func acceptsDeviceSeenTwiceAcrossWithoutNote() throws {
    let picture = try testPicture("etched_medium_2.jpg")
    let reading = try Self.reading(Self.row([picture, picture.turnedClockwise()]), every: false)
    #expect(reading.verdict == .accepted && reading.notes.isEmpty && reading.serials.count == 1, "\(reading.notes)")
  }

  @Test(arguments: [
    ("T72TBV73R4", true), ("FF1X9QXSH318", true), ("653FE9B4FA", false), ("SYSTEMNAME", false), ("12345678AB", false),
    ("YECEYRHV7F", false),
    // One character dropped or doubled, or too many of them.
    ("FF1X9QXSH", true), ("FF1X9QXXSH318", true), ("FF1X9QXS", false),
  ])
  func textMayBeSecondSerial(text: String, isLikely: Bool) { #expect(LikelySerial.isLikely(text) == isLikely) }

  /// One digit is enough behind a label.
  @Test(arguments: [
    ("YECEYRHV7F", true), ("T72TBV73R4", true), ("SYSTEMNAME", false), ("12345678AB", false), ("FF1X9QXS", false),
  ])
  func textBehindLabelMayBeSecondSerial(text: String, isLikely: Bool) {
    #expect(LikelySerial.isLikelyBehindLabel(text) == isLikely)
  }

  @Test(arguments: pairs)
  func reportsEverySerialAtItsPlace(names: [String]) throws {
    let picture = try Self.row(names)
    let reading = try Self.reading(picture, every: true)
    let serials = try names.map(Self.serial)
    #expect(Set(reading.serials.map(\.serial)) == Set(serials))
    #expect(reading.isOfEverySerial == true && reading.verdict == .accepted)
    for (index, serial) in serials.enumerated() {
      let read = try #require(reading.serials.first { $0.serial == serial })
      let region = try #require(read.region).corners
      let x = region.reduce(0) { $0 + $1.x } / 4
      #expect((x < Double(picture.width) / 2) == (index == 0), "\(serial) is reported at \(x)")
    }
    #expect(reading.serials.first == reading.topSerial)
    #expect(reading.serials.map(\.confidence) == reading.serials.map(\.confidence).sorted(by: >))
  }

  @Test func acceptsPhotoOfOneDevice() throws {
    let reading = try Self.reading(Self.row(["sticker_qr.jpg"]), every: false)
    #expect(reading.verdict == .accepted && reading.topSerial?.verdict == .accepted && reading.notes == [])
    #expect(reading.isOfEverySerial == nil)
  }

  @Test func sameSerialTwiceIsOneDevice() throws {
    for every in [false, true] {
      let reading = try Self.reading(Self.row(["screen_clean_1.jpg", "screen_clean_1.jpg"]), every: every)
      #expect(reading.serials.count == 1 && reading.verdict == .accepted)
      if every { #expect(reading.topSerial?.places?.count == 1) }
    }
  }

  @Test(arguments: ["etched_medium_2.jpg", "sticker_clean_2.jpg"])
  func acceptsDeviceSeenTwiceWithoutNote(name: String) throws {
    let reading = try Self.reading(Self.row([name, name]), every: false)
    #expect(reading.verdict == .accepted && reading.notes.isEmpty && reading.serials.count == 1, "\(reading.notes)")
  }

  /// The table of `inventory.png` with another serial in each of its first twelve rows: the pieces of its own one that are
  /// apart, in other orders.
  private static func table() throws -> (picture: GrayPicture, serials: [String]) {
    let (pieces, rowHeight) = (["T", "Q4", "W", "7X", "N", "2", "H", "Y"], 50)
    let cell = (x: 640..<800, y: 522..<562)
    let drawn = try testPicture("inventory.png")
    func isBlank(_ x: Int) -> Bool { cell.y.allSatisfy { drawn.pixels[$0 * drawn.width + x] > 200 } }
    let starts = cell.x.filter { isBlank($0) && !isBlank($0 + 1) }
    try #require(starts.count == pieces.count)
    let ends = starts.dropFirst() + [starts[starts.count - 1] + starts[1] - starts[0]]
    let columns = zip(starts, ends).map { Array($0..<$1) }
    let forwards = (0..<8).map { first in pieces.indices.map { (first + $0) % 8 } }
    let backwards = (0..<4).map { first in pieces.indices.map { (first + 8 - $0) % 8 } }
    let orders = forwards + backwards
    let picture = GrayPicture(width: drawn.width, height: drawn.height) { pixels in
      for index in pixels.indices { pixels[index] = drawn.pixels[index] }
      for (row, order) in orders.enumerated() {
        for y in cell.y {
          let line = (y + (row - 9) * rowHeight) * drawn.width
          for x in cell.x { pixels[line + x] = 253 }
          for (index, x) in order.flatMap({ columns[$0] }).enumerated() {
            pixels[line + starts[0] + index] = drawn.pixels[y * drawn.width + x]
          }
        }
      }
    }
    return (picture, orders.map { order in order.map { pieces[$0] }.joined() })
  }

  @Test func readsTheRowsOfATableFarFromItsHeader() throws {
    let (picture, serials) = try Self.table()
    let reading = try Self.reading(picture, every: true)
    #expect(Set(reading.serials.map(\.serial)) == Set(serials))
  }

  @Test(arguments: [(2001, 700), (2950, 3201), (4800, 1200), (6900, 5000)])
  func tilesAreReadAtFullResolution(width: Int, height: Int) {
    for isSideways in [false, true] {
      let (columns, rows) = isSideways ? (height, width) : (width, height)
      let tiles = PhotoTiles(of: PixelSize(width: width, height: height), isSideways: isSideways).parts.map { tile in
        func pixels(_ first: Double, _ last: Double, of count: Int) -> Range<Int> {
          Int((first * Double(count)).rounded(.down))..<Int((last * Double(count)).rounded(.up))
        }
        return (
          x: pixels(tile.part.left, tile.part.right, of: columns), y: pixels(tile.part.top, tile.part.bottom, of: rows)
        )
      }
      #expect(tiles.count > 1)
      #expect(tiles.allSatisfy { max($0.x.count, $0.y.count) <= Photo.workingSide }, "\(tiles)")
      for (tile, next) in zip(tiles, tiles.dropFirst()) where tile.y == next.y {
        #expect(tile.x.upperBound - next.x.lowerBound >= 250)
      }
      for (ranges, count) in [(tiles.map(\.x), columns), (tiles.map(\.y), rows)] {
        #expect(ranges.map(\.lowerBound).min() == 0 && ranges.map(\.upperBound).max() == count)
      }
    }
  }

  @Test func photoWithoutSerialReportsNone() throws {
    let reading = try Self.reading(Self.row(["no_serial_1.jpg", "no_serial_2.jpg"]), every: true)
    #expect(reading.serials.isEmpty && reading.verdict == .refused)
  }
}
