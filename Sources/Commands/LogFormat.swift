import HTTPAPI
import Logging
import Settings

/// How log lines are written to the standard error: plain for people, JSON for machines.
enum LogFormat {
  /// Sets the format for every logger of the program. To be called once, before the first one is made.
  static func bootstrap(_ log: Settings.Log) {
    let level = Logger.Level(rawValue: log.level) ?? .info
    LoggingSystem.bootstrap { LogLines(label: $0, format: log.isJSON ? .json : .plain, level: level) }
  }
}
