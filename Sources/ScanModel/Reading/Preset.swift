/// The type of surface that carries a serial. Each has its own reader.
public enum Preset: String, Codable, Sendable, CaseIterable {
  /// Tiny grey text laser-etched into metal or plastic.
  case etched
  /// Rows of label and value on a lit screen.
  case screen
  /// Printed labels, boxes and asset stickers, mostly with codes.
  case sticker

  /// Returns the preset implied by a device type; nil to auto-detect.
  ///
  /// Ignores case, spaces and suffixes: `MacBook Pro`, `iphone 15` and `Mac Mini (M2)` all match.
  public init?(deviceType: String) {
    let plain = deviceType.lowercased().filter { $0.isLetter || $0.isNumber }
    switch plain {
    case _ where plain.hasPrefix("macbook") || plain.hasPrefix("imac") || plain.hasPrefix("macmini"): self = .etched
    case _ where plain.hasPrefix("iphone") || plain.hasPrefix("ipad"): self = .screen
    case _ where plain.hasPrefix("applewatch") || plain.hasPrefix("watch") || plain.hasPrefix("accessor"):
      self = .sticker
    default: return nil
    }
  }

  /// The numeric parameters of the preset's reader with their ranges. `config/serialscan.yaml` has their values and units.
  public var parameterRanges: [String: ClosedRange<Double>] {
    let common: [String: ClosedRange<Double>] = ["working_side": 400...4000, "crop_capital": 0...100]
    guard self == .etched else { return common }
    return common.merging([
      "stroke_threshold": 0.02...0.5, "least_character": 3...40, "greatest_character": 10...200,
      "greatest_capital": 8...160, "closing": 3...60, "line_limit": 1...40, "reading_limit": 4...200,
    ]) { $1 }
  }
}
