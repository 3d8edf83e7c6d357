import Foundation
import Testing

/// The settings, files and rights of the readers of a real server.
@Suite struct ReaderSettingsTests {
  private static func status(ofPhotoSentTo server: RunningServer) async throws -> String? {
    let id = try #require(try await server.upload(try BadInputTests.picture()).json["job_id"] as? String)
    return try await server.get("/result/\(id)?wait=60").json["status"] as? String
  }

  @Test func editingSettingsFileDoesNotAffectRunningServer() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    try "workers: 1\n".write(to: file, atomically: true, encoding: .utf8)
    let server = try RunningServer(environment: ["SERIALSCAN_CONFIG": file.path])
    #expect(try await Self.status(ofPhotoSentTo: server) == "completed")
    try "workerz: nine\n".write(to: file, atomically: true, encoding: .utf8)
    CrashTests.readers(of: server).forEach { kill($0, SIGKILL) }
    #expect(try await Self.status(ofPhotoSentTo: server) == "completed", "\(server.logText)")
  }

  @Test func readerHoldsOnlyItsPipesAndIsConfined() async throws {
    let server = try RunningServer(settings: ["workers=1"])
    #expect(try await Self.status(ofPhotoSentTo: server) == "completed")
    let reader = try #require(CrashTests.readers(of: server).first)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(reader)/fd").sorted()
    #expect(descriptors == ["0", "1", "2", "3"])
    for descriptor in descriptors {
      let target = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(reader)/fd/\(descriptor)")
      #expect(target.hasPrefix("pipe:"), "\(target)")
    }
    #expect(!server.logText.contains("threads began before"))
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(reader)/task") {
      let status = try String(contentsOfFile: "/proc/\(reader)/task/\(thread)/status", encoding: .utf8)
      #expect(status.contains("NoNewPrivs:\t1"))
      #expect(status.contains("Seccomp:\t2") || server.logText.contains("less confined"))
    }
  }
}
