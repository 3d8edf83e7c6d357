import Foundation
import Imaging
import Testing

/// A strip along a curve.
@Suite struct CurvedStripTests {
  /// A quarter circle of radius 60 around (100, 100), from its top clockwise.
  private let strip = CurvedStrip(
    columns: (0..<94).map { column in
      let angle = (Double(column) + 0.5) / 60
      let out = PlanePoint(sin(angle), -cos(angle))
      return .init(100 + 60 * out, direction: out.down)
    }, height: 40, scale: 1)

  /// Grays by the distance from (100, 100): what stands on one circle is one row of the strip.
  private let rings: GrayPicture = {
    let pixels = (0..<200 * 200).map { index -> UInt8 in
      let (x, y) = (Double(index % 200) - 99.5, Double(index / 200) - 99.5)
      return UInt8(min(255, 2 * hypot(x, y)))
    }
    return GrayPicture(width: 200, height: 200, pixels: pixels)
  }()

  @Test func unrollsCirclesToRows() {
    let flat = rings.strip(strip)
    #expect((flat.width, flat.height) == (94, 40))
    for y in 0..<40 {
      let expected = 2 * (60 + 20 - Double(y) - 0.5)
      for x in 0..<94 { #expect(abs(Double(flat[x, y]) - expected) <= 3) }
    }
  }

  @Test func mapsPlacesBackToThePicture() {
    let place = strip.toSource(47.5, 10)
    #expect(abs((place - 100).length - 70) < 0.01)
    #expect(place.x > 100 && place.y < 100)
  }

  @Test func averagesShrunkenStrip() {
    let stripes = GrayPicture(width: 300, height: 300) { pixels in
      for index in pixels.indices { pixels[index] = index % 300 % 2 == 0 ? 0 : 200 }
    }
    let straight = CurvedStrip(
      columns: (0..<100).map { .init([3 * Double($0) + 1.5, 150], direction: [1, 0]) }, height: 20, scale: 1.0 / 3)
    let values = stripes.strip(straight).pixels[5 * 100 + 10..<5 * 100 + 90]
    #expect(values.allSatisfy { (60...140).contains($0) })
  }
}

/// A picture that is looked up through a transform.
@Suite struct ResamplingTests {
  private static let stripes = GrayPicture(width: 400, height: 40) { pixels in
    for index in pixels.indices { pixels[index] = index % 400 % 5 == 0 ? 0 : 200 }
  }

  @Test func shrinkingKeepsThinStrokes() {
    let small = Self.stripes.resampled(width: 160, height: 16, from: .scale(2.5, 2.5))
    // Every second column holds a stroke, a third of it or more.
    let row = small.pixels[8 * 160 + 10..<8 * 160 + 150]
    #expect(row.count { $0 < 170 } >= 60)
    let mean = row.reduce(0) { $0 + Int($1) } / row.count
    #expect((150...170).contains(mean))
  }

  @Test func unshrunkenStripIsUnchanged() {
    let same = Self.stripes.resampled(width: 400, height: 40, from: .scale(1, 1))
    #expect(same.pixels == Self.stripes.pixels)
  }

  @Test(arguments: [Double.nan, .infinity, 1e300]) func cutsStripsOfAnyDirectionWithoutTrapping(direction: Double) {
    let strip = LineStrip(
      origin: [10, 10], direction: [direction, 0], scale: 1, width: 8, height: 8)
    #expect(GrayPicture(width: 64, height: 64, gray: 90).strip(strip).pixels.count == 64)
  }
}
