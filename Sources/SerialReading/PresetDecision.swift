import ReaderProtocol

/// Decides from the picture what kind of surface it shows.
enum PresetDecision {
  /// The presets, the likeliest first.
  static func order(for photo: Photo) throws(ReadFailure) -> [Preset] {
    [.etched, .sticker, .screen]
  }
}
