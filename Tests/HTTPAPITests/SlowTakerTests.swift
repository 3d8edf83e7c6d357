import Foundation
import HTTPAPI
import Testing

/// Covers how long a client may take over an answer: as long as it needs while it keeps to the least rate, and no longer.
@Suite(.serialized) struct SlowTakerTests {
  /// More than the system's buffers between server and client hold.
  private static let size = 48 << 20

  /// A report that large, and the head of the answer that brings it.
  private static func download(
    _ configure: (inout APIConfiguration) -> Void
  ) async throws -> (RunningAPI, Connection, Connection.Reply?) {
    let api = try await RunningAPI(configure: configure)
    let id = UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(atPath: "\(api.dataPath)/reports", withIntermediateDirectories: true)
    let path = "\(api.dataPath)/reports/evaluation-\(id).csv"
    FileManager.default.createFile(atPath: path, contents: nil)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: UInt64(size))
    try file.close()
    let connection = Connection(port: api.port)
    await connection.send("GET /reports/\(id).csv HTTP/1.1\r\nHost: x\r\n\r\n")
    return (api, connection, await connection.reply(toHead: true))
  }

  @Test func steadyClientReceivesLargeResponse() async throws {
    let (api, connection, head) = try await Self.download {
      $0.settings.server.writeTimeout = 0.5
      $0.settings.server.leastWriteRate = 1e6
    }
    #expect(head?.status == 200 && head?.headers["content-length"] == "\(Self.size)")
    let start = ContinuousClock.now
    var taken = 0
    while taken < Self.size, let bytes = await connection.take(1 << 20) {
      taken += bytes
      try await Task.sleep(for: .milliseconds(30))
    }
    #expect(taken == Self.size && api.port > 0)
    #expect(start.duration(to: .now) > .seconds(1), "longer than the timeout, or this shows nothing")
  }

  @Test func disconnectsClientThatStopsReading() async throws {
    let (api, connection, head) = try await Self.download { $0.settings.server.writeTimeout = 0.3 }
    #expect(head?.status == 200)
    var taken = await connection.take(1 << 20) ?? 0
    try await Task.sleep(for: .seconds(1.5))
    while let bytes = await connection.take(1 << 20) { taken += bytes }
    #expect(taken < Self.size && api.port > 0)
  }

  @Test func disconnectsClientThatReadsTooSlowly() async throws {
    let (api, connection, head) = try await Self.download {
      $0.settings.server.writeTimeout = 0.5
      $0.settings.server.leastWriteRate = 100e6
    }
    #expect(head?.status == 200)
    var taken = 0
    for _ in 0..<75 {
      taken += await connection.take(200_000) ?? 0
      try await Task.sleep(for: .milliseconds(20))
    }
    while let bytes = await connection.take(1 << 20) { taken += bytes }
    #expect(taken < Self.size && api.port > 0)
  }
}

extension Connection {
  /// Takes up to so many bytes; nil if there are no more.
  func take(_ count: Int) async -> Int? { await onThread { self.takeSome(count) } }
}
