import Foundation
import Logging
import Settings

/// How log lines are written to the standard error: plain for people, JSON for machines.
enum LogFormat {
  /// Sets the format for every logger of the program. To be called once, before the first one is made.
  static func bootstrap(_ log: Settings.Log) {
    let level = Logger.Level(rawValue: log.level) ?? .info
    LoggingSystem.bootstrap { label in
      var handler: any LogHandler = log.isJSON ? JSONLogHandler() : StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
  }
}

/// One JSON object a line: time, level, message and the metadata as fields.
struct JSONLogHandler: LogHandler {
  var logLevel: Logger.Level = .info
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var fields = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
    fields["time"] = Date().formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    fields["level"] = event.level.rawValue
    fields["message"] = "\(event.message)"
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard var line = try? encoder.encode(fields) else { return }
    line.append(UInt8(ascii: "\n"))
    FileHandle.standardError.write(line)
  }
}
