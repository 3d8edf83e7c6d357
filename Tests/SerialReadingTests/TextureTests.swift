import Imaging
import SerialReading
import Testing

/// Covers: which cuts are left unread.
@Suite struct TextureTests {
  @Test func printIsNoTexture() {
    let bars = GrayPicture(width: 240, height: 43) { pixels in
      for index in pixels.indices { pixels[index] = (index % 240) % 12 < 4 ? 15 : (index % 240) % 12 == 4 ? 120 : 228 }
    }
    #expect(!bars.isTexture)
    #expect(!GrayPicture(width: 240, height: 43, gray: 228).isTexture)
  }

  @Test func noiseIsTexture() {
    var generator = SystemRandomNumberGenerator()
    let noise = GrayPicture(width: 240, height: 43) { pixels in
      // Four even distributions added come near a bell.
      for index in pixels.indices {
        pixels[index] = UInt8((0..<4).reduce(0) { sum, _ in sum + Int.random(in: 0...63, using: &generator) })
      }
    }
    #expect(noise.isTexture)
  }
}
