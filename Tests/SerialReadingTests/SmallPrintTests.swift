import AppleSerial
import BarcodeReading
import Imaging
import ScanModel
import SerialReading
import Testing
import TextReading

/// Covers: what is asked of small print before it is accepted, and samples and masks, which never are.
@Suite struct SmallPrintTests {
  private static let serial = "C02G414GMD6N"

  /// Logarithms as the glyph network gives them where it sees each character of a text, or hardly knows it from another.
  private static func strokes(_ text: String, doubting: (place: Int, other: Character)? = nil) -> [Int: [Float]] {
    Dictionary(
      uniqueKeysWithValues: text.utf8.enumerated().map { place, byte in
        let logs = GlyphModel.alphabet.map { other -> Float in
          if other == byte { return -0.1 }
          return doubting?.place == place && doubting?.other.asciiValue == other ? -0.9 : -8
        }
        return (place, logs)
      })
  }

  private static func evidence(_ strokes: [Int: [Float]], unanimous: Bool = true) -> TextEvidence {
    TextEvidence(
      leastMargin: 3.4, agreement: 1, keyword: 3, fitsGrammar: true,
      hasFrequentPlant: true, capitalHeight: 20, ground: 1, glyphMargin: 5, strokes: strokes,
      isUnanimousInScales: unanimous)
  }

  private static func confidence(_ serial: String, capital: Double, _ evidence: TextEvidence?) -> Double {
    let place = Sighting(left: [10, 50], right: [120, 50], capital: capital, polarity: .dark)
    let candidate = Candidate(
      serial: serial, method: evidence == nil ? .barcode : .tesseract, strategy: "rows", confidence: 0.996,
      evidence: evidence, region: place.region)
    var fusion = Fusion()
    fusion.add([candidate])
    let size = PixelSize(width: 800, height: 600)
    return SerialJudgement(
      fusion.serials, textSeen: TextSeen(photoSize: size), thresholds: ReadingThresholds(accept: 0.97, refuse: 0.4)
    ).confidence(0)
  }

  @Test func acceptsSmallPrintWithSeparatedLookAlikes() {
    #expect(Self.confidence(Self.serial, capital: 10, Self.evidence(Self.strokes(Self.serial))) >= 0.97)
  }

  @Test func smallPrintWithoutSeparatedLookAlikesNeedsReview() {
    for (place, other) in [(0, "G"), (1, "D"), (3, "C"), (7, "6")] as [(Int, Character)] {
      let strokes = Self.strokes(Self.serial, doubting: (place, other))
      #expect(Self.confidence(Self.serial, capital: 10, Self.evidence(strokes)) < 0.97)
      #expect(Self.confidence(Self.serial, capital: 20, Self.evidence(strokes)) >= 0.97)
    }
  }

  @Test func unseenLookAlikeIsNotSeparated() {
    var strokes = Self.strokes(Self.serial)
    strokes[3] = nil
    #expect(Self.confidence(Self.serial, capital: 10, Self.evidence(strokes)) < 0.97)
    // A 4 has none.
    strokes = Self.strokes(Self.serial)
    strokes[4] = nil
    #expect(Self.confidence(Self.serial, capital: 10, Self.evidence(strokes)) >= 0.97)
  }

  @Test func smallPrintNeedsTwoScales() {
    let evidence = Self.evidence(Self.strokes(Self.serial), unanimous: false)
    #expect(Self.confidence(Self.serial, capital: 10, evidence) < 0.97)
    #expect(Self.confidence(Self.serial, capital: 20, evidence) >= 0.97)
  }

  @Test(arguments: ["XXXXXXXXXXXX", "C02XXXXXXXXX", "0123456789AB", "1010101010"])
  func samplesAndMasksAreNeverAccepted(text: String) {
    #expect(Self.confidence(text, capital: 20, Self.evidence(Self.strokes(text))) < 0.4)
    #expect(Self.confidence(text, capital: 20, nil) < 0.4)
  }
}

/// Covers: windows with light text beside windows with dark text.
@Suite struct MixedPolarityTests {
  @Test func readsSmallPrintOfOtherPolarity() throws {
    let window = try testPicture("screen_clean_3.jpg").twoThirds()
    let page = try testPicture("no_serial_5.jpg").twoThirds()
    let (width, height) = (1560, 1000)
    let desktop = GrayPicture(width: width, height: height) { pixels in
      for index in pixels.indices { pixels[index] = 235 }
      for (picture, left, top) in [(window, 0, 40), (page, 480, 0), (page, 480, 380)] {
        for y in 0..<picture.height {
          for x in 0..<picture.width { pixels[(top + y) * width + left + x] = picture[x, y] }
        }
      }
    }
    #expect(try read(desktop).topSerial?.serial == "F70MMZ0YYYUU")
  }

  @Test func readsSmallWindowOfLargeDesktopAtFullSize() throws {
    let window = try testPicture("screen_clean_2.jpg").twoThirds()
    let (width, height) = (2560, 1440)
    let desktop = GrayPicture(width: width, height: height) { pixels in
      for index in pixels.indices { pixels[index] = 235 }
      for y in 0..<window.height { for x in 0..<window.width { pixels[(500 + y) * width + 1200 + x] = window[x, y] } }
    }
    let reading = try read(desktop)
    #expect(reading.topSerial?.serial == "RN416S5C22U" && reading.verdict == .accepted)
    // At 1,600 pixels neither its dark nor its light strokes form lines.
    #expect(reading.trace.first { $0.serial != nil }?.strategy == "rows-inverted")
  }
}

extension GrayPicture {
  /// A copy at two thirds of the size, by the mean of the pixels that each new one covers.
  fileprivate func twoThirds() -> GrayPicture {
    func reduced(_ first: Int, _ middle: Int, _ last: Int) -> (Int, Int) {
      ((2 * first + middle) / 3, (middle + 2 * last) / 3)
    }
    let (wide, high) = (width / 3 * 2, height / 3 * 2)
    var rows = [Int](repeating: 0, count: wide * height)
    for y in 0..<height {
      for x in stride(from: 0, to: wide, by: 2) {
        let from = x / 2 * 3
        (rows[y * wide + x], rows[y * wide + x + 1]) = reduced(
          Int(self[from, y]), Int(self[from + 1, y]), Int(self[from + 2, y]))
      }
    }
    return GrayPicture(width: wide, height: high) { pixels in
      for y in stride(from: 0, to: high, by: 2) {
        for x in 0..<wide {
          let from = y / 2 * 3
          let (upper, lower) = reduced(
            rows[from * wide + x], rows[(from + 1) * wide + x], rows[(from + 2) * wide + x])
          (pixels[y * wide + x], pixels[(y + 1) * wide + x]) = (UInt8(upper), UInt8(lower))
        }
      }
    }
  }
}

/// Covers: what counts as drawn, and not photographed.
@Suite struct EvennessTests {
  @Test func recognizesScreenshotsNotNoise() {
    var chance = Chance(state: 7)
    let noisy = GrayPicture(width: 300, height: 200) { pixels in
      for index in pixels.indices { pixels[index] = UInt8(120 + 16 * chance.next()) }
    }
    #expect(!noisy.isDrawn)
    let page = GrayPicture(width: 300, height: 200) { pixels in
      for index in pixels.indices { pixels[index] = 240 }
      for x in 50..<60 { for y in 50..<70 { pixels[y * 300 + x] = 20 } }
    }
    #expect(page.isDrawn)
    #expect(!GrayPicture(width: 1, height: 1, gray: 0).isDrawn)
  }
}

/// Covers: what is handed out of what was seen in a photo, and what is forgotten.
@Suite struct TextSeenTests {
  private static func seen(places: Int) -> TextSeen {
    let seen = TextSeen(photoSize: PixelSize(width: 6000, height: 4000))
    for place in 0..<places {
      let y = 100.0 + 700 * Double(place)
      seen.noteCode(at: Sighting(left: [100, y], right: [300, y], capital: 20, polarity: .dark))
    }
    return seen
  }

  @Test func keepsUnusedPlacesForNextPass() {
    let seen = Self.seen(places: 5)
    #expect(seen.takeNewLandmarks(most: 2).count == 2)
    #expect(seen.takeNewLandmarks(most: 2).count == 2)
    #expect(seen.takeNewLandmarks(most: 2).count == 1)
    #expect(seen.takeNewLandmarks(most: 2).isEmpty)
  }

  @Test func dropsReadsOfWrongDirection() {
    let seen = Self.seen(places: 1)
    seen.withoutWrongDirection {
      seen.noteCode(at: Sighting(left: [100, 3000], right: [300, 3000], capital: 20, polarity: .dark))
      return true
    }
    #expect(seen.takeNewLandmarks(most: 9).count == 1)
    seen.withoutWrongDirection {
      seen.noteCode(at: Sighting(left: [100, 3500], right: [300, 3500], capital: 20, polarity: .dark))
      return false
    }
    #expect(seen.takeNewLandmarks(most: 9).count == 1)
  }

  @Test func placeKeepsCapitalHeight() throws {
    let place = Sighting(left: [10, 50], right: [110, 80], capital: 12, polarity: .dark)
    let same = try #require(Sighting(place.region))
    #expect(abs(same.capital - 12) < 1e-6)
    #expect(abs(same.left.x - 10) < 1e-6 && abs(same.right.y - 80) < 1e-6)
  }
}

/// Covers: where a code's serial is looked around for a maker.
@Suite struct CodePlaceTests {
  @Test func searchesAroundCodeAtPrintSize() throws {
    // A linear code, 280 pixels long and 60 high: the print beside such codes has capitals of some 20 pixels, not of 34.
    let ends: [(Double, Double)] = [(100, 200), (380, 200), (380, 260), (100, 260)]
    let corners = ends.map { Barcode.Corner(x: $0.0, y: $0.1) }
    let code = Barcode(text: "SC02ZK1ABMD6N", symbology: .code128, corners: corners, libraries: [.zxing])
    let found = BarcodeStrategy.candidates(
      SerialCodes.serials(in: [code]), PixelTransform.scale(1, 1), strategy: "barcode")
    let region = try #require(found.first?.recognised)
    let capital = try #require(Sighting(region)?.capital)
    #expect((15...25).contains(capital))
  }
}

/// Covers: which reading stands for a vote.
@Suite struct ReadingChoiceTests {
  @Test func readingOfOtherLengthIsNotTheText() {
    let readings = ["C02G414GMD6", "C02G414GMD6M", "C02G414GND6N"].map { Array($0.utf8) }
    #expect(Vote.representative(of: Array("C02G414GMD6N".utf8), among: readings) == 1)
    #expect(Vote.representative(of: readings[2], among: readings) == 2)
    #expect(Vote.representative(of: Array("C02G4".utf8), among: readings) == nil)
  }
}

/// Covers: where the columns of a cut stand, and the rows in which its ink is looked for.
@Suite struct CutPlaceTests {
  /// A picture with ten characters on a line, 20 pixels high, 20 apart.
  private static func line() -> (picture: GrayPicture, segment: TextSegment) {
    let boxes = (0..<10).map {
      Component(
        x: 60 + $0 * 20, y: 40, width: 12, height: 20, area: 240, centroidX: Float(66 + $0 * 20), centroidY: 50)
    }
    let picture = GrayPicture(width: 400, height: 100) { pixels in
      for index in pixels.indices { pixels[index] = 220 }
      for box in boxes {
        for y in box.y..<box.y + box.height {
          for x in box.x..<box.x + box.width { pixels[y * 400 + x] = 20 }
        }
      }
    }
    return (picture, TextSegment(boxes))
  }

  @Test(arguments: [0, 1, 2])
  func columnsAreIndependentOfCropStart(variant: Int) throws {
    let (picture, segment) = Self.line()
    // Asked for more ground than a cut keeps: it begins later.
    let crop = try #require(
      LineCrop(
        DecodedPicture(picture: picture, toUploaded: .identity), line: segment, range: 5...395, isUpsideDown: false,
        variant: CropVariant.ofValues[variant], polarity: .dark)
    )
    let ink = InkProfile(crop.picture, capital: 24 / CropVariant.ofValues[variant].heightFactor)
    let first = try #require(ink.runs.first)
    #expect(abs(crop.column(of: 60, on: segment) - Float(first.lowerBound)) <= 2)
    #expect(abs(crop.x(ofColumn: Float(first.lowerBound)) - 60) <= 2)
  }

  @Test func topStrokesOfLargeCapitalsAreInk() {
    // Capitals of 32 pixels, of which one is a stroke along its top alone, as of a 7 or a T.
    let cut = GrayPicture(width: 60, height: 44) { pixels in
      for index in pixels.indices { pixels[index] = 228 }
      for y in 6..<9 { for x in 20..<40 { pixels[y * 60 + x] = 15 } }
    }
    #expect(InkProfile(cut, capital: 32).runs == [20..<40])
    #expect(InkProfile(cut, capital: 24).runs.isEmpty)
  }

  @Test func allRowsSeparateTouchingCharacters() {
    // Two bars of 32 pixels that touch along their feet, below the rows of capitals of 24 pixels.
    let cut = GrayPicture(width: 80, height: 44) { pixels in
      for index in pixels.indices { pixels[index] = 228 }
      for y in 6..<38 {
        for x in 20..<60 where x < 26 || x >= 54 || y >= 36 { pixels[y * 80 + x] = 15 }
      }
    }
    let large = TouchingCharacters.partings(of: 20..<60, usual: 20, in: cut, capital: 32)
    let small = TouchingCharacters.partings(of: 20..<60, usual: 20, in: cut, capital: 24)
    #expect(large.map(\.ink).min() ?? 0 > small.map(\.ink).min() ?? 1)
  }
}
