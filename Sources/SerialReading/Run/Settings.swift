import BarcodeReading
import Imaging
import ScanModel
import TextReading

/// The numeric parameters of one preset, set in `config/serialscan.yaml`, which lists them all, and overridden by a
/// request.
public struct PresetParameters: Sendable {
  private var values: [String: Double] = [:]

  /// Merges layers of values; later layers take precedence. Unknown names are ignored, values out of range clamped.
  ///
  /// - Throws: `ReadFailure` with the code `readerUnavailable` if no layer has one of the preset's parameters.
  public init(preset: Preset, overlaidBy layers: [String: Double]...) throws(ReadFailure) {
    for (name, range) in preset.parameterRanges {
      guard let value = layers.compactMap({ $0[name] }).last else {
        throw ReadFailure(.readerUnavailable, "The settings lack presets.\(preset.rawValue).parameters.\(name).")
      }
      values[name] = min(max(value, range.lowerBound), range.upperBound)
    }
  }

  /// The value of a declared parameter; 0 for any other name.
  subscript(_ name: String) -> Double { values[name] ?? 0 }
}

/// The thresholds on the calibrated confidence that determine the verdict, from the settings.
public struct ReadingThresholds: Sendable {
  /// The confidence from which a serial is accepted without review.
  public var accept: Double
  /// The confidence below which a serial is not shown.
  public var refuse: Double

  /// Creates thresholds, each 0...1.
  public init(accept: Double, refuse: Double) {
    self.accept = accept
    self.refuse = refuse
  }

  /// The verdict on the most probable serial; nil means no serial.
  func verdict(on confidence: Double?) -> Reading.Verdict {
    guard let confidence, confidence >= refuse else { return .refused }
    return confidence >= accept ? .accepted : .uncertain
  }
}

/// The functions of libraries that this program replaces.
public enum LibraryHooks {
  /// The replacements that have no effect with the installed libraries, a sentence each; empty if all of them work.
  public static var broken: [String] { TesseractHooks.broken + ZXingHooks.broken + DecoderHooks.broken }
}
