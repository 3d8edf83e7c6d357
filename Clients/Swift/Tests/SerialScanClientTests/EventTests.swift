import Foundation
import SerialScanClient
import Testing

/// Events of a real server and of one that ends the connection.
@Suite struct EventTests {
  @Test func endOfJobArrivesWithItsSerialAndPicture() async throws {
    let server = try RunningServer()
    let client = SerialScanClient(baseURL: server.address)
    let job = try await client.scan(image: .file(RunningServer.picture("etched_clean_1")))
    // From the beginning: the job may have ended before the stream begins.
    var ended: JobEvent?
    for try await event in client.events(after: "0-0-") where event.kind == .ended {
      ended = event
      break
    }
    let event = try #require(ended)
    #expect(event.job.jobId == job.id)
    #expect(event.job.status == .completed)
    #expect(event.job.serial == "G0NKP62BLGMZ")
    #expect(event.id != nil)
    #expect(try await client.thumbnail(jobId: job.id).prefix(2) == Data([0xFF, 0xD8]))
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("photo")
    try await client.photo(jobId: job.id, to: file)
    #expect(try Data(contentsOf: file) == Data(contentsOf: RunningServer.picture("etched_clean_1")))
    try await client.photo(jobId: job.id, to: file, marked: true)
    #expect(try Data(contentsOf: file).prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
  }

  @Test func streamContinuesAfterLastEventAndEndsWithWrongKey() async throws {
    let text = """
      : a comment

      event: ended
      id: 5-1-
      data: {"job_id":"a","status":"completed","progress":100,"serial":"C02G414GMD6N"}

      event: deleted
      data: {"job_id":"b","batch_id":null}


      """
    let server = try StubServer([StubServer.Answer(status: 200, body: text), StubServer.error(401, "UNAUTHORIZED")])
    var seen: [JobEvent] = []
    let error = await #expect(throws: SerialScanError.self) {
      for try await event in SerialScanClient(baseURL: server.address, apiKey: "k").events(batch: "x y") {
        seen.append(event)
      }
    }
    #expect(error?.errorCode == .unauthorized)
    #expect(seen.map(\.kind) == [.ended, .deleted])
    #expect(seen.map(\.job.jobId) == ["a", "b"])
    #expect(server.requests.map { $0.lowercased().contains("last-event-id: 5-1-") } == [false, true])
    #expect(server.requests.allSatisfy { $0.hasPrefix("GET /events?batch=x%20y") && $0.contains("Bearer k") })
  }

  @Test func leavingLoopEndsConnection() async throws {
    let server = try RunningServer()
    let client = SerialScanClient(baseURL: server.address)
    let task = Task { for try await _ in client.events() {} }
    try await Task.sleep(for: .milliseconds(300))
    task.cancel()
    let began = ContinuousClock.now
    _ = await task.result
    #expect(.now - began < .seconds(1))
  }
}
