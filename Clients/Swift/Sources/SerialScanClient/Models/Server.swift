import Foundation

/// The response of
/// ``SerialScanClient/processSerial(image:deviceType:preset:region:multiple:batch:minConfidence:persist:debug:idempotencyKey:)``.
public struct ProcessedSerial: Sendable, Codable, Equatable {
  /// The best serial.
  public var serial: String
  /// Confidence, 0 to 1.
  public var confidence: Double
  /// The device type as sent; nil if none was sent.
  public var deviceType: String?
  /// Whether it has a valid format.
  public var isValid: Bool
  /// The path of the annotated picture.
  public var debugImagePath: String?
  /// The job's id.
  public var jobId: String?
  /// How reliable the result is.
  public var verdict: Verdict?
  /// The method that read it.
  public var method: String?
  /// Notes about the photo, such as where another device's serial was seen.
  public var notes: [String]?
  /// Fields beside it, by name as in ``SerialResult/fields``.
  public var fields: [String: SerialField]?
  /// What the serial reveals about its device.
  public var meaning: SerialMeaning?
  /// Every serial, if all were requested.
  public var serials: [SerialResult]?
}

/// The server's health.
public struct Health: Sendable, Codable, Equatable {
  /// `healthy` or `unhealthy`.
  public var status: String
  /// The server's current time.
  public var timestamp: Date
  /// The server's version.
  public var version: String
  /// Currently always false.
  public var gpuAvailable: Bool
  /// `ok`, or the database's problem.
  public var database: String?
  /// `ok`, or the problem of the photo storage.
  public var photos: String?
  /// The workers.
  public var workers: Workers?
  /// Number of waiting photos.
  public var queueDepth: Int?
  /// Seconds since the server's start.
  public var uptimeSeconds: Int?
  /// Whether live tracking is ready.
  public var predictorLoaded: Bool?

  /// Numbers of workers.
  public struct Workers: Sendable, Codable, Equatable {
    /// Number of configured workers.
    public var configured: Int
    /// Number of running workers.
    public var running: Int
  }

  /// Whether the server is healthy.
  public var isHealthy: Bool { status == "healthy" }
}

struct Presets: Decodable, Sendable {
  var presets: [String: PresetDescription]
}

/// The configuration of a preset.
public struct PresetDescription: Sendable, Codable, Equatable {
  /// Its purpose.
  public var description: String
  /// Its parameters by name.
  public var parameters: [String: Double]
}

/// A serial read on this device.
public struct DeviceSerial: Sendable, Codable, Equatable {
  /// The kind of device that read it.
  public enum Source: String, Sendable, Codable {
    /// An iPhone or iPad.
    case ios
    /// A Mac.
    case mac
    /// A hardware scanner that read a barcode.
    case scanner
  }

  /// The serial.
  public var serial: String
  /// Confidence, 0 to 1.
  public var confidence: Double
  /// The kind of device that read it.
  public var source: Source
  /// The type of the device that has the serial.
  public var deviceType: String?
  /// When it was read.
  public var ts: Date?
  /// Notes by a person.
  public var notes: String?
  /// The id of the open batch it belongs to.
  public var batch: String?
  /// Values of its device's custom fields by name.
  public var custom: [String: String]?

  /// Creates a serial to save.
  public init(
    serial: String, confidence: Double, source: Source, deviceType: String? = nil, ts: Date? = nil,
    notes: String? = nil, batch: String? = nil, custom: [String: String]? = nil
  ) {
    self.serial = serial
    self.confidence = confidence
    self.source = source
    self.deviceType = deviceType
    self.ts = ts
    self.notes = notes
    self.batch = batch
    self.custom = custom
  }
}

/// The response to saving a serial.
public struct SavedSerial: Sendable, Codable, Equatable {
  /// Whether it was saved.
  public var success: Bool
  /// The number of the saved serial.
  public var serialId: Int
  /// The outcome, as text for people.
  public var message: String
  /// Whether it has a valid format.
  public var validationPassed: Bool
  /// Whether the confidence reaches the server's threshold.
  public var confidenceAcceptable: Bool
  /// When it was saved.
  public var timestamp: Date
}

/// The response to confirming a serial.
public struct ConfirmedSerial: Sendable, Codable, Equatable {
  /// Whether it was saved.
  public var success: Bool
  /// The number of the saved serial.
  public var serialId: Int
  /// The serial as saved.
  public var serial: String
  /// Whether it has a valid format.
  public var validationPassed: Bool
  /// Whether it differs from the best read.
  public var corrected: Bool
}

/// A page of saved serials.
public struct HistoryPage: ListPage, Codable, Equatable {
  /// The serials.
  public var items: [HistoryItem]
  /// Number of serials on all pages.
  public var total: Int
  /// Maximum number of serials per page.
  public var limit: Int
  /// Number of serials skipped.
  public var offset: Int
  /// The cursor of the next page; nil on the last one.
  public var nextCursor: String?
}

/// A saved serial.
public struct HistoryItem: Sendable, Codable, Equatable, Identifiable {
  /// Its number.
  public var id: Int
  /// When it was read.
  public var timestamp: Date
  /// The serial.
  public var serial: String
  /// The type of the device that has it.
  public var deviceType: String?
  /// The preset it was read with.
  public var preset: String?
  /// Confidence, 0 to 1.
  public var confidence: Double
  /// The method that read it.
  public var method: String?
  /// The source: `scan`, `ios`, `mac`, `live`, `scanner`.
  public var source: String
  /// Whether it has a valid format.
  public var isValid: Bool
  /// A person's notes, and what to check.
  public var notes: String?
  /// The job that read it.
  public var jobId: String?
  /// The photo's file name.
  public var filename: String?
  /// How reliable it is.
  public var verdict: Verdict?
  /// When a person confirmed it.
  public var confirmedAt: Date?
  /// When the same serial was last read before this one.
  public var seenBefore: Date?
  /// The batch it belongs to.
  public var batchId: String?
  /// The path of the photo's thumbnail.
  public var thumbnailUrl: String?
  /// Fields beside it, by name as in ``SerialResult/fields``.
  public var fields: [String: SerialField]?
  /// What the serial reveals about its device.
  public var meaning: SerialMeaning?
}
