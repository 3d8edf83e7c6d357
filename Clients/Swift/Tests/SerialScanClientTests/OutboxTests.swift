import Foundation
import SerialScanClient
import Testing

@testable import SerialScanClient

/// The guarantees of the outbox, one by one; `TortureTests` checks them under faults.
@Suite struct OutboxTests {
  static let quick = RetryPolicy(firstPause: .milliseconds(10), longestPause: .milliseconds(50))
  let photo = ImageSource.data(Data("photo".utf8), filename: "p.jpg")
  let nowhere = SerialScanClient(baseURL: URL(string: "http://127.0.0.1:9")!)

  func outbox(
    _ client: SerialScanClient, _ folder: URL? = nil, limits: Outbox.Limits = Outbox.Limits()
  ) throws -> Outbox {
    try Outbox(folder: folder ?? temporaryFolder(), client: client, limits: limits, retries: Self.quick)
  }

  /// Waits until a condition holds for the photos.
  func wait(_ outbox: Outbox, until isMet: ([OutboxItem]) -> Bool) async -> [OutboxItem] {
    for await items in await outbox.updates() where isMet(items) { return items }
    return []
  }

  @Test func photosAreSentInOrderAndObserved() async throws {
    let server = try StubServer([nil, StubServer.error(503, "QUEUE_FULL"), StubServer.scanned])
    let outbox = try outbox(SerialScanClient(baseURL: server.address))
    for number in 1...3 { try await outbox.add(image: .data(Data("photo \(number)".utf8))) }
    #expect(await outbox.photos.map(\.state) == [.waiting, .waiting, .waiting])
    await outbox.start()
    let items = await wait(outbox) { $0.allSatisfy(\.isSent) }
    #expect(items.count == 3)
    await outbox.stop()
    let sent = server.requests.compactMap { $0.firstMatch(of: /photo (\d)/)?.1 }
    #expect(sent == ["1", "1", "1", "2", "3"])
    #expect(await outbox.file(of: items[0].id) == nil)
  }

  @Test func photosOutliveOutbox() async throws {
    let folder = try temporaryFolder()
    var first: Outbox? = try outbox(nowhere, folder)
    let added = try await first?.add(image: photo, deviceType: "iPad", preset: .screen)
    first = nil
    let server = try StubServer([StubServer.scanned])
    let second = try outbox(SerialScanClient(baseURL: server.address), folder)
    #expect(await second.photos == [added])
    await second.start()
    _ = await wait(second) { $0.allSatisfy(\.isSent) }
    await second.stop()
    #expect(server.requests[0].contains(added!.id.uuidString))
    #expect(server.requests[0].contains("name=\"preset\"\r\n\r\nscreen"))
    #expect(server.requests[0].contains("filename=\"p.jpg\""))
  }

  @Test func rejectedPhotoKeepsReasonAndBlocksNoOther() async throws {
    let server = try StubServer([StubServer.error(422, "DAMAGED_IMAGE"), StubServer.scanned])
    let folder = try temporaryFolder()
    var outbox: Outbox? = try outbox(SerialScanClient(baseURL: server.address), folder)
    for _ in 1...2 { try await outbox?.add(image: photo) }
    await outbox?.start()
    let items = await wait(outbox!) { $0.last?.isSent == true }
    #expect(items[0].state == .refused(errorCode: .damagedImage, detail: "d"))
    await outbox?.stop()
    outbox = nil
    let again = try self.outbox(SerialScanClient(baseURL: server.address), folder)
    #expect(await again.photos.map(\.state) == items.map(\.state))
    #expect(try Data(contentsOf: #require(await again.file(of: items[0].id))) == Data("photo".utf8))
    try await again.retry(items[0].id)
    await again.start()
    _ = await wait(again) { $0.allSatisfy(\.isSent) }
    try await again.remove(items[0].id)
    #expect(await again.photos.map(\.id) == [items[1].id])
    await again.stop()
  }

  @Test func photoOfDeletedBatchBlocksNoOther() async throws {
    let server = try StubServer([StubServer.error(404, "BATCH_NOT_FOUND"), StubServer.scanned])
    let outbox = try outbox(SerialScanClient(baseURL: server.address))
    for _ in 1...2 { try await outbox.add(image: photo) }
    await outbox.start()
    let items = await wait(outbox) { $0.last?.isSent == true }
    await outbox.stop()
    #expect(items[0].state == .refused(errorCode: .batchNotFound, detail: "d"))
  }

  @Test func wrongKeyRejectsNoPhoto() async throws {
    let server = try StubServer([StubServer.error(401, "UNAUTHORIZED")])
    let outbox = try outbox(SerialScanClient(baseURL: server.address))
    try await outbox.add(image: photo)
    await outbox.start()
    _ = await wait(outbox) { $0[0].problem != nil && $0[0].state == .waiting }
    let good = try StubServer([StubServer.scanned])
    await outbox.use(SerialScanClient(baseURL: good.address, apiKey: "right"))
    _ = await wait(outbox) { $0.allSatisfy(\.isSent) }
    await outbox.stop()
  }

  @Test func unacceptablePhotoIsRejectedAfterSomeAttempts() async throws {
    let server = try StubServer([StubServer.error(500, "INTERNAL_ERROR")])
    let outbox = try outbox(SerialScanClient(baseURL: server.address))
    try await outbox.add(image: photo)
    await outbox.start()
    let items = await wait(outbox) { if case .refused = $0[0].state { true } else { false } }
    await outbox.stop()
    #expect(items[0].state == .refused(errorCode: ErrorCode(rawValue: "INTERNAL_ERROR"), detail: "d"))
    #expect(server.requests.count == 10)
  }

  @Test func enforcesLimits() async throws {
    let full = try outbox(nowhere, limits: Outbox.Limits(count: 2))
    for _ in 1...2 { try await full.add(image: photo) }
    let error = await #expect(throws: SerialScanError.self) { try await full.add(image: photo) }
    #expect(error?.errorCode == .outboxFull)
    let small = try outbox(nowhere, limits: Outbox.Limits(bytes: 9))
    try await small.add(image: photo)
    await #expect(throws: SerialScanError.self) { try await small.add(image: photo) }
    let hasty = try outbox(nowhere, limits: Outbox.Limits(age: -1))
    try await hasty.add(image: photo)
    await hasty.start()
    let items = await wait(hasty) { $0[0].state != .waiting }
    guard case .refused(.expired, _) = items[0].state else { return #expect(Bool(false), "\(items)") }
    await hasty.stop()
  }

  @Test func sentPhotosAreEventuallyForgotten() async throws {
    let server = try StubServer([StubServer.scanned])
    let outbox = try outbox(SerialScanClient(baseURL: server.address), limits: Outbox.Limits(sent: 1))
    for _ in 1...3 { try await outbox.add(image: photo) }
    await outbox.start()
    let items = await wait(outbox) { $0.count == 1 && $0[0].isSent }
    #expect(items.count == 1)
    await outbox.stop()
  }

  @Test func folderBelongsToOneOutbox() throws {
    let folder = try temporaryFolder()
    let first = try outbox(nowhere, folder)
    let error = #expect(throws: SerialScanError.self) { try outbox(nowhere, folder) }
    #expect(error?.errorCode == .outboxInUse)
    _ = first
  }

  @Test func addingAgainReturnsExistingItem() async throws {
    let outbox = try outbox(nowhere)
    let id = UUID()
    let first = try await outbox.add(image: photo, id: id)
    #expect(try await outbox.add(image: photo, id: id) == first)
    #expect(await outbox.photos.count == 1)
  }

  @Test func damagedStateKeepsPhoto() async throws {
    let folder = try temporaryFolder()
    var first: Outbox? = try outbox(nowhere, folder)
    let added = try await first?.add(image: photo)
    first = nil
    let entry = try #require(
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .first { $0.lastPathComponent.contains("_") })
    try Data("{".utf8).write(to: entry.appendingPathComponent("item.json"))
    let second = try outbox(nowhere, folder)
    let item = try #require(await second.photos.first)
    #expect(item.id == added?.id)
    guard case .refused(.fileUnreadable, _) = item.state else { return #expect(Bool(false)) }
    #expect(try Data(contentsOf: #require(await second.file(of: item.id))) == Data("photo".utf8))
  }
}
