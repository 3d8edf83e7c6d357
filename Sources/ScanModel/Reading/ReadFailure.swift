/// Why a photo could not be read at all. A photo without a serial is not a failure: its reading has no serials.
public struct ReadFailure: Error, Codable, Sendable, Equatable {
  /// The cause as reported to clients; the raw value is the `error_code` of the API.
  public enum Code: String, Codable, Sendable, CaseIterable {
    /// The bytes are not an image in a supported format.
    case notAPicture = "UNSUPPORTED_IMAGE"
    /// The image is truncated or damaged.
    case damagedPicture = "DAMAGED_IMAGE"
    /// The image's pixels or its file's bytes exceed the limit.
    case tooManyPixels = "IMAGE_TOO_LARGE"
    /// The photo is not where it was stored.
    case photoMissing = "PHOTO_MISSING"
    /// The reader crashed, because of this photo or independently of it.
    case readerCrashed = "READER_CRASHED"
    /// The reader did not answer before its deadline.
    case readerTimedOut = "READER_TIMED_OUT"
    /// The reader reached its memory limit.
    case outOfMemory = "READER_OUT_OF_MEMORY"
    /// The reader could not start (a library or the model is missing).
    case readerUnavailable = "READER_UNAVAILABLE"
  }

  /// The cause.
  public var code: Code
  /// A sentence for people that says what to do.
  public var detail: String
  /// Whether the photo is known to be the cause, so that another attempt would only repeat the cost.
  public var isFinal: Bool

  /// Creates a failure.
  public init(_ code: Code, _ detail: String, isFinal: Bool = false) {
    self.code = code
    self.detail = detail
    self.isFinal = isFinal
  }
}
