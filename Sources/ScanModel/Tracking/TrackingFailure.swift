/// Why a frame could not be tracked.
public struct TrackingFailure: Error, Codable, Sendable, Equatable {
  /// The cause.
  public enum Code: String, Codable, Sendable {
    /// The bytes are not an image.
    case unsupportedImage
    /// The image is truncated or inconsistent.
    case damagedImage
    /// The image's pixels exceed the limit, or its masks would be too large.
    case tooManyPixels
    /// A box is empty, or a box or a point is outside the frame.
    case invalidBox
    /// The tracker does not know the session, because it was restarted.
    case unknownSession
    /// The tracker crashed, hung or sent an implausible message on this frame.
    case trackerLost
    /// No tracker can be started.
    case trackerUnavailable
  }

  /// The cause.
  public var code: Code
  /// A sentence for people.
  public var detail: String

  /// Creates a failure.
  public init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}
