import Foundation
import Testing

/// Confinement: a reader opens only files in the folder of photos.
@Suite struct ConfinementTests {
  /// Adds a job whose photo has this name to the database; returns its id.
  private static func addJob(ofPhoto photo: String, to server: RunningServer) throws -> String {
    let id = UUID().uuidString.lowercased()
    let now = Int(Date().timeIntervalSince1970 * 1_000_000)
    _ = try CrashTests.sqlite(
      server.data,
      "INSERT INTO jobs (id, state, message, created_at, updated_at, photo, photo_bytes, persist, annotate) "
        + "VALUES ('\(id)', 'queued', 'Waiting', \(now), \(now), '\(photo)', 1, 1, 0)")
    return id
  }

  @Test func readerOpensOnlyPhotos() async throws {
    let server = try RunningServer()
    let picture = try BadInputTests.picture()
    try picture.write(to: server.data.appendingPathComponent("photos/00/00-inside.jpg"))
    try picture.write(to: server.data.appendingPathComponent("outside.jpg"))
    let inside = try Self.addJob(ofPhoto: "00-inside.jpg", to: server)
    #expect(try await server.get("/result/\(inside)?wait=60").json["status"] as? String == "completed")
    for path in ["../outside.jpg", "../serialscan.sqlite"] {
      let outside = try Self.addJob(ofPhoto: path, to: server)
      let reply = try await server.get("/result/\(outside)?wait=60")
      #expect(reply.json["status"] as? String == "failed")
      #expect((reply.json["error"] as? String)?.contains("no longer where it was stored") == true, "\(reply.json)")
    }
  }
}
