import ScanModel
import Testing
import TrackingSessions

@Suite struct SessionReadsTests {
  private static let serial = "C02G414GMD6N"

  private var fresh: SessionReads { SessionReads(objectCount: 1, accept: 0.97, refuse: 0.4) }

  /// Notes the object in a new frame: moved, and with other bytes than before.
  private func show(
    _ reads: inout SessionReads, frame: Int, at left: Double? = nil, sharpness: Double = 100, confidence: Double = 0.9,
    pause: Duration? = .zero
  ) {
    let (x, y) = (left ?? Double(frame), 20.0)
    let object = FrameReport.Object(
      box: [x, y, x + 300, y + 100], quad: [[x, y], [x + 300, y], [x + 300, y + 100], [x, y + 100]],
      confidence: confidence, sharpness: sharpness)
    reads.note(
      FrameReport(width: 640, height: 360, side: 640, objects: [object]), picture: [UInt8(clamping: frame)],
      index: frame, pause: pause)
  }

  /// Notes a frame in which the object is out of sight.
  private func lose(_ reads: inout SessionReads, frame: Int) {
    reads.note(FrameReport(width: 640, height: 360, side: 640, objects: [nil]), picture: [0], index: frame)
  }

  /// Reads what is waiting, with this serial.
  private func read(_ reads: inout SessionReads, _ serial: String, _ confidence: Double = 0.99) {
    while let order = reads.next() { reads.record(.saying(serial, confidence), for: order) }
  }

  /// A state with an object whose serial was accepted.
  private var accepted: SessionReads {
    var reads = fresh
    for frame in [10, 20] {
      show(&reads, frame: frame)
      read(&reads, Self.serial)
    }
    return reads
  }

  /// Notes a frame for each reading and returns the vote. Frames that are read together have the reading `together`.
  private func vote(_ said: [Reading], together: Reading? = nil) -> VotedSerial? {
    var reads = fresh
    var frame = 0
    for reading in said {
      frame += 10
      show(&reads, frame: frame)
      while let order = reads.next() { reads.record(order.views.count == 1 ? reading : together, for: order) }
    }
    return reads.serials[0]
  }

  @Test func acceptsSerialAfterTwoFrames() throws {
    let one = try #require(vote([.saying(Self.serial, 0.99)]))
    #expect(one.verdict == .uncertain && one.confidence < 0.97 && one.frames == 1)
    let two = try #require(vote([.saying(Self.serial, 0.99), .saying(Self.serial, 0.98)]))
    #expect(two.verdict == .accepted && two.confidence >= 0.97 && two.frames == 2)
    #expect(two.serial == Self.serial)
  }

  @Test func uncertainFramesNeverAddUpToAcceptance() throws {
    let voted = try #require(vote(.init(repeating: .saying(Self.serial, 0.96), count: 8)))
    #expect(voted.verdict == .uncertain && voted.confidence < 0.97)
  }

  @Test func contradictingFramePreventsAcceptance() throws {
    let voted = try #require(
      vote([.saying("C02G414GMD6M", 0.98), .saying(Self.serial, 0.99), .saying(Self.serial, 0.99)]))
    #expect(voted.serial == Self.serial)
    #expect(voted.verdict == .uncertain)
  }

  @Test func votesCharacterByCharacter() throws {
    let voted = try #require(
      vote([.saying("C02G414GMD6H", 0.8), .saying("C02G4I4GMD6N", 0.8), .saying("C0ZG414GMD6N", 0.8)]))
    #expect(voted.serial == Self.serial)
    #expect(voted.verdict == .uncertain && voted.confidence <= 0.6)
  }

  @Test func agreeingUncertainFramesShowSerialAsUncertain() throws {
    let unsure = Reading.saying(Self.serial, 0.15, doubts: ["hard_to_read", "unlike_lengths"])
    #expect(vote([unsure]) == nil)
    let voted = try #require(vote(.init(repeating: unsure, count: 9)))
    #expect(voted.serial == Self.serial && voted.frames == 9)
    #expect(voted.verdict == .uncertain && voted.confidence >= 0.4 && voted.confidence <= 0.6)
  }

  @Test(arguments: [["no_label"], ["hard_to_read", "other_maker"], nil])
  func hidesDoubtfulOrContradictedText(doubts: [String]?) {
    let unsure = Reading.saying(Self.serial, 0.15, doubts: doubts)
    #expect(vote(.init(repeating: unsure, count: 9)) == nil)
    let one = Reading.saying(Self.serial, 0.15, doubts: ["hard_to_read"])
    let other = Reading.saying("C02G414GMD6H", 0.15, doubts: ["hard_to_read"])
    #expect(vote([one, other, one, other, one, other]) == nil)
  }

  @Test func jointReadingAloneIsUncertain() throws {
    let unsure = [Reading](repeating: .saying(nil, 0), count: 24)
    let voted = try #require(vote(unsure, together: .saying(Self.serial, 0.999)))
    #expect(voted.serial == Self.serial)
    #expect(voted.verdict == .uncertain && voted.frames >= 4)
  }

  @Test func jointReadingConfirmsSingleAcceptedFrame() throws {
    let said = [Reading.saying(nil, 0), .saying(Self.serial, 0.98), .saying(nil, 0), .saying(nil, 0)]
    let voted = try #require(vote(said, together: .saying(Self.serial, 0.99)))
    #expect(voted.serial == Self.serial)
    #expect(voted.verdict == .accepted && voted.confidence >= 0.97)
    let unsure = try #require(vote(said, together: .saying(Self.serial, 0.96)))
    #expect(unsure.verdict == .uncertain)
    let other = try #require(vote(said, together: .saying("C02G414GMD6H", 0.99)))
    #expect(other.verdict == .uncertain)
  }

  @Test func repeatedFileCountsOnce() {
    var reads = fresh
    for frame in [10, 40, 70] {
      let object = FrameReport.Object(
        box: [0, 0, 300, 100], quad: [[0, 0], [300, 0], [300, 100], [0, 100]], confidence: 0.9, sharpness: 100)
      reads.note(
        FrameReport(width: 640, height: 360, side: 640, objects: [object]), picture: [1, 2, 3], index: frame)
      while let order = reads.next() { reads.record(.saying(Self.serial, 0.99), for: order) }
    }
    #expect(reads.serials[0]?.verdict == .uncertain)
    #expect(reads.serials[0]?.frames == 1)
  }

  @Test func readsSharpestFrameAndSkipsUnusableOnes() {
    var reads = fresh
    show(&reads, frame: 10, sharpness: 50)
    show(&reads, frame: 20, sharpness: 400)
    show(&reads, frame: 30, sharpness: 50)
    let order = reads.next()
    #expect(order?.pictures == [[20]])
    var others = fresh
    show(&others, frame: 10, confidence: 0.3)
    let small = FrameReport.Object(
      box: [0, 0, 40, 10], quad: [[0, 0], [40, 0], [40, 10], [0, 10]], confidence: 0.9, sharpness: 100)
    others.note(FrameReport(width: 640, height: 360, side: 640, objects: [small]), picture: [1], index: 20)
    #expect(!others.hasNext)
    #expect(others.byteCount == 0)
  }

  @Test func variesScaleUntilSomethingIsRead() {
    var reads = fresh
    var scales: [Double] = []
    for frame in stride(from: 20, to: 200, by: 20) {
      show(&reads, frame: frame)
      while let order = reads.next() {
        if order.views.count == 1 { scales.append(order.scale) }
        reads.record(.saying(order.scale == 1 && scales.count > 4 ? Self.serial : nil, 0.9), for: order)
      }
    }
    #expect(scales.prefix(4).allSatisfy { $0 == 2 || $0 == 1 })
    #expect(Set(scales.prefix(4)) == [2, 1], "the object is too small to be reduced")
    let found = scales.dropFirst(4).firstIndex(of: 1) ?? scales.endIndex
    #expect(found < scales.endIndex)
    #expect(scales[found...].allSatisfy { $0 == 1 })
  }

  @Test func choosesScalesByObjectSize() {
    #expect(Set(silentScales(height: 30)) == [2])
    #expect(Set(silentScales(height: 100)) == [2, 1])
    #expect(Set(silentScales(height: 200)) == [2, 1, 0.5])
  }

  private func silentScales(height: Double) -> [Double] {
    var reads = fresh
    var scales: [Double] = []
    for frame in stride(from: 20, to: 240, by: 20) {
      let x = Double(frame)
      let object = FrameReport.Object(
        box: [x, 0, x + 300, height], quad: [[x, 0], [x + 300, 0], [x + 300, height], [x, height]], confidence: 0.9,
        sharpness: 100)
      reads.note(
        FrameReport(width: 640, height: 360, side: 640, objects: [object]), picture: [UInt8(clamping: frame)],
        index: frame)
      while let order = reads.next() {
        if order.views.count == 1 { scales.append(order.scale) }
        reads.record(.saying(nil, 0), for: order)
      }
    }
    return scales
  }

  @Test func objectOutOfSightKeepsItsSerial() {
    var reads = accepted
    lose(&reads, frame: 30)
    #expect(reads.serials[0]?.verdict == .accepted)
  }

  @Test func returningObjectIsAcceptedAgainAfterOneRead() {
    var reads = accepted
    for frame in stride(from: 30, to: 130, by: 20) {
      lose(&reads, frame: frame)
      show(&reads, frame: frame + 10)
      #expect(reads.serials[0]?.serial == Self.serial)
      #expect(reads.serials[0]?.verdict == .uncertain)
      #expect(reads.serials[0].map { $0.confidence < 0.97 } == true)
      read(&reads, Self.serial)
      #expect(reads.serials[0]?.verdict == .accepted)
      #expect(reads.serials[0]?.frames == 2)
      #expect(!reads.hasNext)
    }
  }

  @Test func anotherObjectInItsPlaceHasItsOwnVote() {
    let other = "C02G414KMD6N"
    var reads = accepted
    lose(&reads, frame: 30)
    var seen: [VotedSerial?] = []
    for frame in [40, 50, 60] {
      show(&reads, frame: frame)
      seen.append(reads.serials[0])
      read(&reads, other)
    }
    #expect(seen.map { $0?.serial } == [Self.serial, other, other])
    #expect(seen.map { $0?.verdict } == [.uncertain, .uncertain, .accepted])
  }

  @Test func unsureReadDoesNotConfirmAcceptedSerial() {
    var reads = accepted
    lose(&reads, frame: 30)
    show(&reads, frame: 40)
    read(&reads, Self.serial, 0.9)
    #expect(reads.serials[0]?.verdict == .uncertain)
  }

  @Test func voteContinuesAfterObjectReturns() {
    var reads = fresh
    show(&reads, frame: 10)
    read(&reads, Self.serial)
    lose(&reads, frame: 20)
    show(&reads, frame: 30)
    read(&reads, Self.serial)
    #expect(reads.serials[0]?.verdict == .accepted)
    #expect(reads.serials[0]?.frames == 2)
  }

  @Test func readOfEarlierSightingIsIgnored() throws {
    var reads = fresh
    show(&reads, frame: 10)
    let next = reads.next()
    let late = try #require(next)
    lose(&reads, frame: 20)
    show(&reads, frame: 30)
    reads.record(.saying("C02G414KMD6N", 0.99), for: late)
    #expect(reads.serials == [nil])
  }

  @Test func objectElsewhereOrAfterPauseMayBeAnother() {
    var jumped = accepted
    show(&jumped, frame: 30, at: 330)
    #expect(jumped.serials[0]?.verdict == .uncertain)
    for pause in [nil, Duration.seconds(2)] {
      var paused = accepted
      show(&paused, frame: 30, at: 20, pause: pause)
      #expect(paused.serials[0]?.verdict == .uncertain)
    }
    var movedInPause = accepted
    show(&movedInPause, frame: 30, at: 240, pause: .seconds(1))
    #expect(movedInPause.serials[0]?.verdict == .uncertain)
    var shaken = accepted
    show(&shaken, frame: 30, at: 120, pause: .seconds(1))
    #expect(shaken.serials[0]?.verdict == .accepted && shaken.hasNext)
  }

  @Test func readsAcceptedObjectAgainAfterShortPause() {
    let other = "C02G414KMD6N"
    var reads = accepted
    for frame in stride(from: 30, to: 200, by: 5) {
      show(&reads, frame: frame, at: 20, pause: .seconds(1))
      #expect(reads.hasNext)
      read(&reads, Self.serial)
      #expect(reads.serials[0]?.verdict == .accepted)
      #expect(reads.serials[0]?.frames == 2)
      #expect(!reads.hasNext)
    }
    show(&reads, frame: 200, at: 20, pause: .seconds(1))
    read(&reads, other)
    #expect(reads.serials[0]?.serial == other)
    #expect(reads.serials[0]?.verdict == .uncertain)
    show(&reads, frame: 220, at: 20)
    read(&reads, other)
    #expect(reads.serials[0]?.verdict == .accepted)
  }

  @Test func acceptedSerialIsDoubtedIfReadsAfterPauseShowNone() {
    var reads = accepted
    var verdicts: [Reading.Verdict?] = []
    for frame in [30, 50, 70] {
      show(&reads, frame: frame, pause: frame == 30 ? .seconds(1) : .zero)
      while let order = reads.next() { reads.record(.saying(nil, 0), for: order) }
      verdicts.append(reads.serials[0]?.verdict)
    }
    #expect(verdicts == [.accepted, .accepted, .uncertain])
  }

  @Test func readOfEarlierFrameChecksNothingAfterPause() throws {
    var reads = accepted
    show(&reads, frame: 30, at: 20, pause: .seconds(1))
    let next = reads.next()
    let late = try #require(next)
    show(&reads, frame: 40, at: 20, pause: .seconds(1))
    reads.record(.saying(Self.serial, 0.99), for: late)
    #expect(reads.hasNext)
    read(&reads, Self.serial)
    #expect(!reads.hasNext)
  }

  @Test func stopsReadingAcceptedObject() {
    var reads = fresh
    for frame in stride(from: 10, to: 100, by: 10) {
      show(&reads, frame: frame)
      while let order = reads.next() { reads.record(.saying(Self.serial, 0.99), for: order) }
    }
    #expect(reads.serials[0]?.frames == 2)
    #expect(reads.byteCount == 0)
    #expect(!reads.hasNext)
  }
}

extension Reading {
  /// A reading with this serial, or with none if nil.
  static func saying(_ serial: String?, _ confidence: Double, doubts: [String]? = nil) -> Reading {
    let reads = serial.map {
      [
        SerialRead(
          serial: $0, confidence: confidence, method: "tesseract", strategy: "text", isValid: true,
          doubts: doubts?.map { Doubt(code: $0, sentence: "") })
      ]
    }
    let isShown = confidence >= 0.4
    return Reading(
      verdict: serial == nil || !isShown ? .refused : confidence >= 0.97 ? .accepted : .uncertain,
      serials: isShown ? reads ?? [] : [], refused: isShown ? nil : reads, preset: .sticker, presetWasDetected: true,
      strategyUsed: "text", fallbackUsed: false, trace: [], notes: [],
      photoSize: PixelSize(width: 640, height: 240), processingTime: 0.1, cpuTime: 0.1)
  }
}
