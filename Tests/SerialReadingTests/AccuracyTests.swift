import Foundation
import Imaging
import ScanModel
import SerialReading
import Settings
import Testing

/// A small part of `make accuracy`: the pictures of `testdata` without a preset, with a minimum of correct reads and a
/// maximum of misreads.
@Suite struct AccuracyTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "testdata/pictures", isDirectory: true)

  /// The defaults, with another time budget if given: with a sanitizer the reader takes several times as long.
  private static func settings() throws -> Settings {
    try Settings.load(
      file: nil,
      environment: ProcessInfo.processInfo.environment.filter { $0.key == "SERIALSCAN_READING_TIME_BUDGET" })
  }

  private static func reader(accept: Double? = nil) throws -> SerialReader {
    let settings = try settings()
    return try SerialReader(
      parameters: settings.presets.mapValues(\.parameters),
      thresholds: ReadingThresholds(accept: accept ?? settings.reading.accept, refuse: settings.reading.refuse))
  }

  /// - Parameter name: The name of a test picture, or a path.
  private static func reading(of name: String, preset: Preset? = nil, by reader: SerialReader) throws -> Reading {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: name, relativeTo: folder)))
    return try reading(ofBytes: bytes, preset: preset, by: reader)
  }

  private static func reading(
    ofBytes bytes: [UInt8], preset: Preset? = nil, by reader: SerialReader
  ) throws -> Reading {
    let settings = try settings()
    let request = ReadRequest(
      preset: preset, timeBudget: settings.reading.timeBudget, limits: settings.upload.pictures)
    return try reader.read(bytes, request).reading
  }

  @Test func readsTestPicturesWithoutAcceptedMisread() throws {
    let reader = try Self.reader()
    let labels = try String(contentsOf: Self.folder.appendingPathComponent("labels.csv"), encoding: .utf8)
      .split(whereSeparator: \.isNewline).dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    var (right, sure) = (0, 0)
    var misread: [String] = []
    for label in labels {
      let (name, serial) = (String(label[0]), String(label[1]))
      let reading = try Self.reading(of: name, by: reader)
      let top = reading.topSerial?.serial ?? ""
      if top == serial {
        right += serial.isEmpty ? 0 : 1
        sure += (reading.topSerial?.confidence ?? 0) >= 0.95 ? 1 : 0
      } else if !top.isEmpty {
        misread.append("\(name): \(serial) read as \(top)")
        #expect(reading.verdict != .accepted, "\(name): \(top) accepted")
      }
    }
    #expect(labels.count == 42)
    #expect(right >= 35, "right: \(right)")
    #expect(sure >= 23, "reported at 0.95 or more: \(sure)")
    #expect(misread.count <= 0, "\(misread)")
  }

  @Test func zeroThresholdAcceptsOnlyReadText() throws {
    let reading = try Self.reading(of: "etched_clean_1.jpg", by: Self.reader(accept: 0))
    #expect(reading.topSerial?.serial == "G0NKP62BLGMZ")
    #expect(reading.verdict == .accepted)
  }

  @Test(arguments: [
    ("etched_clean_2.jpg", Preset.screen, "rows"), ("etched_clean_2.jpg", .sticker, "barcode"),
    ("screen_clean_1.jpg", .etched, "text"), ("screen_clean_1.jpg", .sticker, "barcode"),
    ("sticker_clean_2.jpg", .etched, "text"), ("sticker_qr.jpg", .screen, "rows"),
  ])
  func triesPresetBeforeOthers(name: String, preset: Preset, first: String) throws {
    let reader = try Self.reader()
    let given = try Self.reading(of: name, preset: preset, by: reader)
    let detected = try Self.reading(of: name, by: reader)
    let serial = try #require(detected.topSerial?.serial)
    #expect(given.topSerial?.serial == serial && given.verdict == .accepted)
    #expect(given.preset == preset && !given.presetWasDetected)
    #expect(given.trace.first?.strategy == first)
    let isPlanned = given.trace.contains { [first, "barcode"].contains($0.strategy) && $0.serial == serial }
    #expect(given.fallbackUsed != isPlanned)
  }

  @Test func photoOfACodeIsASticker() throws {
    let reading = try Self.reading(of: "sticker_medium_1.jpg", by: Self.reader())
    #expect(reading.topSerial?.method == "barcode+tesseract" && reading.preset == .sticker)
  }

  @Test(arguments: ["screen_clean_1.jpg", "screen_clean_2.jpg", "sticker_clean_1.jpg"])
  func readsUpsideDownTextWithEqualConfidence(name: String) throws {
    let reader = try Self.reader()
    let upright = try Self.reading(of: name, by: reader)
    let folder = FileManager.default.temporaryDirectory
    let turned = folder.appendingPathComponent("\(UUID()).png")
    defer { try? FileManager.default.removeItem(at: turned) }
    let bytes = [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent(name)))
    let picture = try EncodedPicture(bytes).gray(pixelLimit: 60_000_000).picture
    try Data(#require(picture.turnedUpsideDown().png())).write(to: turned)
    let reading = try Self.reading(of: turned.path, by: reader)
    #expect(reading.topSerial?.serial == upright.topSerial?.serial)
    #expect(reading.verdict == upright.verdict)
  }

  /// A test picture with some parts copied over others.
  ///
  /// - Parameter copies: The parts, and the places of their upper left corners, in pixels.
  private static func reading(
    _ name: String, copies: [(x: Int, y: Int, width: Int, height: Int, toX: Int, toY: Int)]
  ) throws -> Reading {
    try reading(name) { copied($0, copies) }
  }

  private static func copied(
    _ picture: GrayPicture, _ copies: [(x: Int, y: Int, width: Int, height: Int, toX: Int, toY: Int)]
  ) -> [UInt8] {
    var pixels = picture.pixels
    for copy in copies {
      for y in 0..<copy.height {
        for x in 0..<copy.width {
          pixels[(copy.toY + y) * picture.width + copy.toX + x] = picture[copy.x + x, copy.y + y]
        }
      }
    }
    return pixels
  }

  /// A test picture with other pixels.
  private static func reading(_ name: String, changed: (GrayPicture) -> [UInt8]) throws -> Reading {
    try reading(name) { picture in
      try #require(GrayPicture(width: picture.width, height: picture.height, pixels: changed(picture)))
    }
  }

  /// Reads a picture made from a test picture.
  private static func reading(_ name: String, made: (GrayPicture) throws -> GrayPicture) throws -> Reading {
    let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    let picture = try made(EncodedPicture(bytes).gray(pixelLimit: 60_000_000).picture)
    return try reading(ofBytes: #require(picture.png()), by: reader())
  }

  @Test func findsLabelBelowRowOfItsValue() throws {
    // Background over the label, and the label lower by nearly the height of a capital.
    let reading = try Self.reading(
      "screen_clean_1.jpg", copies: [(86, 330, 260, 37, 86, 270), (86, 270, 260, 37, 86, 294)])
    #expect(reading.topSerial?.serial == "VY1G7QMSYS")
    #expect(reading.strategyUsed == "beside-value")
    #expect(reading.verdict == .accepted)
  }

  @Test func findsFaintLabelFarBeforeItsValue() throws {
    // The values 700 pixels, 26 capitals, farther right, and the serial's label at a tenth of its contrast.
    let reading = try Self.reading("screen_clean_1.jpg") { picture in
      GrayPicture(width: picture.width + 700, height: picture.height) { pixels in
        for y in 0..<picture.height {
          for x in 0..<picture.width + 700 {
            let ground = Double(picture[x < 360 && (268..<314).contains(y) ? 20 : 352, y])
            let ink = x < 360 ? Double(picture[x, y]) : x < 1060 ? ground : Double(picture[x - 700, y])
            let isLabel = (60..<352).contains(x) && (268..<314).contains(y)
            pixels[y * (picture.width + 700) + x] = UInt8(isLabel ? ground + 0.1 * (ink - ground) : ink)
          }
        }
      }
    }
    #expect(reading.topSerial?.serial == "VY1G7QMSYS")
    #expect(reading.topSerial?.label == "Serial Number")
    #expect(reading.strategyUsed == "beside-value")
    #expect(reading.verdict == .accepted)
  }

  @Test func findsFaintRowBesideDevicePrint() throws {
    // The row of the serial at a quarter of its contrast, between rows that are easy to read, in noise of 1 %: too much for
    // a search of the whole photo for strokes so faint.
    let reading = try Self.reading("etched_clean_1.jpg") { picture in
      var chance = Chance(state: 5)
      var pixels = picture.pixels
      for y in 268..<294 {
        for x in 0..<picture.width {
          let ground = Double(picture[x, 266])
          pixels[y * picture.width + x] = UInt8(ground + 0.25 * (Double(picture[x, y]) - ground))
        }
      }
      return pixels.map { UInt8(min(255, max(0, Double($0) + 8 * chance.next() - 4))) }
    }
    #expect(reading.topSerial?.serial == "G0NKP62BLGMZ")
    #expect(reading.strategyUsed == "beside-print" && reading.preset == .etched)
  }

  @Test func readsValueWhoseCharactersTouch() throws {
    // Out of focus: words are one or two strokes.
    let reading = try read(testPicture("sticker_medium_3.jpg").boxMean(size: 7))
    #expect(reading.topSerial?.serial == "8U46NPH97W")
  }

  @Test func readsAroundSmallPrintInFullResolution() throws {
    // The screen is a twentieth of twelve megapixels, which are reduced to a sixth for finding lines. The ground has
    // a camera's noise, since an even one would be a screenshot's.
    var chance = Chance(state: 3)
    let reading = try Self.reading("screen_clean_2.jpg") { screen in
      GrayPicture(width: 4032, height: 3024) { pixels in
        for index in pixels.indices { pixels[index] = UInt8(57 + 7 * chance.next()) }
        for y in 0..<screen.height {
          for x in 0..<screen.width { pixels[(1800 + y) * 4032 + 2200 + x] = screen[x, y] }
        }
      }
    }
    #expect(reading.topSerial?.serial == "RN416S5C22U")
    #expect(reading.strategyUsed == "beside-print" && reading.preset == .screen)
  }

  @Test(arguments: [false, true])
  func valueUnderColumnHeaderNeedsReview(isHeaderLight: Bool) throws {
    // Background over the label and the second row, and the label there, two rows above the value. Headers are sometimes
    // light print on a dark bar.
    let reading = try Self.reading("screen_clean_1.jpg") { picture in
      var pixels = Self.copied(
        picture, [(86, 330, 262, 42, 86, 268), (86, 330, 530, 45, 275, 60), (86, 268, 262, 42, 360, 62)])
      for y in 60..<105 where isHeaderLight {
        for x in 275..<805 { pixels[y * picture.width + x] = 255 - pixels[y * picture.width + x] }
      }
      return pixels
    }
    #expect(reading.topSerial?.serial == "VY1G7QMSYS")
    #expect(reading.strategyUsed == "beside-value")
    #expect(reading.verdict == .uncertain)
  }

  @Test func findsLabelAboveWithTouchingLetters() throws {
    // Background over the label and the row above the value, and the label there, with strokes six pixels wider.
    let reading = try Self.reading("screen_clean_1.jpg") { picture in
      var pixels = picture.pixels
      func set(_ x: Int, _ y: Int, _ gray: UInt8) { pixels[y * picture.width + x] = gray }
      for (y, x) in (0..<42).flatMap({ y in (0..<262).map { (y, $0) } }) {
        set(86 + x, 268 + y, picture[86 + x, 330 + y])
      }
      for (y, x) in (0..<56).flatMap({ y in (0..<560).map { (y, $0) } }) {
        set(270 + x, 190 + y, picture[86 + x, 330 + y])
      }
      for (y, x) in (0..<42).flatMap({ y in (6..<262).map { (y, $0) } }) {
        set(368 + x, 214 + y, (0...6).map { picture[86 + x - $0, 268 + y] }.min() ?? 0)
      }
      return pixels
    }
    #expect(reading.topSerial?.serial == "VY1G7QMSYS")
    #expect(reading.strategyUsed == "beside-value")
  }

  @Test(arguments: [("etched_clean_3.jpg", 280.0, "C07J564K3WS3"), ("etched_clean_1.jpg", 282, "G0NKP62BLGMZ")])
  func readsLineAlongCurve(name: String, row: Double, serial: String) throws {
    // The row of the serial with some of the picture above and below it, bent around a circle.
    let (radius, side) = (260.0, 900)
    let reading = try Self.reading(name) { picture in
      let middle = Double(picture.width) / 2
      return GrayPicture(
        width: side, height: side,
        pixels: (0..<side * side).map { index in
          let (x, y) = (Double(index % side - side / 2), Double(index / side - side / 2))
          let (along, down) = (middle + radius * atan2(x, -y), row + radius - hypot(x, y))
          guard abs(down - row) < 11, (0..<Double(picture.width)).contains(along) else { return 190 }
          return picture[Int(along), Int(down)]
        })
    }
    #expect(reading.topSerial?.serial == serial)
    #expect(reading.strategyUsed == "text-curved")
    let corners = try #require(reading.topSerial?.region).corners
    // The serial is near the top of the circle, within its region.
    #expect(corners.allSatisfy { (100...800).contains($0.x) && (150...400).contains($0.y) })
  }

  @Test func labelCutByEdgeNeedsReview() throws {
    let reading = try Self.reading("format_png.png") { picture in
      picture.cropped(x: 184, y: 0, width: picture.width - 184, height: picture.height)
    }
    #expect(reading.topSerial?.serial == "6ZKTATAQUD")
    #expect(reading.verdict == .uncertain)
  }

  /// A picture placed in a larger one, filled with the background at its corner.
  private static func placed(_ picture: GrayPicture, _ place: (x: Int, y: Int), width: Int, height: Int) -> GrayPicture
  {
    placed(picture, place, on: GrayPicture(width: width, height: height) { $0.initialize(repeating: picture[2, 2]) })
  }

  private static func placed(_ picture: GrayPicture, _ place: (x: Int, y: Int), on ground: GrayPicture) -> GrayPicture {
    GrayPicture(width: ground.width, height: ground.height) { pixels in
      _ = pixels.initialize(from: ground.pixels)
      for y in 0..<picture.height {
        for x in 0..<picture.width { pixels[(place.y + y) * ground.width + place.x + x] = picture[x, y] }
      }
    }
  }

  /// Blotches as large as tiny print is high, with a camera's noise.
  private static let cloth = GrayPicture(width: 4000, height: 3000) { pixels in
    var chance = Chance(state: 5)
    for index in pixels.indices {
      let (column, row) = (index % 4000 / 16, index / 4000 / 16)
      pixels[index] = UInt8(100 + (column &* 73_856_093 ^ row &* 19_349_663) % 61 + Int(8 * chance.next()))
    }
  }

  @Test(arguments: [
    ("screen_clean_2.jpg", "RN416S5C22U"), ("screen_medium_1.jpg", "C17G5CU18DDL"),
    ("screen_medium_3.jpg", "BRQ36KLJXC"),
  ])
  func readsTinyPrintInLargePhoto(name: String, serial: String) throws {
    let reading = try Self.reading(name) { Self.placed($0, (2400, 1700), on: Self.cloth) }
    #expect(reading.topSerial?.serial == serial)
    #expect(reading.verdict == .accepted)
    let corners = try #require(reading.topSerial?.region).corners
    #expect(corners.allSatisfy { (2400...3300).contains($0.x) && (1700...2300).contains($0.y) })
  }

  @Test(arguments: [
    ("screen_medium_1.jpg", -28.0, "C17G5CU18DDL"), ("screen_medium_1.jpg", 33, "C17G5CU18DDL"),
  ])
  func levelsSlantedLightRows(name: String, degrees: Double, serial: String) throws {
    let reading = try Self.reading(name) { picture in
      Self.placed(picture, (200, 200), width: picture.width + 400, height: picture.height + 400)
        .rotated(by: degrees * .pi / 180).picture
    }
    #expect(reading.topSerial?.serial == serial)
    #expect(reading.verdict == .accepted)
    #expect(reading.trace.contains { $0.strategy == "rows-slanted" && $0.outcome.hasPrefix("slanted by") })
  }

  @Test func hidesSerialOfOtherMaker() throws {
    let reading = try Self.reading(of: "other_maker.jpg", by: Self.reader())
    #expect(reading.verdict == .refused && reading.topSerial == nil)
    #expect(reading.trace.last?.strategy == "maker" && reading.trace.last?.outcome.hasPrefix("another maker's") == true)
    // Nor if it would only be shown.
    let strict = try makeReader(ReadingThresholds(accept: 0.9999, refuse: 0.4))
    #expect(try Self.reading(of: "other_maker.jpg", by: strict).topSerial == nil)
    // Only the serial names a maker here, and it is accepted.
    let unnamed = try Self.reading(of: "screen_clean_1.jpg", by: Self.reader())
    #expect(unnamed.verdict == .accepted)
    #expect(unnamed.trace.last?.outcome.hasPrefix("no other maker") == true)
  }

  @Test(arguments: [("disk", "Y7RTNV4XMDCH", 0.3), ("battery", "RQK3V59B4B", 0.3), ("display", "V7WP95J3124S", 0.88)])
  func acceptsNoSerialOfPart(part: String, serial: String, most: Double) throws {
    let reading = try Self.reading(of: "serial_of_\(part).png", by: Self.reader())
    #expect(reading.verdict != .accepted)
    let reads = (reading.serials + (reading.refused ?? [])).filter { $0.serial == serial }
    #expect(reads.allSatisfy { $0.confidence <= most })
    #expect(part == "battery" || reads.first?.doubts?.contains { $0.code == "part" } == true)
  }

  /// The strokes of whole words touch in this picture.
  @Test func readsGlowingLetters() throws {
    let reading = try Self.reading(of: "glowing_screen.jpg", by: Self.reader())
    #expect(reading.topSerial?.serial == "7QXW4N2HRK")
    #expect(reading.verdict == .uncertain)
    #expect(reading.trace.first { $0.serial != nil }?.strategy == "rows-contrast")
  }

  /// In order: numbers that read nearly as well upside down; a label of two letters with hardly any contrast beside the
  /// dark table; labels of which the edge leaves one character, the same of the part number's; a serial and its label
  /// that are one word to the line finder; a serial with a parenthesis in place of ground behind it.
  @Test(arguments: [
    ("upside_down.jpg", "F17TQCGL5FY8"), ("repair_ticket.jpg", "JZF2JHRLX7"), ("cut_labels.jpg", "1C934WUA391"),
    ("narrow_spaces.jpg", "RM1120NGK95"), ("serial_in_parentheses.jpg", "WQ8DJX3B6L"),
  ])
  func acceptsSerialOfPlainPrint(name: String, serial: String) throws {
    let reading = try Self.reading(of: name, by: Self.reader())
    #expect(reading.topSerial?.serial == serial)
    #expect(reading.verdict == .accepted)
  }

  /// The gap behind the `1` is as wide as one between words of such low print.
  @Test(arguments: [Preset.screen, nil]) func foreshortenedSerialIsReadWhole(preset: Preset?) throws {
    let reading = try Self.reading(of: "foreshortened.jpg", preset: preset, by: Self.reader())
    #expect(reading.topSerial?.serial == "DLXF7Q55E1YW")
  }

  /// The dates of this picture look more like serials than its serial, and are more than are read.
  @Test func tableColumnsDoNotHideSerials() throws {
    let reading = try Self.reading(of: "inventory.png", by: Self.reader())
    #expect(reading.topSerial?.serial == "TQ4W7XN2HY")
    #expect(reading.verdict != .refused)
  }

  /// The fringes form lines of the faintest strokes.
  @Test func moireDoesNotHideTableSerial() throws {
    let reading = try Self.reading(
      "inventory.png",
      changed: { picture in
        picture.pixels.indices.map { index in
          let (x, y) = (Double(index % picture.width), Double(index / picture.width))
          return UInt8(0.6 * Double(picture.pixels[index]) * (1 + 0.07 * sin(2 * .pi * (x + y / 2) / 7)))
        }
      })
    #expect(reading.topSerial?.serial == "TQ4W7XN2HY")
    #expect((reading.topSerial?.confidence ?? 0) > 0.85)
  }

  @Test func valueAboveHardwareIdentifierNeedsReview() throws {
    let reading = try Self.reading(of: "hardware_values.jpg", by: Self.reader())
    #expect(reading.topSerial?.serial == "7QXW4N2HRK")
    #expect(reading.verdict == .uncertain)
    let without = try Self.reading("hardware_values.jpg") { picture in
      picture.cropped(x: 0, y: 0, width: picture.width, height: 325)
    }
    #expect(without.verdict == .refused)
  }

  @Test(arguments: [
    ("format_png.png", "6ZKTATAQUD", 200...382, 66...116), ("screen_clean_1.jpg", "VY1G7QMSYS", 345...650, 230...330),
  ])
  func photoOfValueAloneNeedsReview(
    name: String, serial: String, columns: ClosedRange<Int>, rows: ClosedRange<Int>
  ) throws {
    let reading = try Self.reading(name) { picture in
      picture.cropped(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }
    #expect(reading.topSerial?.serial == serial)
    #expect(reading.verdict == .uncertain)
  }

  @Test(arguments: [
    ("etched_clean_2.jpg", -0.4, "FK1CRVYNLFK3"), ("screen_clean_1.jpg", 0.3, "VY1G7QMSYS"),
    ("screen_clean_2.jpg", -0.4, "RN416S5C22U"), ("sticker_clean_1.jpg", -0.4, "UDP6H46A5U"),
  ])
  func readsLeaningLettersWithEqualConfidence(name: String, shear: Double, serial: String) throws {
    let reading = try Self.reading(name) { picture in
      let back = PixelTransform(xx: 1, xy: shear, yx: 0, yy: 1, dx: -shear * Double(picture.height) / 2, dy: 0)
      return picture.resampled(width: picture.width, height: picture.height, from: back)
    }
    #expect(reading.topSerial?.serial == serial)
    #expect(reading.verdict == .accepted)
  }

  /// Seen from the side, along its rows or across them.
  @Test(arguments: [
    ("etched_clean_1.jpg", 1, 0.45, "G0NKP62BLGMZ"), ("etched_clean_1.jpg", 0.5, 1, "G0NKP62BLGMZ"),
    ("etched_clean_3.jpg", 1, 0.55, "C07J564K3WS3"), ("sticker_clean_1.jpg", 1, 0.55, "UDP6H46A5U"),
    ("screen_clean_1.jpg", 1, 0.55, "VY1G7QMSYS"),
  ])
  func readsForeshortenedLettersWithEqualConfidence(name: String, across: Double, down: Double, serial: String) throws {
    let reading = try Self.reading(name) { picture in
      picture.scaled(toWidth: Int(Double(picture.width) * across), height: Int(Double(picture.height) * down))
    }
    #expect(reading.topSerial?.serial == serial)
    #expect(reading.verdict == .accepted)
  }

  @Test func readsLargeFaintBlurredLetters() throws {
    let reading = try Self.reading("etched_clean_3.jpg") { picture in
      let blurred = picture.scaled(by: 2.6).boxMean(size: 9).boxMean(size: 7)
      // At half the contrast.
      return GrayPicture(width: blurred.width, height: blurred.height) { pixels in
        for (index, value) in blurred.pixels.enumerated() { pixels[index] = UInt8(90 + Int(value) / 2) }
      }
    }
    #expect(reading.topSerial?.serial == "C07J564K3WS3")
  }

  @Test func findsSerialBelowOrderNumberWithoutLabel() throws {
    let reading = try Self.reading("screen_clean_2.jpg", copies: [(560, 252, 115, 16, 423, 252)])
    #expect(reading.topSerial?.serial == "RN416S5C22U")
  }

  @Test func tenCharactersBesideDeviceNameNeedReview() throws {
    // Background over the label, and a `5` of the model number over the last character: one digit is too few.
    let reading = try Self.reading(
      "format_png.png", copies: [(60, 74, 68, 25, 131, 74), (443, 48, 18, 23, 352, 82)])
    #expect(reading.topSerial?.serial == "6ZKTATAQU5")
    #expect(reading.verdict == .uncertain)
  }
}
