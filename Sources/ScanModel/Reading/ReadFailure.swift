/// Why a photo could not be read at all. A photo without a serial is no failure: its reading has no serials.
public struct ReadFailure: Error, Codable, Sendable, Equatable {
  /// What went wrong, as a client sees it; the raw value is the `error_code` of the wire contract.
  public enum Code: String, Codable, Sendable, CaseIterable {
    /// The bytes are no picture of a supported format.
    case notAPicture = "UNSUPPORTED_IMAGE"
    /// The picture ends too early or is damaged.
    case damagedPicture = "DAMAGED_IMAGE"
    /// The picture has more pixels, or its file more bytes, than the limit.
    case tooManyPixels = "IMAGE_TOO_LARGE"
    /// The photo is not where it was stored.
    case photoMissing = "PHOTO_MISSING"
    /// The reader died, on this photo or beside it.
    case readerCrashed = "READER_CRASHED"
    /// The reader did not answer before its deadline.
    case readerTimedOut = "READER_TIMED_OUT"
    /// The reader ran into its memory limit.
    case outOfMemory = "READER_OUT_OF_MEMORY"
    /// The reader could not start (a library or the model is missing).
    case readerUnavailable = "READER_UNAVAILABLE"
  }

  /// What went wrong.
  public var code: Code
  /// A sentence for a person that says what to do.
  public var detail: String
  /// Whether the photo is known to be the cause, so that another attempt would only cost the same again.
  public var isFinal: Bool

  /// Creates a failure.
  public init(_ code: Code, _ detail: String, isFinal: Bool = false) {
    self.code = code
    self.detail = detail
    self.isFinal = isFinal
  }
}
