import Foundation
import SerialScanClient
import Testing

/// Tracking sessions of a real server and of a slow one.
@Suite struct TrackingTests {
  static let server = Result { try RunningServer() }
  let box = Box(x0: 190, y0: 90, x1: 690, y1: 480)

  var client: SerialScanClient {
    get throws { SerialScanClient(baseURL: try Self.server.get().address) }
  }

  var frame: Data {
    get throws { try Data(contentsOf: RunningServer.picture("etched_clean_1")) }
  }

  @Test func objectsKeepIdsAndHaveMasks() async throws {
    let session = TrackingSession(client: try client, includesMasks: true)
    let first = try await session.begin(
      frame: frame, boxes: [box], points: [Point(x: 500, y: 280)], objectIds: [7, 3])
    #expect(first.objects.map(\.id) == [7, 3])
    #expect(first.objects[0].box == box)
    #expect((first.width, first.height) == (900, 560))
    let next = try #require(try await session.track(frame: frame))
    #expect(next.index == 1)
    #expect(next.isRestarted == false)
    #expect(next.objects.map(\.id) == [7, 3])
    let mask = try #require(next.objects[0].mask)
    #expect((mask.width, mask.height) == (900, 560))
    #expect(mask[440, 280])
    #expect(!mask[5, 5])
    #expect(!mask[-1, 9000])
    #expect(next.objects[0].corners?.count == 4)
    #expect((next.objects[0].confidence ?? 0) > 0.9)
    try await session.end()
    // Ending twice is not an error.
    try await session.end()
  }

  @Test func lostSessionIsRestarted() async throws {
    let session = TrackingSession(client: try client)
    try await session.begin(frame: frame, boxes: [box])
    let id = session.id
    let address = try Self.server.get().address
    try await run(URL(fileURLWithPath: "/usr/bin/curl"), ["-s", "-X", "DELETE", "\(address)/sessions/\(id)"])
    let next = try #require(try await session.track(frame: frame))
    #expect(next.isRestarted)
    #expect(next.objects[0].id == 1)
    #expect(next.objects[0].box != nil)
    #expect(try await session.track(frame: frame)?.isRestarted == false)
  }

  @Test func serialIsReadOverFrames() async throws {
    let session = TrackingSession(client: try client, readsSerials: true)
    try await session.begin(frame: frame, boxes: [box])
    var serial: TrackedSerial?
    for _ in 0..<60 where serial == nil {
      serial = try await session.track(frame: frame)?.objects[0].serial
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(serial?.serial == "G0NKP62BLGMZ")
  }

  @Test func latestFrameWins() async throws {
    let session = TrackingSession(client: try client)
    try await session.begin(frame: frame, boxes: [box])
    let frame = try frame
    // All at once: the first is sent, the last one waits, the others are dropped.
    let outcomes = try await withThrowingTaskGroup(of: TrackedFrame?.self) { group in
      for _ in 0..<8 { group.addTask { try await session.track(frame: frame) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let tracked = outcomes.compactMap { $0 }
    #expect(tracked.count < 8)
    #expect(tracked.map(\.index).sorted() == Array(1...tracked.count))
  }

  @Test func trackingBeforeBeginIsAnError() async throws {
    let session = TrackingSession(client: try client)
    let error = await #expect(throws: SerialScanError.self) { try await session.track(frame: frame) }
    #expect(error?.errorCode == .sessionNotFound)
  }

  /// A start that failed must not leave the objects of the one before.
  @Test func failedBeginIsRepeatedWithNextFrame() async throws {
    func answer(_ id: Int) -> StubServer.Answer {
      StubServer.Answer(
        status: 200,
        body: #"{"object_ids":[\#(id)],"bounding_boxes":[[1,2,3,4]],"frame_shape":[2,3],"frame_index":1}"#)
    }
    let server = try StubServer([answer(1), StubServer.error(422, "INVALID_BOUNDING_BOX"), answer(2), answer(2)])
    let session = TrackingSession(client: SerialScanClient(baseURL: server.address))
    try await session.begin(frame: Data([1]), boxes: [box])
    await #expect(throws: SerialScanError.self) {
      try await session.begin(frame: Data([2]), boxes: [box], objectIds: [2])
    }
    let frame = try #require(try await session.track(frame: Data([3])))
    #expect(frame.objects.map(\.id) == [2])
    #expect(frame.isRestarted)
    #expect(server.requests.map { $0.hasPrefix("POST /initialize") } == [true, true, true, false])
  }

  @Test func savedSerialsAreReadAndGoIntoBatch() async throws {
    let server = try StubServer([
      StubServer.Answer(status: 200, body: #"{"object_ids":[1],"bounding_boxes":[null],"frame_shape":[2,3]}"#)
    ])
    let session = TrackingSession(
      client: SerialScanClient(baseURL: server.address), savesSerials: true, batch: "b-7")
    try await session.begin(frame: Data([1]), boxes: [box])
    let request = try #require(server.requests.first)
    for part in ["name=\"read_serials\"\r\n\r\ntrue", "name=\"persist\"\r\n\r\ntrue", "name=\"batch\"\r\n\r\nb-7"] {
      #expect(request.contains(part))
    }
  }

  @Test func boxOutsideFrameIsAnError() async throws {
    let session = TrackingSession(client: try client)
    let error = await #expect(throws: SerialScanError.self) {
      try await session.begin(frame: frame, boxes: [Box(x0: 5000, y0: 0, x1: 6000, y1: 10)])
    }
    #expect(error?.errorCode.rawValue == "INVALID_BOUNDING_BOX")
  }

  @Test func lostFrameIsSkipped() async throws {
    let answer = #"""
      {"success":true,"session_id":"s","object_ids":[1],"bounding_boxes":[[1,2,3,4]],"frame_shape":[2,3],\#
      "frame_index":1,"masks":["AAEAAQAB"]}
      """#
    let good = StubServer.Answer(status: 200, body: answer)
    let server = try StubServer([
      good, StubServer.error(503, "TRACKER_LOST"), StubServer.error(429, "FRAME_IN_PROGRESS"), good,
      StubServer.Answer(status: 200, body: answer.replacingOccurrences(of: "AAEAAQAB", with: "AAEA")),
    ])
    let session = TrackingSession(client: SerialScanClient(baseURL: server.address), includesMasks: true)
    try await session.begin(frame: Data([1]), boxes: [box])
    #expect(try await session.track(frame: Data([2])) == nil)
    #expect(try await session.track(frame: Data([3])) == nil)
    let frame = try #require(try await session.track(frame: Data([4])))
    #expect(frame.objects[0].mask?.bytes == Data([0, 1, 0, 1, 0, 1]))
    // A mask of another size belongs to another frame.
    let error = await #expect(throws: SerialScanError.self) { try await session.track(frame: Data([5])) }
    #expect(error?.errorCode == .unreadableAnswer)
  }
}
