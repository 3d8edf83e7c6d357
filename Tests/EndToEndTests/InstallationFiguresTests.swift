import Foundation
import Testing

/// Metrics about the installation.
@Suite struct InstallationFiguresTests {
  @Test func metricsReportVersionStartDiskAndDatabase() async throws {
    let server = try RunningServer()
    let text = String(decoding: try await server.get("/metrics").body, as: UTF8.self)
    func value(_ name: String) -> Double? {
      let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "{") }
      return line?.split(separator: " ").last.flatMap { Double($0) }
    }
    let version = try RunningServer.run(["version"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(text.contains("serialscan_build_info{version=\"\(version)\"} 1\n"))
    #expect(try abs(#require(value("process_start_time_seconds")) - Date().timeIntervalSince1970) < 300)
    let free = try #require(value("serialscan_disk_free_bytes"))
    #expect(free > 0 && free <= value("serialscan_disk_size_bytes") ?? 0)
    #expect(try #require(value("serialscan_database_bytes")) > 0)
  }
}
