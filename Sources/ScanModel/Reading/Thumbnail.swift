/// Bounds of a photo's thumbnail: an upright JPEG for lists.
public enum Thumbnail {
  /// Maximum pixels of its longer side, for a row of a list on a high-density screen.
  public static let longestSide = 160
  /// Maximum bytes. At the best quality, a photo takes two to five thousand.
  public static let mostBytes = 8 << 10

  /// Whether the bytes can be a thumbnail: a JPEG within the limit.
  public static func isPlausible(_ bytes: some Collection<UInt8>) -> Bool {
    (4...mostBytes).contains(bytes.count) && bytes.starts(with: [0xFF, 0xD8, 0xFF])
  }
}
