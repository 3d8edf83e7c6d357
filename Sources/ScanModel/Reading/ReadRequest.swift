import AppleSerial

/// How one photo is to be read. The photo's bytes go beside it.
public struct ReadRequest: Codable, Sendable, Equatable {
  /// The preset whose strategies come first, or nil where the picture decides.
  public var preset: Preset?
  /// Numeric parameters of the preset that replace the configured ones, by name; with any, no other preset's strategies run.
  public var parameters: [String: Double]
  /// Seconds of CPU time after which no further strategy is begun.
  public var timeBudget: Double
  /// The most pixels a picture may have, read from its header before anything is decoded.
  public var pixelLimit: Int
  /// Whether a picture with the reads drawn in is asked for.
  public var wantsAnnotation: Bool
  /// The part of the photo that is read; nil for all of it.
  public var part: PhotoPart?
  /// Whether every serial is read, each at its place, in place of the device's one.
  public var wantsEverySerial: Bool
  /// The configuration codes that are known, beside the built-in ones.
  public var codes: ConfigurationCodes?
  /// Where a thing is in frames of a video; none where a photo is read.
  public var views: [ObjectView]
  /// Pixels, across and down, in which a pixel of a frame is read.
  public var viewScale: Double

  /// Creates a request.
  public init(
    preset: Preset? = nil, parameters: [String: Double] = [:], timeBudget: Double, pixelLimit: Int,
    wantsAnnotation: Bool = false, part: PhotoPart? = nil, wantsEverySerial: Bool = false, views: [ObjectView] = [],
    viewScale: Double = 2
  ) {
    self.preset = preset
    self.parameters = parameters
    self.timeBudget = timeBudget
    self.pixelLimit = pixelLimit
    self.wantsAnnotation = wantsAnnotation
    self.part = part
    self.wantsEverySerial = wantsEverySerial
    self.views = views
    self.viewScale = viewScale
  }
}

/// What a reader makes of one photo.
public struct ReadAnswer: Sendable, Equatable {
  /// What the photo says.
  public var reading: Reading
  /// A PNG of the photo with the reads drawn in, where the request wants it and it could be drawn.
  public var annotation: [UInt8]?

  /// Creates an answer.
  public init(_ reading: Reading, annotation: [UInt8]? = nil) {
    self.reading = reading
    self.annotation = annotation
  }
}

/// How far a read has come.
public struct ReadProgress: Codable, Sendable, Equatable {
  /// 0...1, never going back within one read.
  public var fraction: Double
  /// What is being done, for a person.
  public var message: String

  /// Creates a progress value.
  public init(fraction: Double, message: String) {
    self.fraction = fraction
    self.message = message
  }
}
