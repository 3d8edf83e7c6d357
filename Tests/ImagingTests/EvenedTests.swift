import Imaging
import Testing

/// Covers: `GrayPicture.evened`.
@Suite struct EvenedTests {
  @Test func removesShadowsAndKeepsStrokes() {
    let picture = GrayPicture(width: 120, height: 60) { pixels in
      for y in 0..<60 {
        for x in 0..<120 {
          let isStroke = (20..<40).contains(y) && x % 12 < 4
          pixels[y * 120 + x] = UInt8((x < 60 ? 180 : 90) * (isStroke ? 2 : 3) / 3)
        }
      }
    }
    let evened = picture.evened()
    #expect(Set([0, 59, 60, 119].map { evened[$0, 5] }) == [200])
    #expect(Set([48, 50, 60, 62].map { evened[$0, 30] }) == [133])
    #expect(Set([56, 59, 65, 71].map { evened[$0, 30] }) == [200])
  }

  @Test func keepsEvenPictures() {
    #expect(GrayPicture(width: 30, height: 1, gray: 90).evened() == GrayPicture(width: 30, height: 1, gray: 200))
  }
}
