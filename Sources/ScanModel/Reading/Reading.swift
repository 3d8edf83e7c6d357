/// What one photo said: the serials that were read, how sure they are, and how they were found.
public struct Reading: Codable, Sendable, Equatable {
  /// What the thresholds over the calibrated confidence say of the top serial.
  public enum Verdict: String, Codable, Sendable, CaseIterable {
    /// At or above the acceptance threshold: taken without asking.
    case accepted
    /// Between the thresholds: shown, to be confirmed by a person.
    case uncertain
    /// Nothing that is worth showing.
    case refused
  }

  /// What is made of the top serial.
  public var verdict: Verdict
  /// The serials read, most probable first; empty where nothing was read.
  public var serials: [SerialRead]
  /// What was read and is too unsure to be shown, most probable first, each with its doubts: `mostRefused` at most; nil in readings of
  /// versions that did not tell it.
  public var refused: [SerialRead]?
  /// The preset that was used, given or decided from the picture.
  public var preset: Preset
  /// Whether the preset was decided from the picture.
  public var presetWasDetected: Bool
  /// Name of the strategy that produced the top serial (`barcode`, `text`, ...), or of the last one that ran.
  public var strategyUsed: String
  /// Whether the first strategy failed, so that the top serial comes from a later one.
  public var fallbackUsed: Bool
  /// Every strategy that ran, in order.
  public var trace: [StrategyTrace]
  /// Sentences for a person about sources that disagree or reads that were left out.
  public var notes: [String]
  /// Width and height of the photo in pixels as uploaded, before its EXIF orientation is applied.
  public var photoSize: PixelSize
  /// Wall time of the read in seconds.
  public var processingTime: Double
  /// CPU time of the read in seconds.
  public var cpuTime: Double

  /// The most reads that `refused` holds.
  public static let mostRefused = 5

  /// What else was read and belongs to none of the serials, one of each kind; nil in readings of versions that did not tell it, and where it
  /// was not asked for.
  public var fields: [FieldRead]?

  /// Whether every serial was asked for; nil in readings of versions that read one.
  public var isOfEverySerial: Bool?

  /// The serials that are told of the photo, with what is made of each: the top one, or every one where that was asked for.
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

/// One serial as it was read.
public struct SerialRead: Codable, Sendable, Equatable {
  /// The serial, in upper case.
  public var serial: String
  /// The calibrated probability that this is the device's serial, 0...1.
  public var confidence: Double
  /// What read it: `barcode`, `tesseract`, or `barcode+tesseract` where both agree.
  public var method: String
  /// Name of the strategy that read it.
  public var strategy: String
  /// Index of the text line or code in which it stands, or nil.
  public var roiIndex: Int?
  /// Where it stands, in pixels of the photo as uploaded (before EXIF orientation), or nil where unknown.
  public var region: Quadrilateral?
  /// Whether it fits the grammar of one of the formats.
  public var isValid: Bool
  /// Its characters; nil where no strategy read them from text, as of a code's, or where nobody is to compare them.
  public var characters: [CharacterRead]?
  /// Why it is not surer, the gravest first; empty where nothing speaks against it, nil in readings of versions that did not tell it.
  public var doubts: [Doubt]?
  /// What is made of it; nil in readings of versions that judged the top serial alone.
  public var verdict: Reading.Verdict?
  /// The label that announces it, as read; nil where none was read.
  public var label: String?
  /// Other places of the photo that say the same, as `region`; nil in readings of versions that did not tell them.
  public var places: [Quadrilateral]?
  /// What stands beside it on its device, one of each kind; nil in readings of versions that did not tell it, and where it was not asked for.
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

/// What one strategy did.
public struct StrategyTrace: Codable, Sendable, Equatable {
  /// The strategy's name.
  public var strategy: String
  /// Wall time in seconds.
  public var seconds: Double
  /// What it said: the best serial it saw with its confidence, or why there is none.
  public var outcome: String
  /// The best serial it saw, if any.
  public var serial: String?
  /// Confidence of that serial, 0...1, or nil.
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
  /// Pixels across.
  public var width: Int
  /// Pixels down.
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

/// Four corners in pixels: those of the text's top left, top right, bottom right and bottom left as it is read.
public struct Quadrilateral: Codable, Sendable, Equatable {
  /// The corners, in reading order around the text.
  public var corners: [PixelPoint]

  /// Creates a quadrilateral of four corners.
  public init(_ topLeft: PixelPoint, _ topRight: PixelPoint, _ bottomRight: PixelPoint, _ bottomLeft: PixelPoint) {
    corners = [topLeft, topRight, bottomRight, bottomLeft]
  }
}
