import Foundation
import Testing
import Tracking

@Suite struct FrontViewTests {
  private let video = SyntheticVideo()
  private static let places = (0..<8).map { index in
    SyntheticVideo.Place(
      center: SIMD2(300 + 9 * Double(index), 180 - 5 * Double(index)), turn: 0.06 * Double(index),
      zoom: 1 + 0.03 * Double(index))
  }

  /// The card's corners in a frame, each moved by `off` pixels, as a tracker may report them.
  private func corners(_ place: SyntheticVideo.Place, off: Double = 0) -> [SIMD2<Double>] {
    let (c, s) = (cos(place.turn) * place.zoom, sin(place.turn) * place.zoom)
    return [(-100.0, -60.0), (100, -60), (100, 60), (-100, 60)].enumerated().map { index, corner in
      let slip = SIMD2(index.isMultiple(of: 2) ? off : -off, index < 2 ? -off : off)
      return place.center + SIMD2(c * corner.0 - s * corner.1, s * corner.0 + c * corner.1) + slip
    }
  }

  private func viewed(_ place: SyntheticVideo.Place, of video: SyntheticVideo? = nil, off: Double = 0) throws
    -> ViewedFrame
  {
    try #require(ViewedFrame((video ?? self.video).frame(place), corners: corners(place, off: off)))
  }

  @Test func alignsFramesWithImpreciseCorners() throws {
    let frames = try Self.places.enumerated().map { try viewed($1, off: $0 == 0 ? 0 : 2) }
    let alone = try #require(FrontView(of: [frames[0]], pixelLimit: 2_000_000))
    let together = try #require(FrontView(of: frames, pixelLimit: 2_000_000))
    #expect(alone.frameCount == 1 && together.frameCount == 8)
    #expect(together.width == alone.width && together.height == alone.height)
    #expect(together.gray.count == together.width * together.height)
    // Compared inside the card: an offset of one pixel would differ by about 30.
    var (sum, count) = (0, 0)
    for y in (together.height / 6)..<(together.height * 5 / 6) {
      for x in (together.width / 6)..<(together.width * 5 / 6) {
        let place = y * together.width + x
        sum += abs(Int(together.gray[place]) - Int(alone.gray[place]))
        count += 1
      }
    }
    #expect(Double(sum) / Double(count) < 6, "\(Double(sum) / Double(count))")
  }

  @Test func excludesOtherAndCoveredObjects() throws {
    var other = video
    other.print = 99
    var covered = Self.places[2]
    covered.isCovered = true
    let frames = [try viewed(Self.places[0]), try viewed(Self.places[1], of: other), try viewed(covered)]
    #expect(FrontView(of: frames, pixelLimit: 2_000_000)?.frameCount == 1)
  }

  @Test func reducedFrameShowsSameView() throws {
    let frame = video.frame(Self.places[1])
    let quad = corners(Self.places[1])
    let all = try #require(ViewedFrame(frame, corners: quad))
    let kept = try #require(ViewedFrame(frame, corners: quad, pixelLimit: 12_000))
    let whole = try #require(FrontView(of: [all], pixelLimit: 6_000))
    let part = try #require(FrontView(of: [kept], pixelLimit: 6_000))
    #expect(abs(part.width - whole.width) <= 1 && abs(part.height - whole.height) <= 1)
    var (sum, count) = (0, 0)
    for y in 0..<min(part.height, whole.height) {
      for x in 0..<min(part.width, whole.width) {
        sum += abs(Int(part.gray[y * part.width + x]) - Int(whole.gray[y * whole.width + x]))
        count += 1
      }
    }
    // An offset of one pixel would differ by several times as much.
    #expect(Double(sum) / Double(count) < 8, "\(Double(sum) / Double(count))")
  }

  @Test(arguments: [1_000, 20_000, 100_000, 2_000_000]) func respectsPixelLimit(pixels: Int) throws {
    let view = try #require(FrontView(of: [viewed(Self.places[0])], pixelLimit: pixels))
    #expect(view.width * view.height <= pixels)
    #expect(view.width > view.height)
  }

  @Test func rejectsInvalidCorners() {
    let frame = video.frame(Self.places[0])
    let nan = Double.nan
    for corners in [
      [SIMD2(10.0, 10), SIMD2(10, 10), SIMD2(10, 10), SIMD2(10, 10)],
      [SIMD2(10, 10), SIMD2(90, 90), SIMD2(90, 10), SIMD2(10, 90)],
      [SIMD2(nan, 10), SIMD2(90, 10), SIMD2(90, 90), SIMD2(10, 90)],
      [SIMD2(.infinity, 10), SIMD2(90, 10), SIMD2(90, 90), SIMD2(10, 90)],
      [SIMD2(9e6, 10), SIMD2(9.1e6, 10), SIMD2(9.1e6, 90), SIMD2(9e6, 90)],
      [SIMD2(-900, -900), SIMD2(-800, -900), SIMD2(-800, -800), SIMD2(-900, -800)],
    ] {
      #expect(ViewedFrame(frame, corners: corners) == nil, "\(corners)")
    }
    #expect(FrontView(of: [], pixelLimit: 1_000) == nil)
  }
}
