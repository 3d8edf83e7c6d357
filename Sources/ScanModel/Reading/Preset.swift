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
}
