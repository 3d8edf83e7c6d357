import Imaging
import Testing

/// Covers: how sharp a picture's edges are.
@Suite struct SharpnessTests {
  /// Dark squares of 30 pixels on light ground, whose edges blend over `width` pixels.
  private static func squares(edge width: Int, contrast: Double = 150) -> GrayPicture {
    GrayPicture(
      width: 400, height: 300,
      pixels: (0..<120_000).map { index in
        func depth(_ position: Int) -> Double {
          let inside = Double(min(position % 60, 59 - position % 60)) - 15
          return min(1, max(0, 0.5 + (inside + 0.5) / Double(width)))
        }
        return UInt8(200 - contrast * min(depth(index % 400), depth(index / 400)))
      })
  }

  @Test func sharperEdgesAreSharper() throws {
    let all = try [1, 2, 4, 8, 16].map { try #require(Self.squares(edge: $0).sharpness) }
    #expect(all == all.sorted(by: >))
    #expect(all[0] == 1 && (0.4...0.6).contains(all[2]) && all[3] < 0.3)
  }

  @Test func contrastDoesNotMatter() throws {
    let (strong, faint) = (Self.squares(edge: 4, contrast: 180), Self.squares(edge: 4, contrast: 60))
    #expect(abs(try #require(strong.sharpness) - (try #require(faint.sharpness))) < 0.05)
  }

  @Test func oneSharpThingCounts() throws {
    let (sharp, blurred) = (Self.squares(edge: 1), Self.squares(edge: 16))
    let pixels = blurred.pixels.indices.map { index in
      index % 400 < 120 && index / 400 < 120 ? sharp.pixels[index] : blurred.pixels[index]
    }
    #expect(try #require(GrayPicture(width: 400, height: 300, pixels: pixels).sharpness) > 0.8)
  }

  @Test(arguments: [(400, 300), (17, 17), (18, 18), (2, 400), (0, 0)])
  func nothingIsSharpWithoutEdges(width: Int, height: Int) {
    #expect(GrayPicture(width: width, height: height, gray: 90).sharpness == nil)
  }
}
