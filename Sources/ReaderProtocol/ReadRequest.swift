/// What a reader is asked: one photo, and how to read it.
public struct ReadRequest: Codable, Sendable, Equatable {
  /// The photo's path in the file system.
  public var photoPath: String
  /// The preset whose strategies come first, or nil where the picture decides.
  public var preset: Preset?
  /// Numeric parameters of the preset that replace the configured ones, by name; with any, no other preset's strategies run.
  public var parameters: [String: Double]
  /// Seconds of CPU time after which no further strategy is begun.
  public var timeBudget: Double
  /// The most pixels a picture may have, read from its header before anything is decoded.
  public var pixelLimit: Int
  /// Where to write a PNG with the reads drawn into the photo, or nil for none.
  public var annotationPath: String?

  /// Creates a request.
  public init(
    photoPath: String, preset: Preset? = nil, parameters: [String: Double] = [:], timeBudget: Double,
    pixelLimit: Int, annotationPath: String? = nil
  ) {
    self.photoPath = photoPath
    self.preset = preset
    self.parameters = parameters
    self.timeBudget = timeBudget
    self.pixelLimit = pixelLimit
    self.annotationPath = annotationPath
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
