/// Bounds of a photo's thumbnail: an upright JPEG for lists.
public enum Thumbnail {
  /// The most pixels of its longer side: a row of a list at twice the density.
  public static let longestSide = 160
  /// The most bytes. A photo at the best quality takes two to five thousand.
  public static let mostBytes = 8 << 10

  /// Whether bytes may be a thumbnail: a JPEG within the bound.
  public static func isPlausible(_ bytes: some Collection<UInt8>) -> Bool {
    (4...mostBytes).contains(bytes.count) && bytes.starts(with: [0xFF, 0xD8, 0xFF])
  }
}
