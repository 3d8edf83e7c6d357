import Imaging
import Testing

/// Covers: measuring noise, and smoothing.
@Suite struct NoiseTests {
  /// Gray with normal noise around a brightness that falls from left to right, and dark bars every 20 pixels.
  private static func picture(deviation: Double) -> GrayPicture {
    var state: UInt64 = 5
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 33) / Double(1 << 31)
    }
    return GrayPicture(
      width: 300, height: 200,
      pixels: (0..<60_000).map { index in
        let normal = (0..<12).reduce(-6) { sum, _ in sum + uniform() }
        let ground = 120 - Double(index % 300) / 10
        return UInt8((index % 20 < 3 ? ground / 2 : ground) + deviation * normal)
      })
  }

  @Test(arguments: [2.0, 5, 9])
  func measuresNoiseBesideStrokes(deviation: Double) {
    let noise = Noise(of: Self.picture(deviation: deviation))
    #expect(abs(noise.deviation / deviation - 1) < 0.2)
    #expect(abs(noise.share * 100 / deviation - 1) < 0.3)
  }

  @Test func smoothPicturesHaveNoNoise() {
    #expect(Noise(of: Self.picture(deviation: 0)).deviation < 0.2)
    #expect(Noise(of: GrayPicture(width: 50, height: 90, gray: 7)).deviation < 0.2)
    #expect(Noise(of: GrayPicture(width: 2, height: 90, gray: 7)).deviation == 0)
  }

  @Test func smoothingRemovesMostNoise() {
    let picture = Self.picture(deviation: 6)
    let smoothed = picture.smoothed()
    #expect(smoothed.width == picture.width && smoothed.height == picture.height)
    #expect(Noise(of: smoothed).deviation < 0.25 * Noise(of: picture).deviation)
    let mean = { (picture: GrayPicture) in Double(picture.pixels.reduce(0) { $0 + Int($1) }) / 60_000 }
    #expect(abs(mean(smoothed) - mean(picture)) < 0.2)
  }

  @Test func uniformGrayIsUnchanged() {
    let gray = GrayPicture(width: 9, height: 4, gray: 255)
    #expect(gray.smoothed() == gray)
    let column = GrayPicture(width: 1, height: 3, pixels: [1, 2, 3])
    #expect(column.smoothed() == column)
  }
}
