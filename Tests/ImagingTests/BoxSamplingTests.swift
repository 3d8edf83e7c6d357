import Imaging
import Testing

/// Mean brightness of the parts of a box.
@Suite struct BoxSamplingTests {
  /// Darker by 10 with each column from left to right.
  private let ramp = GrayPicture(width: 12, height: 4, pixels: (0..<48).map { UInt8(240 - 10 * ($0 % 12)) })

  @Test func wholePixelMeansAreExact() {
    let means = ramp.means(of: PixelBox(columns: 2..<8, rows: 1..<3), across: 3, down: 2, samples: 4)
    #expect(means.count == 6)
    for (mean, expected) in zip(means, [215, 195, 175, 215, 195, 175] as [Float]) {
      #expect(abs(mean - expected) < 0.01)
    }
  }

  @Test func extendsEdgeBeyondThePicture() {
    let means = ramp.means(of: PixelBox(columns: -6 ..< -2, rows: -3..<9), across: 2, down: 2, samples: 2)
    #expect(means == [240, 240, 240, 240])
  }
}
