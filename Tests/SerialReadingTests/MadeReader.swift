import ScanModel
import SerialReading
import Settings

/// A reader with the parameters of `config/`.
///
/// - Parameter thresholds: The thresholds of the verdict.
func makeReader(
  _ thresholds: ReadingThresholds = ReadingThresholds(accept: 0.9, refuse: 0.1), fields: FieldReading = .near
) throws -> SerialReader {
  let settings = try Settings.load(file: nil, environment: [:])
  return try SerialReader(
    parameters: settings.presets.mapValues(\.parameters), thresholds: thresholds, fields: fields)
}

extension SerialReader {
  /// Reads a picture's file with a generous time budget.
  func reading(
    of bytes: [UInt8], preset: Preset? = nil, pixelLimit: Int = 60_000_000, progress: (ReadProgress) -> Void = { _ in }
  ) throws(ReadFailure) -> Reading {
    let request = ReadRequest(preset: preset, timeBudget: 10, limits: PictureLimits(maxPixels: pixelLimit))
    return try read(bytes, request, progress: progress).reading
  }
}
