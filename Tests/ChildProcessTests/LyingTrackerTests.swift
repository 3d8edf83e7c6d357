import ChildProcess
import Foundation
import Logging
import ScanModel
import Testing

/// A compromised tracker can send anything. The server continues, rejects invalid answers, and tracks the next frame with
/// a new process.
@Suite(.serialized) struct LyingTrackerTests {
  /// A tracker whose requests are counted, since answers contain their numbers.
  private final class Liar {
    let tracker: TrackerProcess
    var asked = 0

    init() throws {
      var configuration = ChildConfiguration.tracker(
        arguments: ["tracker"], addressSpaceLimit: 3 << 30, niceness: 0)
      let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      configuration.executable = tests.deletingLastPathComponent().appendingPathComponent("FaultyReader").path
      configuration.startDeadline = .seconds(10)
      configuration.firstStartPause = .milliseconds(20)
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      tracker = try TrackerProcess(configuration: configuration, deadline: .seconds(20), logger: logger)
    }

    func frame(_ picture: [UInt8], masks: Bool = false, begins: Bool = false) async throws -> TrackedFrame {
      asked += 1
      let options = FrameOptions(side: 640, masks: masks, limits: PictureLimits(maxPixels: 1_000_000))
      return begins
        ? try await tracker.begin(FirstFrame(session: 1, boxes: [[0, 0, 2, 2]], options: options), picture: picture)
        : try await tracker.track(NextFrame(session: 1, objectCount: 1, options: options), picture: picture)
    }

    /// The outcome of a frame whose tracker sends these bytes.
    func outcome(
      ofSaying bytes: (_ id: Int) -> [UInt8], masks: Bool = false, begins: Bool = false, andExiting exits: Bool = false
    ) async -> Result<TrackedFrame, any Error> {
      let picture = Array("say_\(exits ? "exit" : "on")_".utf8) + bytes(asked + 1)
      do {
        return .success(try await frame(picture, masks: masks, begins: begins))
      } catch {
        return .failure(error)
      }
    }

    /// Whether the tracker is killed for these bytes, and only the frame is lost.
    func isCaught(
      saying bytes: (_ id: Int) -> [UInt8], masks: Bool = false, begins: Bool = false
    ) async -> Bool {
      let crashes = tracker.status.crashes
      let outcome = await outcome(ofSaying: bytes, masks: masks, begins: begins)
      guard case .failure(let failure as TrackingFailure) = outcome, failure.code == .trackerLost else { return false }
      return tracker.status.crashes == crashes + 1
    }

    func tracksOn() async throws -> Bool {
      try await frame(Array("good".utf8), masks: true).masks.count == 12
    }
  }

  /// Values in place of a number.
  private static let numbers = [
    "1e300", "-1e300", "1e999", "NaN", "-Infinity", "9223372036854775808", "-9223372036854775809",
    "18446744073709551616", "1e19", "true", #""7""#, "{}", "[]",
  ]

  @Test func acceptsUnmodifiedAnswer() async throws {
    let liar = try Liar()
    let tracked = try await liar.outcome(
      ofSaying: { FrameLie.frame(FrameLie().json(id: $0)) }, begins: true, andExiting: true
    ).get()
    #expect(tracked.report.objects.first??.box == [0, 0, 2, 2])
    await liar.tracker.stop()
    let other = try Liar()
    let masks = Array(repeating: UInt8(1), count: 12)
    let masked = await other.outcome(ofSaying: { FrameLie.frame(FrameLie().json(id: $0), masks: masks) }, masks: true)
    #expect(try masked.get().masks == masks)
    await other.tracker.stop()
  }

  @Test(arguments: ["width", "height", "side", "confidence", "sharpness", "left", "bottom", "x", "y", "id"])
  func rejectsInvalidNumbers(field: String) async throws {
    let liar = try Liar()
    var lies = Self.numbers
    if !["x", "y"].contains(field) { lies.append("-1") }
    if ["width", "height"].contains(field) { lies += ["0", "333334", "9223372036854775807"] }
    if field == "side" { lies += ["0", "641", "9223372036854775807"] }
    if ["x", "y"].contains(field) { lies += ["1.1e7", "-1.1e7", "null"] }
    if field == "confidence" { lies += ["1.001", "null"] }
    if field == "left" { lies += ["2.5", "null"] }
    if field == "bottom" { lies += ["3.5", "null"] }
    for (index, lie) in lies.enumerated() {
      let isCaught = await liar.isCaught(
        saying: { FrameLie.frame(FrameLie([field: lie]).json(id: $0)) }, begins: index.isMultiple(of: 2))
      #expect(isCaught, "\(field): \(lie)")
    }
    #expect(try await liar.tracksOn())
    await liar.tracker.stop()
  }

  @Test func rejectsInvalidPlaces() async throws {
    let liar = try Liar()
    let endless = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
    let lies = [
      ("objects", "[]"), ("objects", "[OBJECT,OBJECT]"), ("objects", "null"), ("objects", "{}"), ("objects", endless),
      ("objects", "[" + Array(repeating: "OBJECT", count: 3_000).joined(separator: ",") + "]"),
      ("box", "[]"), ("box", "[0,0,2]"), ("box", "[0,0,2,2,2]"), ("box", "[2,2,0,0]"), ("box", "null"),
      ("box", endless),
      ("quad", "[]"), ("quad", "[[0,0],[1,0],[1,1]]"), ("quad", "[[0,0],[1,0],[1,1],[0]]"), ("quad", endless),
      ("quad", "[[0,0,0],[1,0],[1,1],[0,1]]"), ("isPlanar", "null"), ("isPlanar", "1"),
    ]
    for (field, lie) in lies {
      let isCaught = await liar.isCaught { FrameLie.frame(FrameLie([field: lie]).json(id: $0)) }
      #expect(isCaught, "\(field): \(lie.prefix(40))")
    }
    let hidden = await liar.outcome(ofSaying: { FrameLie.frame(FrameLie(["objects": "[null]"]).json(id: $0)) })
    #expect(try hidden.get().report.objects == [nil], "a lost object is plausible")
    await liar.tracker.stop()
  }

  @Test func rejectsUnrequestedMasks() async throws {
    let liar = try Liar()
    let mask = Array(repeating: UInt8(1), count: 12)
    #expect(await liar.isCaught(saying: { FrameLie.frame(FrameLie().json(id: $0), masks: mask) }))
    for wrong in [[], Array(mask.dropLast()), mask + [0], mask + mask, Array(mask.dropLast()) + [2]] {
      let isCaught = await liar.isCaught(
        saying: { FrameLie.frame(FrameLie().json(id: $0), masks: wrong) }, masks: true)
      #expect(isCaught, "\(wrong)")
    }
    #expect(
      await liar.isCaught(
        saying: { FrameLie.frame(FrameLie(["objects": "[null]"]).json(id: $0), masks: mask) }, masks: true))
    for length in [(64 << 20) + 1, 1 << 31, Int(UInt32.max)] {
      let isCaught = await liar.isCaught { FrameLie.frame(FrameLie().json(id: $0), masksLength: length) }
      #expect(isCaught, "masks of \(length) bytes")
    }
    #expect(try await liar.tracksOn())
    await liar.tracker.stop()
  }

  @Test func rejectsUnrequestedAnswers() async throws {
    let liar = try Liar()
    for code in ["trackerLost", "trackerUnavailable", "MADE_UP"] {
      let isCaught = await liar.isCaught { FrameLie.frame(FrameLie.failure(id: $0, code: code)) }
      #expect(isCaught, "\(code)")
    }
    for detail in [#""\u0000""#, #""\u001b[2J""#, "7", "null"] {
      let isCaught = await liar.isCaught {
        FrameLie.frame(FrameLie.failure(id: $0, code: "damagedImage", detail: detail))
      }
      #expect(isCaught, "\(detail)")
    }
    #expect(await liar.isCaught { FrameLie.frame(FrameLie.failure(id: $0, code: "damagedImage"), masks: [1]) })
    #expect(await liar.isCaught { FrameLie.frame(FrameLie.answer(#"{"ended":{}}"#, id: "\($0)")) })
    #expect(await liar.isCaught { FrameLie.frame(#"{"step":{"id":\#($0),"_1":{}}}"#) })
    #expect(await liar.isCaught { _ in FrameLie.frame(#"{"ready":{}}"#) })
    #expect(await liar.isCaught { FrameLie.frame(FrameLie().json(id: $0 - 1)) })
    #expect(await liar.isCaught { FrameLie.frame(FrameLie().json(id: $0 + 1)) })
    let honest = await liar.outcome(
      ofSaying: { FrameLie.frame(FrameLie.failure(id: $0, code: "damagedImage")) }, andExiting: true)
    #expect(throws: TrackingFailure(.damagedImage, "It failed.")) { try honest.get() }
    await liar.tracker.stop()
  }

  @Test func rejectsTruncatedFrames() async throws {
    let liar = try Liar()
    let length = FrameLie.frame(FrameLie().json(id: 1)).count
    for kept in [0, 1, 3, 4, 7, 8, 9] + stride(from: 20, to: length, by: 31) + [length - 1] {
      let outcome = await liar.outcome(
        ofSaying: { Array(FrameLie.frame(FrameLie().json(id: $0)).prefix(kept)) }, andExiting: true)
      #expect(throws: TrackingFailure.self, "\(kept) of \(length) bytes") { try outcome.get() }
    }
    for length in [0, 1, (1 << 20) + 1, 1 << 31, Int(UInt32.max)] {
      let isCaught = await liar.isCaught { FrameLie.frame(FrameLie().json(id: $0), messageLength: length) }
      #expect(isCaught, "a message of \(length) bytes")
    }
    #expect(try await liar.tracksOn())
    await liar.tracker.stop()
  }
}
