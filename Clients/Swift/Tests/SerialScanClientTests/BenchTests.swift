import Foundation
import SerialScanClient
import Testing

/// Devices, batches and reviews of a real server.
@Suite struct BenchTests {
  private func server(workers: Int? = nil) throws -> (server: RunningServer, client: SerialScanClient) {
    let server = try RunningServer("fields.custom=asset_tag=RM-\\d{5} grade", workers: workers)
    return (server, SerialScanClient(baseURL: server.address))
  }

  private func all<Page>(_ list: Listing<Page>) async throws -> [Page.Item] {
    var items: [Page.Item] = []
    for try await item in list { items.append(item) }
    return items
  }

  @Test func batchIsScannedReviewedAndEnded() async throws {
    let (server, client) = try server()
    defer { withExtendedLifetime(server) {} }
    let photos = ["etched_clean_1", "etched_clean_2", "no_serial_1"].map(RunningServer.picture)
    let batch = try await DocumentedCode.scanBatch(
      client: client, name: "Lot 14, Monday", photos: photos, grade: { _ in "A" }
    ) { photo in try await client.review(jobId: photo.jobId, as: .noSerial) }
    #expect(batch.endedAt != nil && batch.name == "Lot 14, Monday")
    #expect(batch.tally.photos == 3 && batch.tally.accepted == 2 && batch.tally.noSerial == 1)
    #expect(batch.tally.devices == 2 && batch.tally.waiting == 0 && batch.tally.duplicates == 0)
    let devices = try await all(
      client.devices(filter: DeviceFilter(custom: ["grade": "a"]), sortedBy: .serial, ascending: true))
    #expect(devices.map(\.serial) == ["FK1CRVYNLFK3", "G0NKP62BLGMZ"])
    #expect(devices.allSatisfy { $0.custom == ["grade": "A"] && $0.batches.map(\.id) == [batch.id] && $0.reads == nil })
    let device = try await client.device(serial: "g0nk-p62b-lgmz")
    #expect(device.status == .accepted && device.timesSeen == 1 && device.reads?.map(\.batchId) == [batch.id])
    #expect(device.best?.photoUrl != nil && device.best?.thumbnailUrl == device.reads?.first?.thumbnailUrl)
    let error = await #expect(throws: SerialScanError.self) {
      try await client.scan(image: .file(photos[0]), batch: batch.id)
    }
    #expect(error?.errorCode == .batchEnded && error?.concernsPhoto == true)
    #expect(try await client.changeBatch(id: batch.id, name: "Lot 15", ended: false).endedAt == nil)
    #expect(try await client.batch(id: batch.id).name == "Lot 15")
    #expect(try await all(client.history(filter: SerialFilter(batch: batch.id))).count == 2)
  }

  @Test func resentPhotoIsDuplicate() async throws {
    let (server, client) = try server()
    defer { withExtendedLifetime(server) {} }
    let batch = try await client.beginBatch(name: "Lot 14")
    var jobs: [JobResult] = []
    for _ in 1...2 {
      let job = try await client.scan(image: .file(RunningServer.picture("etched_clean_1")), batch: batch.id)
      jobs.append(try await job.result())
    }
    #expect(jobs[0].batchId == batch.id && jobs[1].duplicateOf == jobs[0].jobId)
    let tally = try await client.batch(id: batch.id).tally
    #expect(tally.photos == 1 && tally.duplicates == 1 && tally.devices == 1)
  }

  @Test func reviewsAreWithdrawnAndRejectedForSavedSerials() async throws {
    let (server, client) = try server()
    defer { withExtendedLifetime(server) {} }
    let empty = try await client.scan(image: .file(RunningServer.picture("no_serial_1"))).result()
    let read = try await client.scan(image: .file(RunningServer.picture("etched_clean_1"))).result()
    try await client.review(jobId: empty.jobId, as: .retake)
    #expect(try await client.job(id: empty.jobId).status().review == .retake)
    #expect(try await all(client.jobs(filter: JobFilter(isReviewed: true))).map(\.id) == [empty.jobId])
    try await client.takeBackReview(jobId: empty.jobId)
    let left = try await all(client.jobs(filter: JobFilter(verdict: .refused, isReviewed: false), pageSize: 1))
    #expect(left.map(\.review) == [nil] && left.first?.errorCode == .noTextDetected)
    let error = await #expect(throws: SerialScanError.self) {
      try await client.review(jobId: read.jobId, as: .noSerial)
    }
    #expect(error?.errorCode == .serialSaved)
  }

  @Test func scannedSerialSetsTags() async throws {
    let (server, client) = try server(workers: 0)
    defer { withExtendedLifetime(server) {} }
    let batch = try await client.beginBatch(name: "Lot 14")
    let tags = ["asset_tag": "RM-00042", "grade": "B"]
    _ = try await client.submit(
      serial: DeviceSerial(serial: "C02XL0THJHCC", confidence: 1, source: .scanner, batch: batch.id, custom: tags))
    #expect(try await client.device(serial: "C02XL0THJHCC").custom == tags)
    let changed = try await client.changeDevice(
      serial: "C02XL0THJHCC", custom: ["grade": nil, "asset_tag": "RM-00043"], deviceType: "MacBook Pro")
    #expect(changed.custom == ["asset_tag": "RM-00043"] && changed.deviceType == "MacBook Pro")
    #expect(try await client.changeDevice(serial: "C02XL0THJHCC", deviceType: "").deviceType == nil)
    #expect(try await client.batch(id: batch.id).tally.devices == 1)
    let error = await #expect(throws: SerialScanError.self) {
      try await client.changeDevice(serial: "C02XL0THJHCC", custom: ["asset_tag": "42"])
    }
    #expect(error?.statusCode == 422 && error?.detail.contains("asset_tag") == true)
    let unknown = await #expect(throws: SerialScanError.self) { try await client.device(serial: "C02XL0THJHC1") }
    #expect(unknown?.errorCode == .deviceNotFound)
  }

  @Test func batchesAreListedPageByPage() async throws {
    let (server, client) = try server(workers: 0)
    defer { withExtendedLifetime(server) {} }
    for number in 1...5 { _ = try await client.beginBatch(name: "Lot \(number)") }
    let batches = try await all(client.batches(pageSize: 2))
    #expect(batches.map(\.name) == (1...5).reversed().map { "Lot \($0)" })
    try await client.changeBatch(id: batches[0].id, ended: true)
    #expect(try await all(client.batches(open: false)).map(\.id) == [batches[0].id])
    #expect(try await all(client.batches(open: true)).count == 4)
    let taken = await #expect(throws: SerialScanError.self) { try await client.beginBatch(name: "lot 1") }
    #expect(taken?.errorCode == .batchNameTaken)
    let unknown = await #expect(throws: SerialScanError.self) { try await client.batch(id: UUID().uuidString) }
    #expect(unknown?.errorCode == .batchNotFound)
  }
}
