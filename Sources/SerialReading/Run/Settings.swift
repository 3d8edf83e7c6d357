import BarcodeReading
import Imaging
import ScanModel
import TextReading

/// A numeric parameter of a preset's reader, set in the configuration or in a request.
public struct ParameterDeclaration: Sendable {
  /// The parameter's name, as in `config/serialscan.yaml`.
  public var name: String
  /// A description with the unit.
  public var description: String
  /// The valid range; values outside are clamped.
  public var range: ClosedRange<Double>
}

/// The numeric parameters of one preset. Declared here with their ranges, set in `config/serialscan.yaml`, which lists
/// them all, and overridden by a request.
public struct PresetParameters: Sendable {
  private var values: [String: Double]

  /// Merges layers of values; later layers take precedence. Unknown names are ignored, values out of range clamped.
  ///
  /// - Throws: `ReadFailure` with the code `readerUnavailable` if no layer has a declared parameter.
  public init(preset: Preset, overlaidBy layers: [String: Double]...) throws(ReadFailure) {
    values = [:]
    for declaration in Self.declarations(of: preset) {
      guard let value = layers.compactMap({ $0[declaration.name] }).last else {
        throw ReadFailure(
          .readerUnavailable, "The settings lack presets.\(preset.rawValue).parameters.\(declaration.name).")
      }
      values[declaration.name] = min(max(value, declaration.range.lowerBound), declaration.range.upperBound)
    }
  }

  /// The value of a declared parameter; 0 for any other name.
  subscript(_ name: String) -> Double { values[name] ?? 0 }

  /// The parameters of a preset's reader.
  public static func declarations(of preset: Preset) -> [ParameterDeclaration] {
    preset == .etched ? common + etched : common
  }

  private static let common = [
    ParameterDeclaration(
      name: "working_side", description: "Longer side in pixels of the picture that lines are looked for in.",
      range: 400...4000),
    ParameterDeclaration(
      name: "crop_capital",
      description: "Height of capitals below which lines are cut from the full resolution, pixels.", range: 0...100),
  ]

  private static let etched = [
    ParameterDeclaration(
      name: "stroke_threshold", description: "Contrast of a stroke to its surroundings, as a share of them.",
      range: 0.02...0.5),
    ParameterDeclaration(
      name: "least_character", description: "Shortest character's longer side in pixels.", range: 3...40),
    ParameterDeclaration(
      name: "greatest_character", description: "Tallest character's longer side in pixels.", range: 10...200),
    ParameterDeclaration(
      name: "greatest_capital", description: "Greatest height of a line's capitals in pixels.", range: 8...160),
    ParameterDeclaration(
      name: "closing", description: "Gaps in a piece of text are shorter than this, in pixels.", range: 3...60),
    ParameterDeclaration(
      name: "line_limit", description: "The most lines of a picture that are read.", range: 1...40),
    ParameterDeclaration(
      name: "reading_limit", description: "Readings of lines after which no further line of a photo is begun.",
      range: 4...200),
  ]
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
