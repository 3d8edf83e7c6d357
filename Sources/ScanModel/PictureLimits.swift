/// The limits on a picture from a client, checked before it is decoded.
///
/// One value for photos and frames: `Settings` takes it from `upload.max_pixels`, and everything after passes it on.
public struct PictureLimits: Codable, Sendable, Equatable {
  /// Maximum number of pixels: of all pages of a file together.
  public var maxPixels: Int

  /// Creates limits.
  public init(maxPixels: Int) { self.maxPixels = maxPixels }
}
