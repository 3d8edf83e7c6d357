import Imaging
import SerialReading
import Testing

/// Covers: measuring the lean of letters in a line.
@Suite struct ShearTests {
  /// Strokes three pixels wide on a light background, in a line 42 pixels high; each leans by `shear` pixels for each pixel down.
  private static func line(_ shears: [Double]) -> GrayPicture {
    let (width, height) = (30 * shears.count + 60, 42)
    return GrayPicture(width: width, height: height) { pixels in
      pixels.initialize(repeating: 230)
      for (index, shear) in shears.enumerated() {
        for y in 9..<33 {
          let x = 45 + 30 * index + Int((shear * Double(y - 21)).rounded())
          for column in x..<x + 3 { pixels[y * width + column] = 10 }
        }
      }
    }
  }

  @Test(arguments: [-0.4, -0.25, 0.2, 0.45])
  func measuresShearOfLeaningStrokes(shear: Double) {
    #expect(abs(Shear.of(Self.line([Double](repeating: shear, count: 10))) - shear) < 0.06)
  }

  @Test func uprightLettersHaveNoShear() {
    #expect(Shear.of(Self.line([Double](repeating: 0, count: 10))) == 0)
    #expect(Shear.of(Self.line([Double](repeating: 0.1, count: 10))) == 0)
    #expect(Shear.of(GrayPicture(width: 300, height: 42, gray: 230)) == 0)
  }

  @Test func mixedLeanHasNoShear() {
    // `V`, `W` and `A` among upright ones.
    #expect(Shear.of(Self.line([0.3, -0.3, 0, 0, 0.3, -0.3, 0, 0.3, -0.3, 0])) == 0)
    // As many one way as the other, so that either shear gathers ink and spreads the letters.
    #expect(Shear.of(Self.line([0.3, 0.3, -0.3, -0.3, 0.3, 0.3, -0.3, -0.3, 0, 0])) == 0)
  }
}
