import ReaderProtocol
import SerialReading
import Settings

/// A reader with the parameters of `config/`.
///
/// - Parameter thresholds: What the verdict is made by.
func makeReader(_ thresholds: ReadingThresholds = ReadingThresholds(accept: 0.9, refuse: 0.1)) throws -> SerialReader {
  let settings = try Settings.load(file: nil, environment: [:])
  return try SerialReader(
    parameters: settings.presets.mapValues(\.parameters), thresholds: thresholds,
    secondModel: settings.reading.secondModel)
}

extension ReadRequest {
  /// Asks for a file to be read, with time enough on any machine.
  static func photo(_ path: String, preset: Preset? = nil, pixelLimit: Int = 60_000_000) -> ReadRequest {
    ReadRequest(photoPath: path, preset: preset, timeBudget: 10, pixelLimit: pixelLimit)
  }
}
