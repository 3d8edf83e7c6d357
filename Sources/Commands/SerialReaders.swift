import ArgumentParser
import ScanModel
import SerialReading
import Settings

extension SerialReader {
  /// Starts a reader with the configured presets and thresholds.
  convenience init(_ settings: ReaderSettings) throws(ReadFailure) {
    try self.init(
      parameters: settings.parameters,
      thresholds: ReadingThresholds(accept: settings.accept, refuse: settings.refuse),
      fields: settings.fields)
  }
}

extension ReaderSettings {
  /// Selects the settings that a reader needs.
  init(_ settings: Settings) {
    self.init(
      parameters: settings.presets.mapValues(\.parameters), accept: settings.reading.accept,
      refuse: settings.reading.refuse, fields: settings.reading.fields)
  }
}

/// Starts a reader for a command; ends the program with a message if that fails.
func makeSerialReader(_ settings: Settings) throws -> SerialReader {
  do {
    return try SerialReader(ReaderSettings(settings))
  } catch {
    throw CleanExit.failure(error.detail)
  }
}
