import Foundation
import SerialScanClient
import Testing

/// An outbox whose photos a background session sends; on Linux an ordinary session.
@Suite struct BackgroundTests {
  func wait(_ outbox: Outbox, until isMet: ([OutboxItem]) -> Bool) async -> [OutboxItem] {
    for await items in await outbox.updates() where isMet(items) { return items }
    return []
  }

  @Test func photosAreSentWithoutTheOutboxRunning() async throws {
    let server = try StubServer([StubServer.scanned, StubServer.error(422, "DAMAGED_IMAGE")])
    let folder = try temporaryFolder()
    let outbox = try Outbox(folder: folder, client: SerialScanClient(baseURL: server.address, apiKey: "secret"))
    let first = try await outbox.add(
      image: .data(Data("photo one".utf8), filename: "1.jpg"), deviceType: "iPad", multiple: true)
    let uploads = BackgroundUploads(identifier: "test", outbox: outbox)
    #expect(try await uploads.begin() == 1)
    var items = await wait(outbox) { $0.first?.isSent == true }
    #expect(items.first?.isSent == true)
    let request = server.requests[0]
    #expect(request.contains("Idempotency-Key: \(first.id.uuidString)") && request.contains("Bearer secret"))
    #expect(request.contains("multiple=true") && request.contains("name=\"device_type\"\r\n\r\niPad"))
    #expect(request.contains("photo one") && request.contains("filename=\"1.jpg\""))
    // A rejected photo stays with its reason; photos that were sent are not sent again.
    try await outbox.add(image: .data(Data("photo two".utf8)))
    #expect(try await uploads.begin() == 1)
    items = await wait(outbox) { if case .refused = $0.last?.state { true } else { false } }
    #expect(items.last?.state == .refused(errorCode: .damagedImage, detail: "d"))
    #expect(try await uploads.begin() == 0)
    uploads.invalidate()
    // No file of a form is left.
    let left = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    #expect(left.filter { $0.hasSuffix("form") }.isEmpty, "\(left)")
  }

  @Test func photosWaitWithoutConnection() async throws {
    let nowhere = try #require(URL(string: "http://127.0.0.1:9"))
    let outbox = try Outbox(folder: temporaryFolder(), client: SerialScanClient(baseURL: nowhere))
    try await outbox.add(image: .data(Data("photo".utf8)))
    let uploads = BackgroundUploads(identifier: "test", outbox: outbox)
    try await uploads.begin()
    let items = await wait(outbox) { $0.first?.problem != nil }
    #expect(items.first?.state == .waiting)
    // The session gets it again, and the outbox can send it too.
    #expect(try await uploads.begin() == 1)
    uploads.invalidate()
    let server = try StubServer([StubServer.scanned])
    await outbox.use(SerialScanClient(baseURL: server.address))
    await outbox.start()
    _ = await wait(outbox) { $0.allSatisfy(\.isSent) }
    await outbox.stop()
  }
}
