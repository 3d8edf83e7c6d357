import Foundation
import JobStore
import ScanModel
import Testing

/// Covers sending a photo again with the same Idempotency-Key, and waiting for a job that is deleted.
@Suite struct RetryTests {
  private static let headers = ["Idempotency-Key": "one"]

  /// Sends a photo to `/process-serial` and disconnects once its job exists; returns once the job has ended.
  private func hangUp(on api: RunningAPI) async throws -> String {
    let connection = Connection(port: api.port)
    let body = Form.body(photo: Photo.jpeg())
    var head = "POST /process-serial HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n"
    for (name, value) in Form.headers.merging(Self.headers, uniquingKeysWith: { $1 }) {
      head += "\(name): \(value)\r\n"
    }
    await connection.send(Data("\(head)\r\n".utf8) + body)
    for _ in 0..<500 where try await api.waiting().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    return try #require(try await api.waiting().first?.id)
  }

  private func endOf(_ id: String, on api: RunningAPI) async throws -> Job? {
    try await api.store.waitForEnd(id: id, timeout: .seconds(20))
  }

  @Test func rereadsPhotoResentAfterDisconnect() async throws {
    let api = try await RunningAPI()
    let first = try await hangUp(on: api)
    #expect(try await endOf(first, on: api)?.error?.code == .cancelled)
    async let again = api.upload(Photo.jpeg(), to: "/process-serial", headers: Self.headers)
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    let reply = try #require(await again)
    #expect(reply.status == 200 && reply.json["serial"] as? String == "C02XL0THJHCC")
    #expect(reply.json["job_id"] as? String != first)
    #expect(
      await api.get("/result/\(first)")?.json["error_code"] as? String == "CANCELLED", "the first job still answers")
    let third = await api.upload(Photo.jpeg(), to: "/process-serial", headers: Self.headers)
    #expect(
      third?.json["job_id"] as? String == reply.json["job_id"] as? String, "a photo that was read is not read again")
  }

  @Test(arguments: [ReadFailure.Code.readerCrashed, .readerTimedOut, .photoMissing])
  func rereadsPhotoResentAfterServerFailure(code: ReadFailure.Code) async throws {
    let api = try await RunningAPI()
    async let first = api.upload(Photo.jpeg(), to: "/process-serial", headers: Self.headers)
    let claimed = try #require(try await api.store.claimNext(worker: "w", lease: 60, waiting: .seconds(20)))
    try await api.store.finish(claimed.claim, with: .failed(JobError(code: ErrorCode(code), detail: "It failed.")))
    let failed = try #require(await first)
    #expect(failed.errorCode == code.rawValue && failed.headers["retry-after"] == nil)
    async let again = api.upload(Photo.jpeg(), to: "/process-serial", headers: Self.headers)
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    #expect(await again?.status == 200)
  }

  @Test func disconnectKeepsJobAnotherClientAwaits() async throws {
    let api = try await RunningAPI()
    let scanned = try #require(await api.upload(Photo.jpeg(content: 50), headers: ["Idempotency-Key": "scan"]))
    var connection: Connection? = Connection(port: api.port)
    let body = Form.body(photo: Photo.jpeg())
    func send(_ key: String, _ body: Data) async {
      let head =
        "POST /process-serial HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        + "Idempotency-Key: \(key)\r\nContent-Length: \(body.count)\r\n\r\n"
      await connection?.send(Data(head.utf8) + body)
    }
    await send("one", body)
    for _ in 0..<500 where try await api.waiting().count < 2 { try await Task.sleep(for: .milliseconds(10)) }
    async let other = api.upload(Photo.jpeg(), to: "/process-serial", headers: Self.headers)
    // The duplicate's photo is deleted once its request has found the job.
    for _ in 0..<500 where api.files.count < 3 { try await Task.sleep(for: .milliseconds(2)) }
    for _ in 0..<500 where api.files.count > 2 { try await Task.sleep(for: .milliseconds(2)) }
    try await Task.sleep(for: .milliseconds(100))
    connection = Connection(port: api.port)
    await send("scan", Form.body(photo: Photo.jpeg(content: 50)))
    try await Task.sleep(for: .milliseconds(200))
    connection = nil
    try await Task.sleep(for: .milliseconds(200))
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    #expect(await other?.json["serial"] as? String == "C02XL0THJHCC")
    #expect(
      try await api.job(scanned.json["job_id"] as? String)?.state == .queued, "scans do not need a waiting client")
  }

  @Test func waitingClientLearnsThatJobWasDeleted() async throws {
    let api = try await RunningAPI()
    async let waiting = api.upload(Photo.jpeg(), to: "/process-serial")
    let claimed = try #require(try await api.store.claimNext(worker: "w", lease: 60, waiting: .seconds(20)))
    #expect(await api.request("DELETE", "/jobs/\(claimed.job.id)")?.status == 200)
    let reply = try #require(await waiting)
    #expect(reply.status == 410 && reply.errorCode == "JOB_DELETED")
    #expect(await api.get("/result/\(claimed.job.id)")?.errorCode == "JOB_NOT_FOUND")
  }

  @Test(.timeLimit(.minutes(1))) func heldResultOfDeletedJobIsGone() async throws {
    let api = try await RunningAPI()
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    async let waiting = api.get("/result/\(id)?wait=20")
    try await Task.sleep(for: .milliseconds(200))
    #expect(await api.request("DELETE", "/jobs/\(id)")?.status == 200)
    let reply = try #require(await waiting)
    #expect(reply.status == 410 && reply.errorCode == "JOB_DELETED")
  }

  @Test func deletesSerialByJobIDAfterRetention() async throws {
    let api = try await RunningAPI()
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    _ = try await api.store.pruneJobs(endedBefore: Date(timeIntervalSinceNow: 60), limit: 10)
    #expect(await api.request("DELETE", "/jobs/\(id)")?.errorCode == "JOB_NOT_FOUND")
    let reply = try #require(await api.request("DELETE", "/jobs/\(id)?serial=true"))
    #expect(reply.status == 200 && reply.json["success"] as? Bool == true)
    #expect(await api.get("/stats")?.json["total_serials"] as? Int == 0)
    #expect(await api.request("DELETE", "/jobs/\(id)?serial=true")?.errorCode == "JOB_NOT_FOUND")
  }
}
