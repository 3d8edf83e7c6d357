import HTTPAPI
import Logging
import Settings

/// The format of log lines on standard error: plain text, or JSON for machines.
enum LogFormat {
  /// Sets the format for all loggers of the program. Call it once, before the first logger is created.
  static func bootstrap(_ log: Settings.Log) {
    let level = Logger.Level(rawValue: log.level) ?? .info
    LoggingSystem.bootstrap { LogLines(label: $0, format: log.isJSON ? .json : .plain, level: level) }
  }
}
