/// A view of an object in one frame of a video.
///
/// If a request has views, their frames' files follow it one after another instead of a photo, and the object is read
/// in all of them together.
public struct ObjectView: Codable, Sendable, Equatable {
  /// Maximum number of views per request.
  public static let most = 8

  /// Size of the frame's file in bytes.
  public var byteCount: Int
  /// The object's corners in pixels of the upright frame: upper left, upper right, lower right and lower left as in its
  /// first frame. They may be outside the frame.
  public var corners: Quadrilateral

  /// Creates a view.
  public init(byteCount: Int, corners: Quadrilateral) {
    self.byteCount = byteCount
    self.corners = corners
  }
}
