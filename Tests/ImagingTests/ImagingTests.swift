import Foundation
import Imaging
import Testing

// Covers: encoding and decoding, damaged and oversized pictures, orientation, turning, scaling, box sums, run masks,
// components and strips.

/// A picture whose gray values depend on the place.
private func numbered(width: Int, height: Int) -> GrayPicture {
  GrayPicture(width: width, height: height, pixels: (0..<width * height).map { UInt8(truncatingIfNeeded: $0 * 37) })
}

/// A soft gradient, which survives lossy compression.
private func gradient(width: Int, height: Int) -> GrayPicture {
  GrayPicture(
    width: width, height: height,
    pixels: (0..<width * height).map { UInt8(40 + ($0 % width) * 80 / width + ($0 / width) * 80 / height) })
}

@Suite struct DecodingTests {
  @Test func pngIsLosslessAndJPEGNearlySo() throws {
    let picture = gradient(width: 123, height: 45)
    let png = try EncodedPicture(try #require(picture.png())).gray(pixelLimit: 10_000)
    #expect(png.picture == picture)
    #expect(png.toUploaded == .identity)
    let jpeg = try EncodedPicture(try #require(picture.jpeg(quality: 95))).gray(pixelLimit: 10_000)
    let worst = zip(jpeg.picture.pixels, picture.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
    #expect(worst < 12)
  }

  @Test func checksPixelLimitFromHeader() throws {
    let file = try EncodedPicture(try #require(gradient(width: 100, height: 100).png()))
    #expect(throws: PictureError.tooManyPixels(width: 100, height: 100, limit: 9_999)) {
      try file.gray(pixelLimit: 9_999)
    }
  }

  @Test(arguments: [0.5, 0.9]) func rejectsTruncatedFile(share: Double) throws {
    let picture = numbered(width: 200, height: 200)
    for bytes in [try #require(picture.jpeg(quality: 90)), try #require(picture.png())] {
      #expect(throws: PictureError.self) {
        try EncodedPicture(Array(bytes.prefix(Int(Double(bytes.count) * share)))).gray(pixelLimit: 1_000_000)
      }
    }
  }

  @Test func rejectsDamagedTIFFAndReadsNextFile() throws {
    let pictures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../testdata/pictures")
    let bytes = [UInt8](try Data(contentsOf: pictures.appending(path: "format_tiff.tiff")))
    for start in stride(from: bytes.count / 8, to: bytes.count * 7 / 8, by: bytes.count / 8) {
      var damaged = bytes
      for place in start..<start + 64 { damaged[place] ^= 0xA5 }
      #expect(throws: PictureError.self) { try EncodedPicture(damaged).gray(pixelLimit: 1_000_000) }
      #expect(try EncodedPicture(bytes).gray(pixelLimit: 1_000_000).picture.width == 520)
    }
  }

  @Test func reducedJPEGMapsToFullCoordinates() throws {
    let file = try EncodedPicture(try #require(gradient(width: 1600, height: 800).jpeg(quality: 90)))
    let decoded = try file.gray(pixelLimit: 10_000_000, atLeast: 400)
    #expect(decoded.picture.width == 400 && decoded.picture.height == 200)
    let corner = decoded.toUploaded.apply(400, 200)
    #expect(abs(corner.x - 1600) < 1e-9 && abs(corner.y - 800) < 1e-9)
  }
}

@Suite struct GeometryTests {
  @Test(arguments: Orientation.allCases) func orientationMapsToStoredPixel(orientation: Orientation) {
    let stored = numbered(width: 13, height: 7)
    let upright = stored.upright(from: orientation)
    let back = orientation.storedFromUpright(width: 13, height: 7)
    for y in 0..<upright.height {
      for x in 0..<upright.width {
        let place = back.apply(Double(x) + 0.5, Double(y) + 0.5)
        #expect(upright[x, y] == stored[Int(place.x), Int(place.y)])
      }
    }
  }

  @Test func quarterTurnsUndoEachOther() {
    let picture = numbered(width: 150, height: 70)
    #expect(picture.turnedClockwise().turnedClockwise().turnedClockwise().turnedClockwise() == picture)
    #expect(picture.turnedClockwise().turnedClockwise() == picture.turnedUpsideDown())
    #expect(picture.turnedClockwise()[70 - 1 - 3, 5] == picture[5, 3])
  }

  @Test func inverseUndoesTransform() throws {
    let map = PixelTransform(xx: 1.2, xy: -0.4, yx: 0.3, yy: 0.9, dx: 5, dy: -8)
    let back = map.then(try #require(map.inverse))
    let place = back.apply(17, 23)
    #expect(abs(place.x - 17) < 1e-9 && abs(place.y - 23) < 1e-9)
  }

  @Test func rotationTransformFindsPixel() {
    var pixels = [UInt8](repeating: 0, count: 200 * 100)
    for y in 60..<64 { for x in 150..<154 { pixels[y * 200 + x] = 255 } }
    let (turned, back) = GrayPicture(width: 200, height: 100, pixels: pixels).rotated(by: 0.5)
    var (sumX, sumY, sum) = (0.0, 0.0, 0.0)
    for y in 0..<turned.height {
      for x in 0..<turned.width {
        sumX += (Double(x) + 0.5) * Double(turned[x, y])
        sumY += (Double(y) + 0.5) * Double(turned[x, y])
        sum += Double(turned[x, y])
      }
    }
    let place = back.apply(sumX / sum, sumY / sum)
    #expect(abs(place.x - 152) < 0.2 && abs(place.y - 62) < 0.2)
  }

  @Test(arguments: [(40, 30), (2, 2), (1, 9), (9, 1), (1, 1)]) func resamplesBetweenPixelsAndRepeatsEdges(
    width: Int, height: Int
  ) {
    let picture = GrayPicture(
      width: width, height: height, pixels: (0..<width * height).map { UInt8(truncatingIfNeeded: $0 * 77) })
    func plain(_ x: Double, _ y: Double) -> Double {
      let (x, y) = (max(0, min(x, Double(width - 1))), max(0, min(y, Double(height - 1))))
      let (left, top) = (Int(x), Int(y))
      let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
      func mixed(_ row: Int) -> Double {
        Double(picture[left, row]) * (1 - x + Double(left)) + Double(picture[right, row]) * (x - Double(left))
      }
      return mixed(top) * (1 - y + Double(top)) + mixed(bottom) * (y - Double(top))
    }
    // On pixels' centres, between them, at an angle, and far beyond the edges.
    let transforms = [
      PixelTransform(xx: 1, xy: 0, yx: 0, yy: 1, dx: -3, dy: 2),
      PixelTransform(xx: 0.5, xy: 0, yx: 0, yy: 0.5, dx: 0.25, dy: -1),
      PixelTransform(xx: 0.8, xy: -0.6, yx: 0.6, yy: 0.8, dx: 5, dy: -4),
    ]
    for transform in transforms {
      let found = picture.resampled(width: 50, height: 40, from: transform)
      for y in 0..<40 {
        for x in 0..<50 {
          let place = transform.apply(Double(x) + 0.5, Double(y) + 0.5)
          #expect(abs(Double(found[x, y]) - plain(place.x - 0.5, place.y - 0.5)) <= 0.51)
        }
      }
    }
  }

  @Test func shrinkingKeepsMeanAndGrowingKeepsCorners() {
    let picture = gradient(width: 300, height: 200)
    let small = picture.scaled(by: 0.37)
    func mean(_ picture: GrayPicture) -> Double {
      Double(picture.pixels.reduce(0) { $0 + Int($1) }) / Double(picture.pixels.count)
    }
    #expect(small.width == 111 && small.height == 74)
    #expect(abs(mean(small) - mean(picture)) < 1)
    let large = picture.scaled(by: 2)
    #expect(large.width == 600 && large[0, 0] == picture[0, 0] && large[599, 399] == picture[299, 199])
  }

  @Test func stripFollowsSlopeInBothDirections() {
    var pixels = [UInt8](repeating: 0, count: 100 * 100)
    for x in 10..<90 { for dy in -3...3 { pixels[(20 + x / 2 + dy) * 100 + x] = UInt8(100 + x) } }
    let picture = GrayPicture(width: 100, height: 100, pixels: pixels)
    let length = (1.0 + 0.25).squareRoot()
    let strip = LineStrip(
      origin: [10, 25], direction: [1 / length, 0.5 / length], scale: 2, width: 100, height: 8)
    let flat = picture.strip(strip)
    let middle = (0..<100).map { Int(flat[$0, 4]) }
    #expect(zip(middle, middle.dropFirst()).allSatisfy { $0 <= $1 + 3 })
    let reversed = picture.strip(strip.reversed)
    #expect(abs(Int(reversed[10, 4]) - Int(flat[89, 3])) < 8)
  }

  @Test func stretchedStripMapsToSource() {
    let picture = GrayPicture(width: 100, height: 20) { pixels in
      for index in 0..<2000 { pixels[index] = UInt8(index % 100 * 2) }
    }
    let strip = LineStrip(
      origin: [10, 10], direction: [1, 0], scale: 1, width: 120, height: 10, stretch: 1.5)
    let flat = picture.strip(strip)
    // 120 columns hold 80 of the source.
    #expect(abs(Int(flat[0, 5]) - 20) <= 2 && abs(Int(flat[119, 5]) - 178) <= 3)
    let place = strip.toSource.apply(60, 5)
    #expect(abs(place.x - 50.5) < 0.01 && abs(place.y - 10.5) < 0.01)
    let reversed = picture.strip(strip.reversed)
    #expect(abs(Int(reversed[10, 5]) - Int(flat[109, 4])) <= 3)
  }

  @Test func shearedStripStraightensStrokes() {
    var pixels = [UInt8](repeating: 200, count: 100 * 40)
    for y in 0..<40 { for x in 0..<4 { pixels[y * 100 + 40 + x + (y - 20) / 2] = 20 } }
    let picture = GrayPicture(width: 100, height: 40, pixels: pixels)
    let strip = LineStrip(
      origin: [0, 20], direction: [1, 0], scale: 1, width: 100, height: 30, shear: 0.5)
    for cut in [strip, strip.reversed] {
      let flat = picture.strip(cut)
      // The stroke's darkest column is the same in all rows.
      let darkest = (0..<30).map { y in
        (0..<100).filter { flat[$0, y] < 60 }.reduce(0, +) / max(1, (0..<100).count { flat[$0, y] < 60 })
      }
      #expect((darkest.max() ?? 99) - (darkest.min() ?? 0) <= 2)
      let place = cut.toSource.apply(Double(darkest[3]), 3.5)
      #expect(abs(place.x - 42 - (place.y - 20) / 2) < 3)
    }
  }
}

@Suite struct MaskTests {
  private func mask(_ rows: [String]) -> RunMask {
    var mask = RunMask(width: rows[0].utf8.count, height: rows.count)
    for (y, row) in rows.enumerated() {
      let bytes = row.utf8.map { $0 == UInt8(ascii: "#") ? UInt8(1) : 0 }
      bytes.withUnsafeBufferPointer { mask.append(row: y, $0) }
    }
    return mask
  }

  @Test(arguments: [1, 63, 64, 65, 128, 200]) func appendsEachRunOfARow(width: Int) {
    for row in 0..<8 {
      // Runs of all lengths, some of which touch an edge or cross a multiple of 64.
      let bytes = (0..<width).map { UInt8(($0 + row) / (row + 1) % 3 == 0 ? 1 : 0) }
      var mask = RunMask(width: width, height: 8)
      bytes.withUnsafeBufferPointer { mask.append(row: row, $0) }
      var expected: [RunMask.Run] = []
      for x in 0..<width where bytes[x] == 1 {
        if let last = expected.last, Int(last.end) == x {
          expected[expected.count - 1].end += 1
        } else {
          expected.append(RunMask.Run(row: Int32(row), start: Int32(x), end: Int32(x + 1)))
        }
      }
      #expect(mask.runs == expected)
    }
  }

  @Test func componentsTouchDiagonally() {
    let (components, labels) = mask(["##......#", "..##....#", "....#...#", ".........", "###...###"]).components()
    #expect(components.count == 4)
    #expect(components[0] == Component(x: 0, y: 0, width: 5, height: 3, area: 5, centroidX: 2, centroidY: 0.8))
    #expect(labels == [0, 1, 0, 1, 0, 1, 2, 3])
  }

  @Test func joinsArmsOfUShape() {
    #expect(mask(["#...#", "#...#", "#####"]).components().components.count == 1)
    #expect(mask(["#.#.#", ".....", "#.#.#"]).components().components.count == 6)
  }

  @Test func closesGapsShorterThanItsLength() {
    let (closed, owner) = mask(["#..#...#", "........", "#......."]).closedHorizontally(3)
    #expect(closed.runs.map { [$0.row, $0.start, $0.end] } == [[0, 0, 4], [0, 7, 8], [2, 0, 1]])
    #expect(owner == [0, 0, 1, 2])
  }

  @Test func turnsMaskClockwise() {
    let rows = ["##..#", "..#.#", "#...."]
    let (turned, origin) = mask(rows).turnedClockwise()
    #expect(turned.width == 3 && turned.height == 5 && turned.area == 6)
    var expected: Set<[Int]> = []
    for (y, row) in rows.enumerated() {
      for (x, character) in row.enumerated() where character == "#" { expected.insert([2 - y, x]) }
    }
    let found = Set(turned.runs.flatMap { run in (run.start..<run.end).map { [Int($0), Int(run.row)] } })
    #expect(found == expected)
    #expect(origin.count == turned.runs.count)
  }
}

@Suite struct MeanTests {
  @Test(arguments: [3, 25]) func boxSumsMatchPlainSums(size: Int) {
    let picture = numbered(width: 40, height: 31)
    func reflect(_ index: Int, _ count: Int) -> Int {
      index < 0 ? -index : index >= count ? 2 * count - 2 - index : index
    }
    picture.forEachRowOfBoxSums(size: size) { y, sums in
      for x in [0, 1, 17, 39] {
        var sum: Int32 = 0
        for dy in -(size / 2)...(size / 2) {
          for dx in -(size / 2)...(size / 2) { sum += Int32(picture[reflect(x + dx, 40), reflect(y + dy, 31)]) }
        }
        #expect(sums[x] == sum)
      }
    }
  }

  @Test func backgroundDivisionKeepsStrokes() {
    var pixels = gradient(width: 200, height: 60).pixels
    for y in 28..<32 { for x in 90..<110 { pixels[y * 200 + x] = pixels[y * 200 + x] / 2 } }
    let ratios = GrayPicture(width: 200, height: 60, pixels: pixels).dividedByBackground(size: 31)
    #expect(abs(ratios[30 * 200 + 40] - 1) < 0.08)
    #expect(ratios[30 * 200 + 100] < 0.6)
  }
}
