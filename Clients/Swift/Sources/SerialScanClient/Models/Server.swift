import Foundation

/// The answer of ``SerialScanClient/processSerial(image:deviceType:preset:region:multiple:minConfidence:persist:debug:idempotencyKey:)``.
public struct ProcessedSerial: Sendable, Codable, Equatable {
  /// The best serial.
  public var serial: String
  /// Its confidence, 0 to 1.
  public var confidence: Double
  /// The device type as it was sent; nil if none was.
  public var deviceType: String?
  /// Whether it has a valid format.
  public var isValid: Bool
  /// Where a picture with the reads drawn in is.
  public var debugImagePath: String?
  /// The job's id.
  public var jobId: String?
  /// How far the result may be trusted.
  public var verdict: Verdict?
  /// What read it.
  public var method: String?
  /// What else there is to say of the photo, such as where another device's serial was seen.
  public var notes: [String]?
  /// What stands beside it, by name as in ``SerialResult/fields``.
  public var fields: [String: SerialField]?
  /// What the serial says of its device.
  public var meaning: SerialMeaning?
  /// Every serial, if all were asked for.
  public var serials: [SerialResult]?
}

/// The server's health.
public struct Health: Sendable, Codable, Equatable {
  /// `healthy` or `unhealthy`.
  public var status: String
  /// The server's time.
  public var timestamp: Date
  /// The server's version.
  public var version: String
  /// Always false today.
  public var gpuAvailable: Bool
  /// `ok`, or what is wrong with the database.
  public var database: String?
  /// `ok`, or what is wrong with the place of the photos.
  public var photos: String?
  /// The workers that read photos.
  public var workers: Workers?
  /// Photos that wait.
  public var queueDepth: Int?
  /// Seconds since the server started.
  public var uptimeSeconds: Int?
  /// Whether live tracking is ready.
  public var predictorLoaded: Bool?

  /// Workers by number.
  public struct Workers: Sendable, Codable, Equatable {
    /// As configured.
    public var configured: Int
    /// At work.
    public var running: Int
  }

  /// Whether the server can do its job.
  public var isHealthy: Bool { status == "healthy" }
}

struct Presets: Decodable, Sendable {
  var presets: [String: PresetDescription]
}

/// A preset as it is configured.
public struct PresetDescription: Sendable, Codable, Equatable {
  /// What it is for.
  public var description: String
  /// Its parameters by name.
  public var parameters: [String: Double]
}

/// A serial that was read on this device.
public struct DeviceSerial: Sendable, Codable, Equatable {
  /// The kind of device that read it.
  public enum Source: String, Sendable, Codable {
    /// An iPhone or iPad.
    case ios
    /// A Mac.
    case mac
  }

  /// The serial.
  public var serial: String
  /// Its confidence, 0 to 1.
  public var confidence: Double
  /// What read it.
  public var source: Source
  /// The type of the device that has the serial.
  public var deviceType: String?
  /// When it was read.
  public var ts: Date?
  /// Notes of a person.
  public var notes: String?

  /// Creates a serial to save.
  public init(
    serial: String, confidence: Double, source: Source, deviceType: String? = nil, ts: Date? = nil,
    notes: String? = nil
  ) {
    self.serial = serial
    self.confidence = confidence
    self.source = source
    self.deviceType = deviceType
    self.ts = ts
    self.notes = notes
  }
}

/// The answer to a saved serial.
public struct SavedSerial: Sendable, Codable, Equatable {
  /// Whether it was saved.
  public var success: Bool
  /// Its number.
  public var serialId: Int
  /// The outcome, for a person.
  public var message: String
  /// Whether it has a valid format.
  public var validationPassed: Bool
  /// Whether its confidence reaches the server's threshold.
  public var confidenceAcceptable: Bool
  /// When it was saved.
  public var timestamp: Date
}

/// The answer to a confirmed serial.
public struct ConfirmedSerial: Sendable, Codable, Equatable {
  /// Whether it was saved.
  public var success: Bool
  /// Its number.
  public var serialId: Int
  /// The serial as it was saved.
  public var serial: String
  /// Whether it has a valid format.
  public var validationPassed: Bool
  /// Whether it differs from the best read.
  public var corrected: Bool
}

/// A page of saved serials.
public struct HistoryPage: Sendable, Codable, Equatable {
  /// The serials.
  public var items: [HistoryItem]
  /// The number of serials on all pages.
  public var total: Int
  /// Items a page may have.
  public var limit: Int
  /// Items skipped.
  public var offset: Int
  /// Where the next page begins; nil on the last one.
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
  /// Its confidence, 0 to 1.
  public var confidence: Double
  /// What read it.
  public var method: String?
  /// Where it is from: `scan`, `ios`, `mac`, `live`.
  public var source: String
  /// Whether it has a valid format.
  public var isValid: Bool
  /// Notes of a person, and what to check.
  public var notes: String?
  /// The job that read it.
  public var jobId: String?
  /// The photo's file name.
  public var filename: String?
  /// How far it may be trusted.
  public var verdict: Verdict?
  /// When a person confirmed it.
  public var confirmedAt: Date?
  /// When the same serial was last read before.
  public var seenBefore: Date?
  /// What stands beside it, by name as in ``SerialResult/fields``.
  public var fields: [String: SerialField]?
  /// What the serial says of its device.
  public var meaning: SerialMeaning?
}
