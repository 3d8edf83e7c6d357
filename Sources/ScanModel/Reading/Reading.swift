/// The result of reading one photo: the serials, their confidence, and how they were found.
public struct Reading: Codable, Sendable, Equatable {
  /// The classification of the top serial by thresholds on the calibrated confidence.
  public enum Verdict: String, Codable, Sendable, CaseIterable {
    /// At or above the acceptance threshold: accepted without review.
    case accepted
    /// Between the thresholds: shown for review.
    case uncertain
    /// No serial found that is worth showing.
    case refused
  }

  /// The top serial's verdict.
  public var verdict: Verdict
  /// The serials, most probable first; empty if nothing was read.
  public var serials: [SerialRead]
  /// Rejected reads, most probable first, each with its doubts: at most `mostRefused`. Nil in readings of versions that
  /// did not report them.
  public var refused: [SerialRead]?
  /// The preset used, given or detected.
  public var preset: Preset
  /// Whether the preset was detected.
  public var presetWasDetected: Bool
  /// Name of the strategy that produced the top serial (`barcode`, `text`, ...), or of the last one that ran.
  public var strategyUsed: String
  /// Whether the first strategy failed, so that the top serial comes from a later one.
  public var fallbackUsed: Bool
  /// Every strategy that ran, in order.
  public var trace: [StrategyTrace]
  /// Sentences for people about conflicting sources or omitted reads.
  public var notes: [String]
  /// The photo's width and height in pixels as uploaded, before EXIF orientation is applied.
  public var photoSize: PixelSize
  /// Wall-clock seconds of the read.
  public var processingTime: Double
  /// CPU seconds of the read.
  public var cpuTime: Double

  /// Maximum number of reads in `refused`.
  public static let mostRefused = 5

  /// Other fields that belong to no serial, at most one of each kind. Nil if not requested, and in readings of versions
  /// that did not report them.
  public var fields: [FieldRead]?

  /// Contents of codes in the photo that hold no serial: single lines, at most `mostCodes`. Nil if not requested. The
  /// server keeps only those that are values of a custom field, in `custom`.
  public var codes: [String]?

  /// Maximum number of contents in `codes`.
  public static let mostCodes = 32
  /// Maximum number of characters of a content in `codes`.
  public static let longestCode = 200

  /// The values of custom fields that codes in the photo hold, by name. Nil if there are none.
  public var custom: [String: String]?

  /// What plainly kept the photo from being read. Nil if a serial was found, and in readings of versions that did not
  /// report it.
  public var flaw: PhotoFlaw?

  /// Whether every serial was requested. Nil in readings of versions that read only one.
  public var isOfEverySerial: Bool?

  /// The photo's reported serials with their verdicts: the top one, or all if every serial was requested.
  public var told: [(read: SerialRead, verdict: Verdict)] {
    let count = isOfEverySerial == true ? serials.count : 1
    return serials.prefix(count).enumerated().map { ($1, $0 == 0 ? verdict : $1.verdict ?? .uncertain) }
  }

  /// The most probable serial, if any.
  public var topSerial: SerialRead? { serials.first }

  /// Creates a reading.
  public init(
    verdict: Verdict, serials: [SerialRead], refused: [SerialRead]? = nil, preset: Preset, presetWasDetected: Bool,
    strategyUsed: String, fallbackUsed: Bool, trace: [StrategyTrace], notes: [String], photoSize: PixelSize,
    processingTime: Double, cpuTime: Double
  ) {
    self.verdict = verdict
    self.serials = serials
    self.refused = refused
    self.preset = preset
    self.presetWasDetected = presetWasDetected
    self.strategyUsed = strategyUsed
    self.fallbackUsed = fallbackUsed
    self.trace = trace
    self.notes = notes
    self.photoSize = photoSize
    self.processingTime = processingTime
    self.cpuTime = cpuTime
  }
}

/// A serial as read.
public struct SerialRead: Codable, Sendable, Equatable {
  /// The serial, in upper case.
  public var serial: String
  /// The calibrated probability that this is the device's serial, 0...1.
  public var confidence: Double
  /// The method that read it: `barcode`, `tesseract`, or `barcode+tesseract` if both agree.
  public var method: String
  /// Name of the strategy that read it.
  public var strategy: String
  /// Index of its text line or barcode, or nil.
  public var roiIndex: Int?
  /// Its region in pixels of the photo as uploaded (before EXIF orientation); nil if unknown.
  public var region: Quadrilateral?
  /// Whether it is valid in one of the formats.
  public var isValid: Bool
  /// Its characters; nil if no strategy read them from text, as for a barcode, or if they can't be compared.
  public var characters: [CharacterRead]?
  /// Reasons that lower its confidence, most severe first; empty if there are none. Nil in readings of versions that
  /// did not report them.
  public var doubts: [Doubt]?
  /// Its verdict. Nil in readings of versions that judged only the top serial.
  public var verdict: Reading.Verdict?
  /// Its printed label as read; nil if none was read.
  public var label: String?
  /// Other regions of the photo with the same serial, in the units of `region`. Nil in readings of versions that did
  /// not report them.
  public var places: [Quadrilateral]?
  /// The fields beside it on its device, at most one of each kind. Nil if not requested, and in readings of versions
  /// that did not report them.
  public var fields: [FieldRead]?

  /// Creates a read.
  public init(
    serial: String, confidence: Double, method: String, strategy: String, roiIndex: Int? = nil,
    region: Quadrilateral? = nil, isValid: Bool, characters: [CharacterRead]? = nil, doubts: [Doubt]? = nil,
    verdict: Reading.Verdict? = nil, label: String? = nil, places: [Quadrilateral]? = nil, fields: [FieldRead]? = nil
  ) {
    self.serial = serial
    self.confidence = confidence
    self.method = method
    self.strategy = strategy
    self.roiIndex = roiIndex
    self.region = region
    self.isValid = isValid
    self.characters = characters
    self.doubts = doubts
    self.verdict = verdict
    self.label = label
    self.places = places
    self.fields = fields
  }
}

/// The record of one strategy.
public struct StrategyTrace: Codable, Sendable, Equatable {
  /// The strategy's name.
  public var strategy: String
  /// Wall-clock seconds.
  public var seconds: Double
  /// Its result: the best serial with its confidence, or why it found none.
  public var outcome: String
  /// The best serial it found, if any.
  public var serial: String?
  /// That serial's confidence, 0...1, or nil.
  public var confidence: Double?

  /// Creates a trace entry.
  public init(strategy: String, seconds: Double, outcome: String, serial: String? = nil, confidence: Double? = nil) {
    self.strategy = strategy
    self.seconds = seconds
    self.outcome = outcome
    self.serial = serial
    self.confidence = confidence
  }
}

/// Width and height in pixels.
public struct PixelSize: Codable, Sendable, Equatable {
  /// Width in pixels.
  public var width: Int
  /// Height in pixels.
  public var height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// A point in pixels, from the top left corner.
public struct PixelPoint: Codable, Sendable, Equatable {
  /// Pixels from the left edge.
  public var x: Double
  /// Pixels from the top edge.
  public var y: Double

  /// Creates a point.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

/// Four corners in pixels: the text's top left, top right, bottom right and bottom left in reading direction.
public struct Quadrilateral: Codable, Sendable, Equatable {
  /// The corners, in reading order around the text.
  public var corners: [PixelPoint]

  /// Creates a quadrilateral of four corners.
  public init(_ topLeft: PixelPoint, _ topRight: PixelPoint, _ bottomRight: PixelPoint, _ bottomLeft: PixelPoint) {
    corners = [topLeft, topRight, bottomRight, bottomLeft]
  }
}
