import Foundation
import HTTPAPI
import Testing

/// Covers slow downloads: a client may take any time as long as it keeps the minimum rate.
@Suite(.serialized) struct SlowTakerTests {
  /// More than the system's socket buffers hold.
  private static let size = 48 << 20

  /// Downloads a report of that size, and reads the head of its response.
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
    #expect(start.duration(to: .now) > .seconds(1), "must take longer than the timeout")
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
  /// Reads up to `count` bytes; nil if there are no more.
  func take(_ count: Int) async -> Int? { await onThread { self.takeSome(count) } }
}
