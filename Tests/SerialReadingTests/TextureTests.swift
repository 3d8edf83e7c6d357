import Imaging
import SerialReading
import Testing

/// Covers: crops that are texture and not read.
@Suite struct TextureTests {
  @Test func printIsNotTexture() {
    let bars = GrayPicture(width: 240, height: 43) { pixels in
      for index in pixels.indices { pixels[index] = (index % 240) % 12 < 4 ? 15 : (index % 240) % 12 == 4 ? 120 : 228 }
    }
    #expect(!bars.isTexture)
    #expect(!GrayPicture(width: 240, height: 43, gray: 228).isTexture)
  }

  @Test func stripesAreTextureAndRulesAreNot() {
    func rows(_ isDark: (Int) -> Bool) -> GrayPicture {
      GrayPicture(width: 240, height: 43) { pixels in
        for index in pixels.indices {
          let (x, y) = (index % 240, index / 240)
          pixels[index] = isDark(y) || (x % 80 < 8 && (10..<34).contains(y)) ? 15 : 228
        }
      }
    }
    #expect(rows { $0 % 5 < 2 }.isTexture)
    #expect(!rows { $0 == 3 || $0 == 40 }.isTexture)
    #expect(!rows { _ in false }.isTexture)
  }

  @Test func noiseIsTexture() {
    var generator = SystemRandomNumberGenerator()
    let noise = GrayPicture(width: 240, height: 43) { pixels in
      // The sum of four uniform distributions is close to normal.
      for index in pixels.indices {
        pixels[index] = UInt8((0..<4).reduce(0) { sum, _ in sum + Int.random(in: 0...63, using: &generator) })
      }
    }
    #expect(noise.isTexture)
  }
}
