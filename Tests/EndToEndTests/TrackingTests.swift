import Foundation
import Testing

/// Live tracking over HTTP, with real trackers.
@Suite(.serialized) struct TrackingTests {
  private static let box = [190.0, 90, 690, 480]

  static func frame(_ name: String = "etched_clean_1.jpg") throws -> Data {
    try Data(contentsOf: LabelledPicture.generated.appendingPathComponent(name))
  }

  static func begin(
    _ server: RunningServer, id: String = "bench", _ frame: Data, more: [String: Any] = [:]
  ) async throws -> Reply {
    try await post(server, "/initialize", id, frame, ["bounding_boxes": [box]].merging(more) { $1 })
  }

  static func post(
    _ server: RunningServer, _ path: String, _ id: String, _ frame: Data?, _ more: [String: Any] = [:]
  ) async throws -> Reply {
    var fields: [String: Any] = ["session_id": id]
    fields["image"] = frame?.base64EncodedString()
    return try await server.request(
      "POST", path, headers: ["Content-Type": "application/json"],
      body: JSONSerialization.data(withJSONObject: fields.merging(more) { $1 }))
  }

  @Test func sessionFollowsContractInBothForms() async throws {
    let server = try RunningServer()
    let frame = try Self.frame()
    let begun = try await Self.begin(server, frame, more: ["object_ids": [7], "include_masks": true])
    #expect(begun.status == 200)
    #expect(begun.json["success"] as? Bool == true)
    #expect(begun.json["object_ids"] as? [Int] == [7])
    #expect(begun.json["bounding_boxes"] as? [[Double]] == [Self.box])
    #expect(begun.json["frame_shape"] as? [Int] == [560, 900])
    let mask = (begun.json["masks"] as? [String])?.first.flatMap { Data(base64Encoded: $0) }
    #expect(mask?.count == 560 * 900)
    #expect(mask?.count { $0 == 1 } == 500 * 390)
    let form = try await server.upload(frame, to: "/track", fields: ["session_id": "bench"])
    #expect(form.status == 200)
    #expect(form.json["frame_index"] as? Int == 1)
    #expect(form.json["masks"] == nil)
    let box = try #require((form.json["bounding_boxes"] as? [[Double]])?.first)
    #expect(zip(box, Self.box).allSatisfy { abs($0 - $1) < 8 })
    let next = try await Self.post(server, "/track", "bench", frame)
    #expect(next.json["frame_index"] as? Int == 2)
    #expect(next.json["object_ids"] as? [Int] == [7])
    #expect(try await Self.begin(server, id: "a%41 ü", frame).status == 200)
    #expect(try await server.request("DELETE", "/sessions/a%2541%20%C3%BC", body: nil).status == 204)
    #expect(try await server.request("DELETE", "/sessions/bench", body: nil).status == 204)
    #expect(try await server.request("DELETE", "/sessions/bench", body: nil).errorCode == "SESSION_NOT_FOUND")
    #expect(try await Self.post(server, "/track", "bench", frame).errorCode == "SESSION_NOT_FOUND")
    #expect(server.filesBesidesDatabase().isEmpty)
  }

  @Test func failedStartLeavesTheRunningSession() async throws {
    let server = try RunningServer()
    let frame = try Self.frame()
    #expect(try await Self.begin(server, frame).status == 200)
    let outside = ["bounding_boxes": [[19_000.0, 9000, 69_000, 48_000]]]
    #expect(try await Self.begin(server, frame, more: outside).errorCode == "INVALID_BOUNDING_BOX")
    #expect(try await Self.post(server, "/track", "bench", frame).json["frame_index"] as? Int == 1)
  }

  @Test(arguments: [("1", true), ("True", true), ("0", false), ("false", false), ("null", false)])
  func formsTellFlagsAsEverywhere(text: String, hasMasks: Bool) async throws {
    let server = try RunningServer()
    let fields = ["session_id": "bench", "bounding_boxes": "[[190,90,690,480]]", "include_masks": text]
    let reply = try await server.upload(Self.frame(), to: "/initialize", fields: fields)
    #expect(reply.status == 200, "\(reply.json)")
    #expect((reply.json["masks"] != nil) == hasMasks)
    let wrong = ["session_id": "bench", "include_masks": "yes"]
    let refused = try await server.upload(Self.frame(), to: "/track", fields: wrong)
    #expect(refused.detail == "`include_masks` must be true or false.")
  }

  @Test func everyClientErrorHasItsCode() async throws {
    let server = try RunningServer(settings: ["upload.max_pixels=2000000"])
    let frame = try Self.frame()
    func begun(_ boxes: Any, _ more: [String: Any] = [:]) async throws -> Reply {
      try await Self.begin(server, frame, more: ["bounding_boxes": boxes].merging(more) { $1 })
    }
    func expect(_ reply: Reply, _ status: Int, _ code: String, line: SourceLocation = #_sourceLocation) {
      #expect(reply.status == status, sourceLocation: line)
      #expect(reply.errorCode == code, sourceLocation: line)
      #expect(reply.json["status_code"] as? Int == status, sourceLocation: line)
    }
    try await expect(begun([Double]()), 422, "INVALID_BOUNDING_BOX")
    try await expect(begun([[10, 10, 10, 50]]), 422, "INVALID_BOUNDING_BOX")
    try await expect(begun([[50, 50, 10, 10]]), 422, "INVALID_BOUNDING_BOX")
    try await expect(begun([[2000, 10, 2100, 50]]), 422, "INVALID_BOUNDING_BOX")
    try await expect(begun([[10, 10, 50]]), 422, "INVALID_BOUNDING_BOX")
    try await expect(begun([[1e300, 10, 1e301, 50]]), 422, "INVALID_BOUNDING_BOX")
    try await expect(begun([[Double]](), ["points": [[5000, 5]]]), 422, "INVALID_BOUNDING_BOX")
    try await expect(begun(Array(repeating: Self.box, count: 6)), 422, "TOO_MANY_OBJECTS")
    try await expect(
      begun(Array(repeating: Self.box, count: 3), ["points": [[9, 9], [9, 9], [9, 9]]]), 422, "TOO_MANY_OBJECTS")
    try await expect(begun("none"), 422, "INVALID_JSON")
    try await expect(begun([Self.box], ["object_ids": [1, 2]]), 422, "INVALID_PARAMETER")
    try await expect(begun([Self.box, Self.box], ["object_ids": [1, 1]]), 422, "INVALID_PARAMETER")
    try await expect(begun([Self.box], ["session_id": ""]), 422, "INVALID_PARAMETER")
    try await expect(begun([Self.box], ["session_id": "a\u{0}b"]), 422, "INVALID_PARAMETER")
    try await expect(begun([Self.box], ["image": "no base64 at all!"]), 422, "UNSUPPORTED_IMAGE")
    try await expect(begun([Self.box], ["image": ""]), 422, "UNSUPPORTED_IMAGE")
    try await expect(Self.post(server, "/initialize", "a", nil), 422, "UNSUPPORTED_IMAGE")
    try await expect(Self.begin(server, Data("not a picture".utf8)), 422, "UNSUPPORTED_IMAGE")
    try await expect(Self.begin(server, frame.prefix(frame.count / 2)), 422, "DAMAGED_IMAGE")
    try await expect(Self.post(server, "/track", "never begun", frame), 404, "SESSION_NOT_FOUND")
    let named = try await server.upload(frame, to: "/initialize", field: "file", fields: ["session_id": "a"])
    expect(named, 422, "UNSUPPORTED_IMAGE")
    #expect(named.detail?.contains("`image`") == true)
    let text = try await server.request("POST", "/track", headers: ["Content-Type": "text/plain"], body: Data("x".utf8))
    expect(text, 415, "UNSUPPORTED_MEDIA_TYPE")
    #expect(server.filesBesidesDatabase().isEmpty)
  }

  @Test func pointBecomesBoxAroundIt() async throws {
    let server = try RunningServer()
    let reply = try await Self.begin(
      server, Self.frame("sticker_clean_1.jpg"), more: ["bounding_boxes": [[Double]](), "points": [[450, 280]]])
    let box = try #require((reply.json["bounding_boxes"] as? [[Double]])?.first)
    #expect(box[0] <= 450 && box[1] <= 280 && box[2] >= 450 && box[3] >= 280)
  }

  @Test func tracksFramesOfOtherSizesAndFormats() async throws {
    let server = try RunningServer()
    let frame = try Self.frame()
    #expect(try await Self.begin(server, frame).status == 200)
    let pixel = try #require(
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="))
    for other in [pixel, try Self.frame("format_png.png"), try Self.frame("format_webp.webp"), pixel, frame] {
      #expect(try await Self.post(server, "/track", "bench", other).status == 200)
    }
    let reply = try await Self.post(server, "/track", "bench", frame)
    let box = try #require((reply.json["bounding_boxes"] as? [[Double]?])?.first ?? nil)
    #expect(zip(box, Self.box).allSatisfy { abs($0 - $1) < 8 })
    let point = ["bounding_boxes": [[Double]](), "points": [[0.0, 0]]]
    #expect(try await Self.begin(server, id: "pixel", pixel, more: point).status == 200)
    #expect(try await Self.post(server, "/track", "pixel", frame).status == 200)
  }

  @Test func killedTrackerLosesAtMostOneFrame() async throws {
    let server = try RunningServer(settings: ["tracking.processes=1"])
    let frame = try Self.frame()
    for id in ["a", "b"] { #expect(try await Self.begin(server, id: id, frame).status == 200) }
    _ = try await Self.post(server, "/track", "a", frame)
    let trackers = server.trackers()
    #expect(trackers.count == 1)
    trackers.forEach { kill($0, SIGKILL) }
    for id in ["a", "b"] {
      // The death may be noticed before or after this frame; the next frame succeeds.
      var reply = try await Self.post(server, "/track", id, frame)
      if reply.status != 200 {
        #expect(reply.errorCode == "TRACKER_LOST")
        #expect(reply.headers["retry-after"] != nil)
        reply = try await Self.post(server, "/track", id, frame)
      }
      #expect(reply.json["restarted"] as? Bool == true)
      let box = try #require((reply.json["bounding_boxes"] as? [[Double]?])?.first ?? nil)
      #expect(zip(box, Self.box).allSatisfy { abs($0 - $1) < 8 })
      #expect(try await Self.post(server, "/track", id, frame).json["restarted"] == nil)
    }
  }

  @Test func healthReportsPredictorOnlyWhileTrackerAnswers() async throws {
    let server = try RunningServer(settings: ["tracking.processes=1"])
    #expect(try await Self.becomesLoaded(server))
    let trackers = server.trackers()
    #expect(trackers.count == 1)
    trackers.forEach { kill($0, SIGSTOP) }
    // /health caches the result for a second.
    try await Task.sleep(for: .seconds(1.1))
    let health = try await server.get("/health")
    #expect(health.json["predictor_loaded"] as? Bool == false)
    // Photos are still read.
    #expect(health.status == 200)
    trackers.forEach { kill($0, SIGCONT) }
    #expect(try await Self.becomesLoaded(server))
  }

  /// Whether a tracker responds within ten seconds, which one that has just started or resumed may need.
  private static func becomesLoaded(_ server: RunningServer) async throws -> Bool {
    for _ in 0..<20 {
      if try await server.get("/health").json["predictor_loaded"] as? Bool == true { return true }
      try await Task.sleep(for: .seconds(0.5))
    }
    return false
  }

  @Test func sessionsAreLimitedAndExpire() async throws {
    let server = try RunningServer(settings: ["tracking.max_sessions=3", "tracking.idle=2"])
    let frame = try Self.frame()
    var refused = 0
    for index in 0..<50 {
      let reply = try await Self.begin(server, id: "s\(index)", frame)
      if reply.status == 503 {
        refused += 1
        #expect(reply.errorCode == "TOO_MANY_SESSIONS")
        #expect(reply.headers["retry-after"] != nil)
      }
    }
    #expect(refused > 0)
    try await Task.sleep(for: .seconds(2.1))
    #expect(try await Self.post(server, "/track", "s0", frame).errorCode == "SESSION_NOT_FOUND")
    #expect(try await Self.begin(server, id: "new", frame).status == 200)
    #expect(try await server.get("/health").json["predictor_loaded"] as? Bool == true)
  }

  @Test func concurrentFramesOfSessionReturn429() async throws {
    let server = try RunningServer()
    let frame = try Self.frame()
    #expect(try await Self.begin(server, frame).status == 200)
    let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<2 {
        group.addTask {
          var statuses: [Int] = []
          for _ in 0..<15 {
            let reply = try await Self.post(server, "/track", "bench", frame)
            if reply.status == 429 {
              #expect(reply.errorCode == "FRAME_IN_PROGRESS" && reply.detail?.contains(" ms") == true)
              #expect(reply.headers["retry-after"] != nil)
            }
            statuses.append(reply.status)
          }
          return statuses
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(statuses.allSatisfy { $0 == 200 || $0 == 429 })
    let answered = statuses.count { $0 == 200 }
    let last = try await Self.post(server, "/track", "bench", frame)
    #expect(last.json["frame_index"] as? Int == answered + 1)
  }

  /// The path of ffmpeg; tests of videos are skipped without it.
  private static let ffmpeg = ["/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: ffmpeg != nil, "ffmpeg is not installed"))
  func tracksEachFrameOfVariableRateVideoOnce() throws {
    let folder = RunningServer.freshFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for index in 0..<6 { try Self.frame().write(to: folder.appendingPathComponent("\(index).jpg")) }
    let film = folder.appendingPathComponent("film.mkv").path
    let ffmpeg = Process()
    ffmpeg.executableURL = URL(fileURLWithPath: try #require(Self.ffmpeg))
    // Frames last 20 ms to a second: at a constant rate some would count many times.
    ffmpeg.arguments = [
      "-loglevel", "error", "-nostdin", "-i", folder.appendingPathComponent("%d.jpg").path, "-vf",
      "settb=1/1000,setpts='20+200*N*N/5'", "-vsync", "passthrough", "-c:v", "mjpeg", "-q:v", "2", film,
    ]
    try ffmpeg.run()
    ffmpeg.waitUntilExit()
    #expect(ffmpeg.terminationStatus == 0)
    let drawn = folder.appendingPathComponent("drawn.mp4").path
    let box = ["--box", "190,90,690,480"]
    let run = try RunningServer.run(["track", film] + box + ["--output", drawn])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.split(separator: "\n").count == 6)
    // The written video has as many frames, and is tracked like the first.
    let again = try RunningServer.run(["track", drawn] + box)
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.split(separator: "\n").count == 6)
  }

  @Test(.enabled(if: ffmpeg != nil, "ffmpeg is not installed"))
  func reportsFilesThatAreNotVideos() throws {
    let folder = RunningServer.freshFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let film = folder.appendingPathComponent("film.mp4").path
    try Data("no film".utf8).write(to: URL(fileURLWithPath: film))
    let run = try RunningServer.run(["track", film, "--box", "1,1,9,9"])
    #expect(run.status == 1)
    #expect(run.errors.contains("\(film) is damaged, or no video that ffmpeg can read"))
    let elsewhere = try RunningServer.run(["track", folder.path, "--box", "1,1,9,9", "--output", "drawn.txt"])
    #expect(elsewhere.status == 64)
  }

  @Test func tracksFolderOfFramesWithoutServer() throws {
    let folder = RunningServer.freshFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for index in 0..<3 { try Self.frame().write(to: folder.appendingPathComponent("\(index).jpg")) }
    let drawn = folder.appendingPathComponent("drawn").path
    let masks = folder.appendingPathComponent("masks").path
    let run = try RunningServer.run(
      ["track", folder.path, "--box", "190,90,690,480", "--overlay", drawn, "--opacity", "60", "--masks", masks])
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(lines.map { $0["frame"] as? Int } == [0, 1, 2])
    #expect(lines.allSatisfy { ($0["bounding_boxes"] as? [[Double]])?.first?.count == 4 })
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: drawn).sorted() == ["00000.jpg", "00001.jpg", "00002.jpg"])
    let names = try FileManager.default.contentsOfDirectory(atPath: masks).sorted()
    #expect(names == ["00000-0.png", "00001-0.png", "00002-0.png"])
    #expect(try RunningServer.run(["track", folder.path]).status == 64)
    #expect(try RunningServer.run(["track", folder.path, "--box", "190,90,690,480", "--read-every", "0"]).status == 64)
    #expect(try RunningServer.run(["track", "/nowhere", "--box", "0,0,9,9"]).errors.contains("/nowhere"))
    #expect(try RunningServer.run(["track", folder.path, "--box", "9000,0,9999,9"]).errors.contains("box"))
  }
}

extension RunningServer {
  /// Process ids of the trackers of this server.
  fileprivate func trackers() -> [pid_t] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { pid_t($0) }.filter { id in
      guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
        let line = try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)
      else { return false }
      let parent = stat.split(separator: ")").last?.split(separator: " ").dropFirst().first.flatMap { pid_t($0) }
      return parent == process.processIdentifier && line.contains("tracker")
    }
  }
}
