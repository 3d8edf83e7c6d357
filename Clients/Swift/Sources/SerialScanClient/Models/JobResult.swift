import Foundation

/// A job and what was read.
public struct JobResult: Sendable, Codable, Equatable {
  /// The job's id.
  public var jobId: String
  /// How the job stands.
  public var status: JobStatus
  /// 0 to 100; never decreases.
  public var progress: Int
  /// The state, for a person.
  public var message: String
  /// When the photo was stored.
  public var createdAt: Date
  /// When the state last changed.
  public var updatedAt: Date
  /// The photo's file name as it was sent.
  public var filename: String?
  /// The device type as it was sent.
  public var deviceType: String?
  /// How far the result may be trusted; nil before the end.
  public var verdict: Verdict?
  /// What a person confirmed.
  public var confirmedSerial: String?
  /// When the same serial was last read before.
  public var seenBefore: Date?
  /// Why no serial was read, for a person.
  public var error: String?
  /// Why no serial was read, for programs.
  public var errorCode: ErrorCode?
  /// What was read; nil before the end and without a serial.
  public var results: ScanResults?
  /// What was tried in vain.
  public var refusal: Refusal?

  /// The serial that a person confirmed, else the best one that was read.
  public var serial: String? { confirmedSerial ?? results?.topResult.serial }

  /// The failure as an error, to show what to do about it; nil unless the job failed.
  public var failure: SerialScanError? {
    guard status == .failed else { return nil }
    var failure = SerialScanError(errorCode ?? .noTextDetected, error ?? message)
    failure.jobId = jobId
    return failure
  }
}

/// The serials of a photo.
public struct ScanResults: Sendable, Codable, Equatable {
  /// Every serial, the best first.
  public var serials: [SerialResult]
  /// The best one.
  public var topResult: TopResult
  /// The number of serials.
  public var totalDetected: Int
  /// Seconds of reading.
  public var processingTime: Double
  /// Whether the first strategy failed.
  public var fallbackUsed: Bool
  /// The strategy that read the best serial.
  public var strategyUsed: String
  /// Whether the best serial was saved.
  public var savedToDatabase: Bool
  /// How far the result may be trusted.
  public var verdict: Verdict?
  /// The preset it was read with.
  public var preset: String?
  /// Whether the preset was detected.
  public var presetWasDetected: Bool?
  /// The photo's width in pixels.
  public var photoWidth: Int?
  /// The photo's height in pixels.
  public var photoHeight: Int?
  /// What to check, for a person.
  public var notes: [String]?
  /// What was read and belongs to none of the serials, by name as in ``SerialResult/fields``.
  public var fields: [String: SerialField]?
  /// Reads that were too unsure.
  public var refused: [SerialResult]?
  /// What was tried, in order.
  public var trace: [StrategyTrace]?
}

/// The best serial of a photo.
public struct TopResult: Sendable, Codable, Equatable {
  /// The serial.
  public var serial: String
  /// Its confidence, 0 to 1.
  public var confidence: Double
}

/// A serial as it was read.
public struct SerialResult: Sendable, Codable, Equatable {
  /// The serial.
  public var serial: String
  /// Its confidence, 0 to 1.
  public var confidence: Double
  /// What read it, such as `barcode`.
  public var method: String
  /// The number of the place in the photo.
  public var roiIndex: Int?
  /// The strategy that read it.
  public var strategy: String?
  /// Whether it has a valid format.
  public var isValid: Bool?
  /// How far it may be trusted; of servers that read every serial.
  public var verdict: Verdict?
  /// Its four corners `[x, y]` in pixels of the photo as it was sent.
  public var region: [[Double]]?
  /// The label beside it, such as `Serial No.`.
  public var label: String?
  /// Other places that say the same, as ``region``.
  public var places: [[[Double]]]?
  /// What stands beside it by name: `model_number`, `emc`, `part_number`, `model_identifier`, `imei`, `imei2`, `meid`, `eid`,
  /// `iccid`, `wifi_address`, `bluetooth_address`, `upc`, `capacity`, `color`, `os_version`.
  public var fields: [String: SerialField]?
  /// What the serial says of its device.
  public var meaning: SerialMeaning?
  /// Each character with its alternatives; nil for codes.
  public var characters: [CharacterResult]?
  /// Why it is not accepted, the gravest first.
  public var doubts: [Doubt]?
}

/// What stands beside a serial.
public struct SerialField: Sendable, Codable, Equatable {
  /// As it was read.
  public var text: String
  /// Its confidence, 0 to 1.
  public var confidence: Double?
  /// Its four corners `[x, y]` in pixels of the photo as it was sent.
  public var region: [[Double]]?
  /// Whether its check digit is right; nil if it has none.
  public var check: Bool?
}

/// What a serial says of its device.
public struct SerialMeaning: Sendable, Codable, Equatable {
  /// The years in which it may have been made.
  public var years: [Int]?
  /// The week of the year.
  public var week: Int?
  /// The plant's code.
  public var plant: String?
  /// The code of the exact product.
  public var configurationCode: String?
  /// The product's name.
  public var modelName: String?
}

/// A character of a serial.
public struct CharacterResult: Sendable, Codable, Equatable {
  /// The character.
  public var character: String
  /// Its own confidence, 0 to 1.
  public var confidence: Double
  /// What else it may be; nil for an alternative.
  public var alternatives: [CharacterResult]?
}

/// A reason not to accept a serial.
public struct Doubt: Sendable, Codable, Equatable {
  /// The reason, for programs.
  public var code: String
  /// The reason, for a person.
  public var sentence: String
}

/// A strategy that was tried.
public struct StrategyTrace: Sendable, Codable, Equatable {
  /// Its name.
  public var strategy: String
  /// Seconds it took.
  public var seconds: Double
  /// What it found, for a person.
  public var outcome: String
  /// The best serial it saw.
  public var serial: String?
  /// That serial's confidence.
  public var confidence: Double?
}

/// What was tried on a photo without a serial.
public struct Refusal: Sendable, Codable, Equatable {
  /// Reads that were too unsure.
  public var refused: [SerialResult]?
  /// What was read beside no serial, by name as in ``SerialResult/fields``.
  public var fields: [String: SerialField]?
  /// Seconds of reading.
  public var processingTime: Double
  /// The preset it was read with.
  public var preset: String
  /// Whether the preset was detected.
  public var presetWasDetected: Bool
  /// The photo's width in pixels.
  public var photoWidth: Int
  /// The photo's height in pixels.
  public var photoHeight: Int
  /// What to check, for a person.
  public var notes: [String]
  /// What was tried, in order.
  public var trace: [StrategyTrace]
}
