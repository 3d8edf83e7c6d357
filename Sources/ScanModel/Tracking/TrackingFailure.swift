/// Why a frame could not be tracked.
public struct TrackingFailure: Error, Codable, Sendable, Equatable {
  /// What went wrong.
  public enum Code: String, Codable, Sendable {
    /// The bytes are no picture.
    case unsupportedImage
    /// The picture ends too early or contradicts itself.
    case damagedImage
    /// The picture has more pixels than the limit, or its masks would be too large.
    case tooManyPixels
    /// A box is empty, or a box or a point is outside the frame.
    case invalidBox
    /// The tracker does not know the session: it was started anew.
    case unknownSession
    /// The tracker died, hung or lied on this frame.
    case trackerLost
    /// No tracker can be started.
    case trackerUnavailable
  }

  /// What went wrong.
  public var code: Code
  /// A sentence for a person.
  public var detail: String

  /// Creates a failure.
  public init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}
