import Foundation
import SerialScanClient
import Testing

/// Runs every block of code in docs/clients.md, the README and the DocC catalogue.
@Suite struct DocumentTests {
  static let server = Result { try RunningServer() }
  static let package = RunningServer.root.appendingPathComponent("Clients/Swift")
  static let photo = RunningServer.picture("etched_clean_1")

  static var articles: [URL] {
    get throws {
      let catalogue = package.appendingPathComponent("Sources/SerialScanClient/SerialScanClient.docc")
      return try FileManager.default.contentsOfDirectory(at: catalogue, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "md" } + [
          RunningServer.root.appendingPathComponent("docs/clients.md"), package.appendingPathComponent("README.md"),
        ]
    }
  }

  /// The blocks of a document in a language.
  static func blocks(_ language: String, of document: URL) throws -> [String] {
    let parts = try String(contentsOf: document, encoding: .utf8).components(separatedBy: "```")
    return parts.enumerated().filter { $0.offset % 2 == 1 && $0.element.hasPrefix(language + "\n") }
      .map { String($0.element.dropFirst(language.count + 1)) }
  }

  @Test func everySwiftBlockIsRun() throws {
    func lines(_ text: String) -> String {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        .joined(separator: "\n")
    }
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("DocumentedCode.swift")
    let run = lines(try String(contentsOf: source, encoding: .utf8))
    var count = 0
    for article in try Self.articles {
      for block in try Self.blocks("swift", of: article) {
        count += 1
        #expect(run.contains(lines(block)), "\(article.lastPathComponent):\n\(block)")
      }
    }
    #expect(count >= 7)
  }

  @Test func scanOnePhotoTakesFiveLines() throws {
    let block = try #require(
      try Self.blocks("swift", of: RunningServer.root.appendingPathComponent("docs/clients.md")).first)
    #expect(block.split(separator: "\n").count <= 5)
  }

  @Test func swiftReadsSerial() async throws {
    let server = try Self.server.get().address
    let result = try await DocumentedCode.scanPhoto(server: server, key: nil, photo: Self.photo)
    #expect(result.serial == "G0NKP62BLGMZ")
    #expect(result.verdict == .accepted)
  }

  @Test func progressAndFailureAreShown() async throws {
    let client = SerialScanClient(baseURL: try Self.server.get().address)
    var last = 0
    try await DocumentedCode.showProgress(client: client, photo: Self.photo) { progress, _ in last = progress }
    #expect(last == 100)
    let noPhoto = URL(fileURLWithPath: #filePath)
    var shown: [String] = []
    try await DocumentedCode.explainFailure(client: client, photo: noPhoto) { shown += [$0, $1 ?? ""] }
    #expect(shown.count == 2)
    #expect(shown.last == "Choose another photo.")
  }

  @Test func outboxSendsAndResultsAreTakenOut() async throws {
    let client = SerialScanClient(baseURL: try Self.server.get().address)
    let outbox = try await DocumentedCode.workOffline(
      client: client, folder: temporaryFolder(), photo: Self.photo
    ) { items in items.allSatisfy(\.isSent) }
    // No photo waits, so the system gets none.
    try await DocumentedCode.leaveAndReturn(outbox: outbox).invalidate()
    var serials: [String?] = []
    try await DocumentedCode.showSent(outbox: outbox, client: client) { serials.append($0.serial) }
    #expect(serials == ["G0NKP62BLGMZ"])
    #expect(await outbox.photos.isEmpty)
    await outbox.stop()
  }

  /// The first generated picture that needs review.
  @Test func doubtfulReadIsConfirmed() async throws {
    let client = SerialScanClient(baseURL: try Self.server.get().address)
    let folder = RunningServer.root.appendingPathComponent("testdata/pictures")
    let photos = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.contains("hard") || $0.lastPathComponent.contains("medium") }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    for photo in photos {
      let result = try await client.scan(image: .file(photo)).result()
      guard result.verdict == .uncertain else { continue }
      let confirmation = try await DocumentedCode.review(client: client, result: result) { $0.serial }
      #expect(confirmation?.success == true)
      #expect(confirmation?.corrected == false)
      return
    }
    Issue.record("No picture is read with doubt.")
  }

  @Test func labelIsFollowed() async throws {
    let client = SerialScanClient(baseURL: try Self.server.get().address)
    let frame = try Data(contentsOf: Self.photo)
    var boxes: [Box?] = []
    try await DocumentedCode.follow(
      client: client, frames: [frame, frame, frame], box: Box(x0: 190, y0: 90, x1: 690, y1: 480)
    ) { boxes.append($0.objects[0].box) }
    #expect(boxes.count == 2)
    #expect(boxes.allSatisfy { $0 != nil })
  }

  @Test(arguments: [("sh", "/bin/sh", "sh"), ("python", "python3", "py"), ("js", "node", "mjs")])
  func otherLanguagesReadSerial(_ language: String, _ program: String, _ ending: String) async throws {
    let available =
      try await run(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", language == "python" ? "python3 -c 'import requests'" : "command -v \(program)"]
      ).status == 0
    guard available else {
      // `.ci/run` requires every test.
      let isNeeded = ProcessInfo.processInfo.environment["RUN_EVERY_TEST"] != nil
      #expect(!isNeeded, "The block in \(language) needs \(program)\(language == "python" ? " and requests" : "").")
      return
    }
    let address = try Self.server.get().address.absoluteString
    let blocks = try Self.blocks(language, of: RunningServer.root.appendingPathComponent("docs/clients.md"))
    #expect(blocks.count == 1)
    for block in blocks {
      let script = try temporaryFolder().appendingPathComponent("block.\(ending)")
      try Data(block.replacingOccurrences(of: "http://localhost:8000", with: address).utf8).write(to: script)
      let (status, output) = try await run(
        URL(fileURLWithPath: "/usr/bin/env"), [program, script.path], in: RunningServer.root)
      #expect(status == 0)
      #expect(output.contains("G0NKP62BLGMZ") && output.contains("accepted"), "\(output)")
    }
  }
}
