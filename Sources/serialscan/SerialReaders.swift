import ArgumentParser
import SerialReading
import Settings

/// Starts a reader with the configured presets and thresholds, or ends the program with a sentence.
func makeSerialReader(_ settings: Settings) throws -> SerialReader {
  do {
    return try SerialReader(
      parameters: settings.presets.mapValues(\.parameters),
      thresholds: ReadingThresholds(accept: settings.reading.accept, refuse: settings.reading.refuse))
  } catch {
    throw CleanExit.stop(error.detail)
  }
}
