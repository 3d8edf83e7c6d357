/// A thing in one frame of a video. Where a request has such views, the files of their frames go beside it one after another in
/// place of a photo, and the thing is read in all of them together.
public struct ObjectView: Codable, Sendable, Equatable {
  /// The most views of a request.
  public static let most = 8

  /// Bytes of the frame's file.
  public var byteCount: Int
  /// The thing's corners in pixels of the frame, upright: those of the upper left, upper right, lower right and lower left
  /// of its first frame. They may lie outside the frame.
  public var corners: Quadrilateral

  /// Creates a view.
  public init(byteCount: Int, corners: Quadrilateral) {
    self.byteCount = byteCount
    self.corners = corners
  }
}
