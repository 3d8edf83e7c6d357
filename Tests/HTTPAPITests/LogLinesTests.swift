import Foundation
import HTTPAPI
import Logging
import NIOConcurrencyHelpers
import Testing

/// Covers log lines in both formats: levels, values, masked serials and file names, request ids, and untrusted text.
@Suite struct LogLinesTests {
  private static func lines(_ format: LogLines.Format, _ write: (inout Logger) -> Void) -> [String] {
    let written = NIOLockedValueBox<[String]>([])
    var logger = Logger(label: "test") { label in
      LogLines(label: label, format: format, level: .info) { line in written.withLockedValue { $0.append(line) } }
    }
    write(&logger)
    return written.withLockedValue { $0 }
  }

  @Test func formatsPlainLines() {
    let lines = Self.lines(.plain) { logger in
      logger[metadataKey: "request"] = "abc-1"
      logger.debug("not written")
      logger.warning("photo not read", metadata: ["job": "7", "detail": "it is \"bad\"", "empty": ""])
    }
    #expect(lines.count == 1)
    let pattern = #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z warning test photo not read (.*)\n/#
    let match = lines.first?.wholeMatch(of: pattern)
    #expect(match?.output.1 == #"detail="it is \"bad\"" empty="" job=7 request=abc-1"#, "\(lines)")
  }

  @Test func formatsJSONLines() throws {
    let lines = Self.lines(.json) { logger in
      logger[metadataKey: "request"] = "abc-1"
      logger.info(
        "read /a \"b\"\nc",
        metadata: [
          "request": "abc-2", "seconds": .stringConvertible(0.5), "count": .stringConvertible(3), "id": "7",
          "isLast": .stringConvertible(true),
        ])
    }
    #expect(lines.count == 1 && lines[0].hasSuffix("\n") && lines[0].filter(\.isNewline).count == 1)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    func text(_ key: String) -> String? { object[key] as? String }
    #expect(text("message") == "read /a \"b\"\nc" && text("level") == "info" && text("logger") == "test")
    // A logged number is a JSON number, and a string of digits a string.
    #expect(text("request") == "abc-2" && text("id") == "7" && !lines[0].contains("\"0.5\""))
    #expect(object["seconds"] as? Double == 0.5 && object["count"] as? Int == 3 && object["isLast"] as? Bool == true)
    #expect(
      (try? Date(text("time") ?? "", strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true)))
        != nil)
  }

  @Test(arguments: [LogLines.Format.plain, .json])
  func masksSerials(format: LogLines.Format) {
    let lines = Self.lines(format) { $0.info("saved", metadata: ["serial": "C02G414GMD6N"]) }
    #expect(lines.count == 1 && lines[0].contains("serial") && !lines[0].contains("C02G414GMD6N"), "\(lines)")
  }

  @Test(arguments: [LogLines.Format.plain, .json])
  func masksFileNames(format: LogLines.Format) {
    let lines = Self.lines(format) { $0.info("stored", metadata: ["filename": "C02G414GMD6N.jpg"]) }
    #expect(lines.count == 1 && lines[0].contains("filename") && !lines[0].contains("C02G414GMD6N"), "\(lines)")
  }

  @Test func escapesLineBreaksInMetadata() {
    let lines = Self.lines(.plain) {
      $0.info("a\r\n2026-01-01T00:00:00Z error forged", metadata: ["path": "/x\ninfo y\u{1B}[31m"])
    }
    #expect(lines.count == 1 && lines[0].filter(\.isNewline).count == 1 && !lines[0].contains("\u{1B}"), "\(lines)")
  }

  @Test func logsRequestIDWithoutQuery() async throws {
    let written = NIOLockedValueBox<[String]>([])
    var logger = Logger(label: "test") { label in
      LogLines(label: label, format: .json, level: .info) { line in written.withLockedValue { $0.append(line) } }
    }
    logger.logLevel = .info
    let api = try await RunningAPI(logger: logger)
    let reply = await api.get("/history?search=C02G414GMD6N", headers: ["X-Request-ID": "mine-1"])
    #expect(reply?.headers["x-request-id"] == "mine-1")
    let lines = written.withLockedValue { $0 }.filter { $0.contains("\"path\":\"/history\"") }
    #expect(lines.count == 1 && lines[0].contains("\"request\":\"mine-1\"") && lines[0].contains("\"status\":200"))
    #expect(!written.withLockedValue { $0 }.joined().contains("C02G414GMD6N"))
  }
}
