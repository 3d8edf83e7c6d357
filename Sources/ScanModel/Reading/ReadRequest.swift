import AppleSerial

/// How to read one photo. The photo's bytes are sent as an attachment.
public struct ReadRequest: Codable, Sendable, Equatable {
  /// The preset whose strategies run first; nil to auto-detect.
  public var preset: Preset?
  /// Numeric parameters, by name, that override the configured ones of the given preset, or of all presets if none is
  /// given.
  public var parameters: [String: Double]
  /// Seconds of CPU time after which no further strategy starts.
  public var timeBudget: Double
  /// The photo's limits.
  public var limits: PictureLimits
  /// Whether to return an annotated picture.
  public var wantsAnnotation: Bool
  /// Whether to return a thumbnail.
  public var wantsThumbnail: Bool
  /// The name under which to explain how the photo is read, nil for no explanation. A reader process
  /// returns it in place of an annotated picture.
  public var explainedAs: String?
  /// The region of the photo to read; nil for the whole photo.
  public var part: PhotoPart?
  /// Whether to read every serial with its region, instead of only the device's own.
  public var wantsEverySerial: Bool
  /// Whether to return the contents of codes that hold no serial, and to look for such codes.
  public var wantsCodes = false
  /// Known configuration codes, in addition to the built-in ones.
  public var codes: ConfigurationCodes?
  /// An object's views in frames of a video; empty for a photo.
  public var views: [ObjectView]
  /// Factor by which frames are magnified, horizontally and vertically, before reading.
  public var viewScale: Double

  /// Creates a request.
  public init(
    preset: Preset? = nil, parameters: [String: Double] = [:], timeBudget: Double, limits: PictureLimits,
    wantsAnnotation: Bool = false, part: PhotoPart? = nil, wantsEverySerial: Bool = false, views: [ObjectView] = [],
    viewScale: Double = 2, wantsThumbnail: Bool = false
  ) {
    self.preset = preset
    self.parameters = parameters
    self.timeBudget = timeBudget
    self.limits = limits
    self.wantsAnnotation = wantsAnnotation
    self.part = part
    self.wantsEverySerial = wantsEverySerial
    self.views = views
    self.viewScale = viewScale
    self.wantsThumbnail = wantsThumbnail
  }
}

/// The result of reading a photo.
public struct ReadAnswer: Sendable, Equatable {
  /// The reading.
  public var reading: Reading
  /// A PNG of the photo with the reads drawn in, if requested and it could be drawn.
  public var annotation: [UInt8]?
  /// A thumbnail of the whole photo (see `Thumbnail`), if requested and it could be made.
  public var thumbnail: [UInt8]?
  /// A self-contained HTML page that shows how the photo was read, if requested.
  public var explanation: [UInt8]?

  /// Creates an answer.
  public init(
    _ reading: Reading, annotation: [UInt8]? = nil, thumbnail: [UInt8]? = nil, explanation: [UInt8]? = nil
  ) {
    self.reading = reading
    self.annotation = annotation
    self.thumbnail = thumbnail
    self.explanation = explanation
  }
}

/// A read's progress.
public struct ReadProgress: Codable, Sendable, Equatable {
  /// Completed fraction, 0...1. Never decreases within a read.
  public var fraction: Double
  /// The current step, as text for people.
  public var message: String

  /// Creates a progress report.
  public init(fraction: Double, message: String) {
    self.fraction = fraction
    self.message = message
  }
}
