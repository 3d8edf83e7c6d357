import Foundation
import Testing

/// Live video of a label until its serial is saved, with real trackers, readers and a real database.
@Suite struct FilmedLabelTests {
  /// The picture as a distinct file, as each frame of a camera is: with a comment after its header.
  private static func frame(_ index: Int) throws -> Data {
    let picture = try TrackingTests.frame()
    let comment = Array("frame \(index)".utf8)
    return picture.prefix(2) + [0xff, 0xfe, 0, UInt8(2 + comment.count)] + comment + picture.dropFirst(2)
  }

  private static func saved(on server: RunningServer) async throws -> [[String: Any]] {
    try await server.get("/history?source=live").json["items"] as? [[String: Any]] ?? []
  }

  @Test func savesFilmedSerialOnceWithSession() async throws {
    let server = try RunningServer()
    let serial = try #require(
      LabelledPicture.all(in: LabelledPicture.generated).first { $0.description == "etched_clean_1.jpg" }?.serial)
    let begun = try await TrackingTests.begin(
      server, id: "bench 7", Self.frame(0), more: ["read_serials": true, "persist": true])
    #expect(begun.json["serials"] as? [NSNull] == [NSNull()])
    var voted: [String: Any] = [:]
    for index in 1...400 where voted["verdict"] as? String != "accepted" {
      let reply = try await TrackingTests.post(server, "/track", "bench 7", Self.frame(index))
      voted = (reply.json["serials"] as? [Any])?.first as? [String: Any] ?? [:]
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(voted["serial"] as? String == serial && voted["verdict"] as? String == "accepted", "\(voted)")
    #expect(voted["frames"] as? Int ?? 0 >= 2)
    #expect(try await server.request("DELETE", "/sessions/bench%207", body: nil).status == 204)
    for _ in 0..<100 where try await Self.saved(on: server).isEmpty { try await Task.sleep(for: .milliseconds(50)) }
    let items = try await Self.saved(on: server)
    #expect(items.map { $0["serial"] as? String } == [serial])
    #expect((items.first?["notes"] as? String)?.contains("bench 7") == true)
    #expect(server.filesBesidesDatabase().isEmpty, "no frame is stored")
  }

  @Test func readsSerialFromFolderOfFrames() throws {
    let folder = RunningServer.freshFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let serial = try #require(
      LabelledPicture.all(in: LabelledPicture.generated).first { $0.description == "etched_clean_1.jpg" }?.serial)
    for index in 0..<20 {
      try Self.frame(index).write(to: folder.appendingPathComponent("\(index < 10 ? "0" : "")\(index).jpg"))
    }
    let views = folder.appendingPathComponent("views").path
    let run = try RunningServer.run(
      ["track", folder.path, "--box", "190,90,690,480", "--serials", "--read-every", "4", "--views", views])
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(lines.count == 21 && lines.dropLast().allSatisfy { ($0["serials"] as? [Any])?.count == 1 })
    let said = try #require((lines.last?["serials"] as? [Any])?.first as? [String: Any])
    #expect(said["serial"] as? String == serial && said["verdict"] as? String == "accepted", "\(said)")
    let reads = try #require(lines.last?["reads"] as? [[String: Any]])
    #expect(reads.count { $0["verdict"] as? String == "accepted" && $0["serial"] as? String == serial } >= 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: views).count == reads.count)
  }

  @Test func serverWithoutVideoReadersReportsNoSerials() async throws {
    let server = try RunningServer(settings: ["tracking.readers=0"])
    let begun = try await TrackingTests.begin(server, Self.frame(0), more: ["read_serials": true, "persist": true])
    #expect(begun.status == 200 && begun.json["serials"] == nil)
    let next = try await TrackingTests.post(server, "/track", "bench", Self.frame(1))
    #expect(next.status == 200 && next.json["serials"] == nil)
  }
}
