import Foundation
import SerialScanClient
import Testing

@testable import BenchModels

/// The app's screens as their models' states, without a phone.
@MainActor @Suite struct ModelTests {
  /// Answers from a list; the photos are never sent.
  struct FakeServer: BenchServer {
    var results: [String: JobResult] = [:]
    var failure: SerialScanError?

    func result(jobId: String) async throws -> JobResult {
      if let failure { throw failure }
      return try results[jobId] ?? { throw SerialScanError(.jobNotFound, "no such job") }()
    }

    func confirm(jobId: String, serial: String) async throws -> ConfirmedSerial {
      if let failure { throw failure }
      return try decoded(
        #"{"success":true,"serialId":1,"serial":"\#(serial)","validationPassed":true,"corrected":true}"#)
    }

    func health() async throws -> Health {
      if let failure { throw failure }
      return try decoded(#"{"status":"healthy","timestamp":0,"version":"1.1.0","gpuAvailable":false}"#)
    }
  }

  nonisolated static func result(_ verdict: Verdict, serial: String?) throws -> JobResult {
    let read = serial.map {
      #"{"serials":[{"serial":"\#($0)","confidence":0.7,"method":"tesseract","characters":[{"character":"C","confidence":0.99,"alternatives":[]},{"character":"0","confidence":0.6,"alternatives":[{"character":"D","confidence":0.3}]}],"doubts":[{"code":"unclear","sentence":"A character is unclear."}]}],"topResult":{"serial":"\#($0)","confidence":0.7},"totalDetected":1,"processingTime":1,"fallbackUsed":false,"strategyUsed":"text","savedToDatabase":true}"#
    }
    let (status, error) =
      serial == nil ? ("failed", #","error":"none","errorCode":"NO_TEXT_DETECTED""#) : ("completed", "")
    return try decoded(
      #"{"jobId":"j","status":"\#(status)","progress":100,"message":"m","createdAt":0,"updatedAt":0,"verdict":"\#(verdict.rawValue)","results":\#(read ?? "null")\#(error)}"#
    )
  }

  /// An outbox whose items have these states, as a kill may have left them.
  func outbox(_ states: [OutboxItem.State]) async throws -> Outbox {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
    let client = SerialScanClient(baseURL: URL(string: "http://127.0.0.1:9")!)
    var outbox: Outbox? = try Outbox(folder: folder, client: client)
    for _ in states { try await outbox?.add(image: .data(Data("photo".utf8))) }
    outbox = nil
    let entries = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("_") }.sorted()
    for (entry, state) in zip(entries, states) {
      let file = folder.appendingPathComponent("\(entry)/item.json")
      var item = try #require(
        try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
      item["state"] = try JSONSerialization.jsonObject(with: JSONEncoder().encode(state))
      try JSONSerialization.data(withJSONObject: item).write(to: file)
    }
    return try Outbox(folder: folder, client: client)
  }

  /// Observes until a condition holds.
  func observe(_ model: PhotosModel, until isMet: () -> Bool) async throws {
    let task = Task { await model.observe() }
    for _ in 0..<500 where !isMet() { try await Task.sleep(for: .milliseconds(10)) }
    task.cancel()
    #expect(isMet())
  }

  @Test func photosGoFromOutboxToResult() async throws {
    let server = FakeServer(results: [
      "a": try Self.result(.accepted, serial: "C02G414GMD6N"), "u": try Self.result(.uncertain, serial: "C02G414GMD6M"),
      "n": try Self.result(.refused, serial: nil),
    ])
    let outbox = try await outbox([
      .refused(errorCode: .damagedImage, detail: "The picture is damaged."), .sent(jobId: "a"), .sent(jobId: "u"),
      .sent(jobId: "n"), .sent(jobId: "gone"),
    ])
    let model = PhotosModel(outbox: outbox, server: server)
    try await observe(model) {
      model.rows.count == 5 && model.rows.allSatisfy { $0.status != .reading || $0.detail != nil }
    }
    #expect(model.rows.map(\.status) == [.reading, .noSerial, .needsReview, .accepted, .failed])
    #expect(model.rows.map(\.serial) == [nil, nil, "C02G414GMD6M", "C02G414GMD6N", nil])
    #expect(model.rows[0].detail == "no such job")
    #expect(model.rows[1].detail?.contains("closer") == true)
    #expect(model.rows[2].detail == "A character is unclear.")
    #expect(model.rows[4].detail == "The picture is damaged.")
    #expect(model.summary == "1 accepted, 1 to review, 1 without serial, 1 not sent")
    await outbox.stop()
  }

  @Test func newPhotoWaitsWithoutConnection() async throws {
    let outbox = try await outbox([])
    let model = PhotosModel(outbox: outbox, server: FakeServer())
    await model.add(photo: Data("photo".utf8), deviceType: "iPad")
    try await observe(model) { model.rows.first?.detail != nil }
    #expect([.waiting, .sending].contains(model.rows[0].status))
    await model.remove(model.rows[0])
    #expect(await outbox.photos.isEmpty)
    await outbox.stop()
  }

  @Test func doubtfulSerialIsCorrectedAndLeavesQueue() async throws {
    let server = FakeServer(results: [
      "1": try Self.result(.uncertain, serial: "C02G414GMD6N"),
      "2": try Self.result(.uncertain, serial: "C02G414GMD6M"),
    ])
    let outbox = try await outbox([.sent(jobId: "1"), .sent(jobId: "2")])
    let photos = PhotosModel(outbox: outbox, server: server)
    try await observe(photos) { photos.toReview.count == 2 }
    let review = ReviewModel(photos: photos, server: server)
    review.begin()
    #expect(review.count == 2)
    #expect(review.serial == "C02G414GMD6M")
    #expect(review.doubts == ["A character is unclear."])
    #expect(review.characters.map(\.isDoubtful) == [false, true])
    #expect(review.characters[1].alternatives == ["D"])
    review.skip()
    #expect(review.serial == "C02G414GMD6N")
    review.replace(characterAt: 1, with: "D")
    #expect(review.serial == "CD2G414GMD6N")
    review.replace(characterAt: 99, with: "D")
    await review.confirm()
    #expect(photos.rows.map(\.serial) == ["C02G414GMD6M", "CD2G414GMD6N"])
    #expect(photos.rows.map(\.status) == [.needsReview, .accepted])
    #expect(review.serial == "C02G414GMD6M")
    for wrong in ["", "SHORT", "C02G414GMD6N7", "C02G-14GMD6N"] {
      review.serial = wrong
      #expect(!review.canConfirm, "\(wrong)")
    }
    review.serial = "c02g414 gmd6m"
    #expect(review.canConfirm)
    await review.confirm()
    #expect(review.current == nil)
    await outbox.stop()
  }

  @Test func failedConfirmationKeepsPhoto() async throws {
    let server = FakeServer(results: ["1": try Self.result(.uncertain, serial: "C02G414GMD6N")])
    let outbox = try await outbox([.sent(jobId: "1")])
    let photos = PhotosModel(outbox: outbox, server: server)
    try await observe(photos) { photos.toReview.count == 1 }
    let review = ReviewModel(
      photos: photos, server: FakeServer(failure: SerialScanError(.connectionLost, "The server can't be reached.")))
    review.begin()
    await review.confirm()
    #expect(review.problem == "The server can't be reached.")
    #expect(review.current != nil)
    await outbox.stop()
  }

  @Test func overlayFollowsObjects() async throws {
    let model = LiveModel { FakeSession() }
    await model.show(frame: Data())
    #expect(!model.isTracking)
    await model.tap(frame: Data(), at: Point(x: 10, y: 20))
    #expect(model.isTracking)
    #expect(model.shapes.map(\.corners[2]) == [Point(x: 0.5, y: 0.5)])
    await model.show(frame: Data("serial".utf8))
    #expect(model.shapes[0].serial == "C02G414GMD6N")
    #expect(model.shapes[0].isAccepted)
    // A frame that another one replaced changes nothing.
    await model.show(frame: Data("skipped".utf8))
    #expect(model.shapes.count == 1)
    await model.show(frame: Data("lost".utf8))
    #expect(model.shapes.isEmpty)
    #expect(model.lostCount == 1)
    await model.show(frame: Data("error".utf8))
    #expect(model.problem == "broken")
    await model.reset()
    #expect(!model.isTracking && model.problem == nil)
  }

  @Test(arguments: ["error", "serial"])
  func overlayIgnoresEarlierSession(answer: String) async throws {
    let slow = SlowSession()
    let sessions = [slow, FakeSession()] as [any LiveModel.Session]
    let made = Counter()
    let model = LiveModel { sessions[made.next()] }
    await model.tap(frame: Data(), at: Point(x: 10, y: 20))
    let late = Task { await model.show(frame: Data(answer.utf8)) }
    await slow.waitForFrame()
    await model.tap(frame: Data(), at: Point(x: 50, y: 60))
    let shapes = model.shapes
    await slow.answer()
    await late.value
    #expect(model.problem == nil && model.isTracking)
    #expect(model.shapes == shapes && shapes.first?.serial == nil)
  }

  /// Counts up.
  final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = -1

    func next() -> Int {
      lock.withLock {
        count += 1
        return count
      }
    }
  }

  /// A session that responds to a frame only when it is told to.
  actor SlowSession: LiveModel.Session {
    private var waiting: CheckedContinuation<Void, Never>?

    func begin(frame: Data, at point: Point) async throws -> TrackedFrame {
      try await FakeSession().begin(frame: frame, at: point)
    }

    func track(frame: Data) async throws -> TrackedFrame? {
      await withCheckedContinuation { waiting = $0 }
      return try await FakeSession().track(frame: frame)
    }

    func end() async throws {}

    func waitForFrame() async { while waiting == nil { await Task.yield() } }

    func answer() { waiting?.resume() }
  }

  struct FakeSession: LiveModel.Session {
    static func frame(_ object: TrackedObject) -> TrackedFrame {
      TrackedFrame(objects: [object], width: 200, height: 100, index: 1, isRestarted: false)
    }

    func begin(frame: Data, at point: Point) async throws -> TrackedFrame {
      Self.frame(TrackedObject(id: 1, box: Box(x0: 0, y0: 0, x1: 100, y1: 50)))
    }

    func track(frame: Data) async throws -> TrackedFrame? {
      switch String(decoding: frame, as: UTF8.self) {
      case "serial":
        let serial = TrackedSerial(serial: "C02G414GMD6N", confidence: 0.99, verdict: .accepted, frames: 3)
        return Self.frame(TrackedObject(id: 1, box: Box(x0: 0, y0: 0, x1: 9, y1: 9), serial: serial))
      case "lost": return Self.frame(TrackedObject(id: 1))
      case "error": throw SerialScanError(.connectionLost, "broken")
      default: return nil
      }
    }

    func end() async throws {}
  }

  @Test func settingsAreChecked() async throws {
    let settings = SettingsModel(address: "scanner")
    #expect(settings.url == nil)
    await settings.connect()
    #expect(settings.check == .failed("Enter the server's address, such as https://scanner.example."))
    settings.address = " https://scanner.example "
    #expect(settings.client != nil)
    await settings.connect(FakeServer()) {}
    #expect(settings.check == .connected(version: "1.1.0"))
    await settings.connect(FakeServer()) { throw SerialScanError(.unauthorized, "No key.", statusCode: 401) }
    #expect(settings.check == .failed("No key. Check the API key in the settings."))
  }
}

func decoded<Value: Decodable>(_ json: String) throws -> Value {
  try JSONDecoder().decode(Value.self, from: Data(json.utf8))
}
