import Foundation
import Testing
import Tracking

@Suite struct SceneTests {
  private let video = SyntheticVideo()
  private let start = SyntheticVideo.Place(center: SIMD2(300, 180))

  private func scene(_ video: SyntheticVideo) -> Scene { Scene(video.frame(start), boxes: [video.box(start)]) }

  @Test func followsMovingTurningCard() throws {
    var scene = scene(video)
    for step in 1...15 {
      let t = Double(step)
      let place = SyntheticVideo.Place(center: SIMD2(300 + 4 * t, 180 - 2 * t), turn: 0.03 * t, zoom: 1 + 0.02 * t)
      let sighting = try #require(scene.track(video.frame(place))[0])
      #expect(sighting.box.overlap(with: video.box(place)) > 0.95)
      #expect(sighting.isPlanar)
      #expect((0...1).contains(sighting.confidence))
    }
  }

  @Test func findsCoveredCardElsewhere() throws {
    var scene = scene(video)
    _ = scene.track(video.frame(start))
    var hidden = start
    hidden.isCovered = true
    for _ in 0..<5 { #expect(scene.track(video.frame(hidden))[0] == nil) }
    let back = SyntheticVideo.Place(center: SIMD2(430, 120), turn: 0.5, zoom: 0.8)
    let sighting = try #require(scene.track(video.frame(back))[0])
    #expect(sighting.box.overlap(with: video.box(back)) > 0.9)
  }

  @Test func findsCardThatLeftTheFrame() throws {
    var scene = scene(video)
    for step in 1...30 {
      let place = SyntheticVideo.Place(center: SIMD2(300 + 16 * Double(step), 180))
      let sighting = scene.track(video.frame(place))[0]
      if step > 28 { #expect(sighting == nil) }
    }
    for _ in 0..<40 { #expect(scene.track(video.frame(nil))[0] == nil) }
    let back = SyntheticVideo.Place(center: SIMD2(300, 170), turn: 0.1)
    let sighting = try #require(scene.track(video.frame(back))[0])
    #expect(sighting.isPlanar && sighting.box.overlap(with: video.box(back)) > 0.9)
  }

  @Test func ignoresSimilarCard() {
    var scene = scene(video)
    var hidden = start
    hidden.isCovered = true
    _ = scene.track(video.frame(hidden))
    var other = video
    other.print = 99
    for _ in 0..<5 { #expect(scene.track(other.frame(start))[0] == nil) }
  }

  @Test func followsCardInHalfTheLight() throws {
    var scene = scene(video)
    var dark = start
    dark.light = 0.55
    let sighting = try #require(scene.track(video.frame(dark))[0])
    #expect(sighting.box.overlap(with: video.box(dark)) > 0.95)
  }

  @Test(arguments: [0.5, 0.75, 1.25]) func continuesInFrameOfOtherSize(scale: Double) throws {
    var scene = scene(video)
    _ = scene.track(video.frame(start))
    let moved = SyntheticVideo.Place(center: SIMD2(306, 183))
    let sighting = try #require(scene.track(video.frame(moved, scale: scale))[0])
    let expected = video.box(moved)
    let scaled = Box(
      x0: expected.x0 * scale, y0: expected.y0 * scale, x1: expected.x1 * scale, y1: expected.y1 * scale)
    #expect(sighting.box.overlap(with: scaled) > 0.93)
  }

  @Test func continuesWhenPhoneIsTurned() throws {
    var scene = scene(video)
    _ = scene.track(video.frame(start))
    var upright = video
    (upright.width, upright.height) = (360, 640)
    let place = SyntheticVideo.Place(center: SIMD2(180, 300), turn: .pi / 2)
    let sighting = try #require(scene.track(upright.frame(place))[0])
    #expect(sighting.box.overlap(with: upright.box(place)) > 0.9)
  }

  @Test func keepsOrderOfSeveralObjects() throws {
    let other = Box(x0: 10, y0: 10, x1: 90, y1: 70)
    var scene = Scene(video.frame(start), boxes: [video.box(start), other])
    var hidden = start
    hidden.isCovered = true
    let sightings = scene.track(video.frame(hidden))
    #expect(sightings.count == 2)
    #expect(sightings[0] == nil)
    #expect(try #require(sightings[1]).box.overlap(with: other) > 0.8)
  }

  @Test func toleratesTinyFrames() throws {
    let sizes = [(1, 1), (1, 200), (200, 1), (7, 5), (33, 33)]
    for (width, height) in sizes {
      let gray = [UInt8](repeating: 9, count: width * height)
      let frame = try #require(
        TrackingFrame(width: width, height: height, gray: gray, fullWidth: width, fullHeight: height))
      var scene = Scene(frame, boxes: [Box(x0: 0, y0: 0, x1: Double(width), y1: Double(height))])
      _ = scene.track(frame)
      _ = scene.track(video.frame(start))
      _ = scene.track(frame)
      _ = Proposal.box(in: frame, around: SIMD2(0.5, 0.5))
    }
    #expect(TrackingFrame(width: 0, height: 5, gray: [], fullWidth: 1, fullHeight: 1) == nil)
    #expect(TrackingFrame(width: 2, height: 2, gray: [1], fullWidth: 2, fullHeight: 2) == nil)
  }

  @Test(arguments: [(frames: 10, reach: 8), (4, 8), (6, 4)])
  func blurredCardIsPlanarAgain(blur: (frames: Int, reach: Int)) throws {
    var scene = scene(video)
    func place(_ step: Int) -> SyntheticVideo.Place {
      let t = Double(step)
      return SyntheticVideo.Place(
        center: SIMD2(300 + 3 * t, 180 - t), turn: 0.02 * t, blur: (3..<3 + blur.frames).contains(step) ? blur.reach : 0
      )
    }
    for step in 1..<(3 + blur.frames) { _ = scene.track(video.frame(place(step))) }
    // It must be found within a few frames after the blur, and be planar in every later one.
    var wasPlane = false
    for step in (3 + blur.frames)..<(15 + blur.frames) {
      let sighting = scene.track(video.frame(place(step)))[0]
      let isPlane = sighting.map { $0.isPlanar && $0.box.overlap(with: video.box(place(step))) > 0.95 } ?? false
      if wasPlane { #expect(isPlane, "step \(step)") }
      wasPlane = isPlane
      if step >= 6 + blur.frames { #expect(isPlane, "step \(step)") }
    }
  }

  @Test func findsSmallCardOnBusyBackground() throws {
    var video = SyntheticVideo(width: 640, height: 360, cardWidth: 44, cardHeight: 48, print: 7, ground: 90)
    video.print = 11
    var scene = scene(video)
    for _ in 0..<3 { _ = scene.track(video.frame(start)) }
    for way in [SIMD2(0.0, 0.0), SIMD2(22, 9)] {
      var hidden = start
      hidden.isCovered = true
      for _ in 0..<50 { #expect(scene.track(video.frame(hidden))[0] == nil) }
      let back = SyntheticVideo.Place(center: start.center + way)
      var found = false
      for _ in 0..<3 {
        if let sighting = scene.track(video.frame(back))[0] {
          #expect(sighting.box.overlap(with: video.box(back)) > 0.85)
          found = true
        }
      }
      #expect(found, "moved by \(way)")
    }
  }

  @Test func followsStronglyTiltedCard() throws {
    var scene = scene(video)
    for step in 1...40 {
      let place = SyntheticVideo.Place(center: SIMD2(300, 180), tilt: 1 - 0.0185 * Double(step))
      let sighting = try #require(scene.track(video.frame(place))[0], "step \(step)")
      #expect(sighting.box.overlap(with: video.box(place)) > 0.85, "step \(step)")
    }
  }

  @Test func neverAssignsTwoIDsToOneCard() throws {
    let (left, right) = (SyntheticVideo.Place(center: SIMD2(160, 180)), SyntheticVideo.Place(center: SIMD2(480, 180)))
    let both = video.frame([left, right])
    var scene = Scene(both, boxes: [video.box(left), video.box(right)])
    for _ in 0..<3 { #expect(scene.track(both).allSatisfy { $0 != nil }) }
    for step in 1...10 {
      // The right card is gone; the left one moves to its place.
      let place = SyntheticVideo.Place(center: SIMD2(160 + 32 * Double(step), 180))
      let sightings = scene.track(video.frame([place]))
      #expect(sightings.count { $0 != nil } == 1, "step \(step)")
    }
  }

  @Test func findsFiveLostCardsInTurn() throws {
    let boxes = (0..<5).map { index in
      let place = SyntheticVideo.Place(center: SIMD2(70 + 125 * Double(index), 100 + 40 * Double(index)), zoom: 0.5)
      return video.box(place)
    }
    let frame = video.frame(
      (0..<5).map { SyntheticVideo.Place(center: SIMD2(70 + 125 * Double($0), 100 + 40 * Double($0)), zoom: 0.5) })
    let other = SyntheticVideo(ground: 60).frame(nil)
    var scene = Scene(frame, boxes: boxes)
    for _ in 0..<3 { _ = scene.track(frame) }
    for _ in 0..<12 { #expect(scene.track(other).allSatisfy { $0 == nil }) }
    // All return in one frame: those not searched for in it are searched for in later frames.
    var found = Set<Int>()
    for _ in 0..<5 {
      for (index, sighting) in scene.track(frame).enumerated() where sighting != nil { found.insert(index) }
    }
    #expect(found.count == 5)
  }

  @Test func maskOfCardIsItsQuadrilateral() throws {
    var scene = scene(video)
    let place = SyntheticVideo.Place(center: SIMD2(310, 175), turn: 0.3)
    let sighting = try #require(scene.track(video.frame(place))[0])
    let mask = scene.mask(of: sighting)
    #expect(mask.bytes.count == 640 * 360)
    let count = mask.bytes.count { $0 == 1 }
    #expect(abs(Double(count) - 200 * 120) < 0.05 * 200 * 120)
    #expect(mask.bytes[175 * 640 + 310] == 1)
  }

  @Test func followsBendingObject() throws {
    func frame(_ center: SIMD2<Double>, _ time: Double) -> TrackingFrame {
      var colors: [UInt32] = []
      for y in 0..<360 {
        for x in 0..<640 {
          let way = SIMD2(Double(x), Double(y)) - center
          let radius = (way * way).sum().squareRoot()
          let edge = 50 + 6 * sin(4 * atan2(way.y, way.x) + time)
          let stripe = sin(radius / 5 + 2 * sin(time + way.x / 14) + way.y / 11) > 0
          let thing: UInt32 = stripe ? 0xC820_2000 : 0xE0A0_4000
          let ground: UInt32 = (x / 40 + y / 40) % 2 == 0 ? 0x5060_7000 : 0x6070_8000
          colors.append(radius < edge ? thing : ground)
        }
      }
      let gray = colors.map { color -> UInt8 in
        let sum = (color >> 24) + ((color >> 16) & 255) + ((color >> 8) & 255)
        return UInt8(sum / 3)
      }
      return TrackingFrame(width: 640, height: 360, gray: gray, colors: colors, fullWidth: 640, fullHeight: 360)!
    }
    let first = SIMD2(300.0, 180)
    var scene = Scene(frame(first, 0), boxes: [Box(x0: 246, y0: 126, x1: 354, y1: 234)])
    for step in 1...25 {
      let center = first + SIMD2(3, 1) * Double(step)
      let sighting = try #require(scene.track(frame(center, Double(step) * 0.35))[0])
      let wanted = Box(x0: center.x - 54, y0: center.y - 54, x1: center.x + 54, y1: center.y + 54)
      #expect(sighting.box.overlap(with: wanted) > 0.6)
    }
    let last = try #require(scene.track(frame(first + SIMD2(75, 25), 9))[0])
    let mask = scene.mask(of: last)
    #expect(mask.bytes[205 * 640 + 375] == 1)
    #expect(mask.bytes[20 * 640 + 20] == 0)
  }

  @Test func proposesBoxAroundPoint() {
    var gray = [UInt8](repeating: 60, count: 640 * 360)
    for y in 100..<220 {
      for x in 200..<420 { gray[y * 640 + x] = y % 30 < 6 && x % 12 < 6 ? 30 : 225 }
    }
    let frame = TrackingFrame(width: 640, height: 360, gray: gray, fullWidth: 640, fullHeight: 360)!
    let box = Proposal.box(in: frame, around: SIMD2(300, 170))
    #expect(box.overlap(with: Box(x0: 200, y0: 100, x1: 420, y1: 220)) > 0.85)
    let other = Proposal.box(in: frame, around: SIMD2(639.5, 359.5))
    #expect(other.x1 > other.x0 && other.y1 > other.y0 && other.x1 <= 640 && other.y1 <= 360)
  }

  @Test func proposesLabelRatherThanItsLetter() {
    var gray = [UInt8](repeating: 60, count: 640 * 360)
    for y in 100..<220 {
      for x in 200..<420 { gray[y * 640 + x] = (290..<308).contains(x) && (125..<195).contains(y) ? 30 : 225 }
    }
    let frame = TrackingFrame(width: 640, height: 360, gray: gray, fullWidth: 640, fullHeight: 360)!
    let box = Proposal.box(in: frame, around: SIMD2(299, 160))
    #expect(box.overlap(with: Box(x0: 200, y0: 100, x1: 420, y1: 220)) > 0.85)
  }
}
