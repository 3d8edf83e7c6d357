import Foundation

/// A job and its result.
public struct JobResult: Sendable, Codable, Equatable {
  /// The job's id.
  public var jobId: String
  /// The job's state.
  public var status: JobStatus
  /// 0 to 100; never decreases.
  public var progress: Int
  /// The current step, as text for people.
  public var message: String
  /// When the photo was stored.
  public var createdAt: Date
  /// When the state last changed.
  public var updatedAt: Date
  /// The photo's file name as sent.
  public var filename: String?
  /// The device type as sent.
  public var deviceType: String?
  /// How reliable the result is; nil before the end.
  public var verdict: Verdict?
  /// The serial that a person confirmed.
  public var confirmedSerial: String?
  /// A person's decision about a photo without a saved serial.
  public var review: Review?
  /// When the same serial was last read before this job.
  public var seenBefore: Date?
  /// The job that read the same photo first.
  public var duplicateOf: String?
  /// Values of custom fields from codes in the photo.
  public var custom: [String: String]?
  /// The batch it belongs to.
  public var batchId: String?
  /// The path of the photo's thumbnail.
  public var thumbnailUrl: String?
  /// Why no serial was read, as text for people.
  public var error: String?
  /// Why no serial was read, as a code for programs.
  public var errorCode: ErrorCode?
  /// What plainly kept the photo from being read; nil if nothing did.
  public var flaw: PhotoFlaw?
  /// The serials; nil before the end and if none was read.
  public var results: ScanResults?
  /// The strategies tried, if no serial was read.
  public var refusal: Refusal?

  /// The serial that a person confirmed, otherwise the best one read.
  public var serial: String? { confirmedSerial ?? results?.topResult.serial }

  /// The failure as an error that says what to do; nil unless the job failed.
  public var failure: SerialScanError? {
    guard status == .failed else { return nil }
    var failure = SerialScanError(errorCode ?? .noTextDetected, error ?? message)
    (failure.jobId, failure.flaw) = (jobId, flaw)
    if flaw == nil { failure.insteadOfSerial = refusal?.insteadOfSerial }
    return failure
  }
}

/// The serials read in a photo.
public struct ScanResults: Sendable, Codable, Equatable {
  /// Every serial, best first.
  public var serials: [SerialResult]
  /// The best serial.
  public var topResult: TopResult
  /// The number of serials.
  public var totalDetected: Int
  /// Reading time in seconds.
  public var processingTime: Double
  /// Whether the first strategy failed.
  public var fallbackUsed: Bool
  /// The strategy that read the best serial.
  public var strategyUsed: String
  /// Whether the best serial was saved.
  public var savedToDatabase: Bool
  /// How reliable the result is.
  public var verdict: Verdict?
  /// The preset it was read with.
  public var preset: String?
  /// Whether the preset was detected automatically.
  public var presetWasDetected: Bool?
  /// The photo's width in pixels.
  public var photoWidth: Int?
  /// The photo's height in pixels.
  public var photoHeight: Int?
  /// What to check, as text for people.
  public var notes: [String]?
  /// Fields that belong to none of the serials, by name as in ``SerialResult/fields``.
  public var fields: [String: SerialField]?
  /// Rejected reads.
  public var refused: [SerialResult]?
  /// The strategies tried, in order.
  public var trace: [StrategyTrace]?
}

/// The best serial of a photo.
public struct TopResult: Sendable, Codable, Equatable {
  /// The serial.
  public var serial: String
  /// Confidence, 0 to 1.
  public var confidence: Double
}

/// A serial as read.
public struct SerialResult: Sendable, Codable, Equatable {
  /// The serial.
  public var serial: String
  /// Confidence, 0 to 1.
  public var confidence: Double
  /// The method that read it, such as `barcode`.
  public var method: String
  /// The index of its place in the photo.
  public var roiIndex: Int?
  /// The strategy that read it.
  public var strategy: String?
  /// Whether it has a valid format.
  public var isValid: Bool?
  /// How reliable it is; only from servers that read every serial.
  public var verdict: Verdict?
  /// Its four corners `[x, y]` in pixels of the photo as sent.
  public var region: [[Double]]?
  /// The label beside it, such as `Serial No.`.
  public var label: String?
  /// Other places with the same serial, in the format of ``region``.
  public var places: [[[Double]]]?
  /// Fields beside it by name: `model_number`, `emc`, `part_number`, `model_identifier`, `imei`, `imei2`, `meid`,
  /// `eid`, `iccid`, `wifi_address`, `bluetooth_address`, `upc`, `capacity`, `color`, `os_version`.
  public var fields: [String: SerialField]?
  /// What the serial reveals about its device.
  public var meaning: SerialMeaning?
  /// Its characters with alternatives; nil for barcodes.
  public var characters: [CharacterResult]?
  /// Reasons why it is not accepted, most severe first.
  public var doubts: [Doubt]?
}

/// A field printed beside a serial.
public struct SerialField: Sendable, Codable, Equatable {
  /// Its text as read.
  public var text: String
  /// Confidence, 0 to 1.
  public var confidence: Double?
  /// Its four corners `[x, y]` in pixels of the photo as sent.
  public var region: [[Double]]?
  /// Whether its check digit is valid; nil if it has none.
  public var check: Bool?
}

/// What a serial reveals about its device.
public struct SerialMeaning: Sendable, Codable, Equatable {
  /// The possible years of manufacture.
  public var years: [Int]?
  /// The week of manufacture.
  public var week: Int?
  /// The plant code.
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
  /// Confidence of this character, 0 to 1.
  public var confidence: Double
  /// Its alternatives; nil for an alternative itself.
  public var alternatives: [CharacterResult]?
}

/// A reason not to accept a serial.
public struct Doubt: Sendable, Codable, Equatable {
  /// A code for programs.
  public var code: String
  /// A sentence for people.
  public var sentence: String
}

/// A strategy that was tried.
public struct StrategyTrace: Sendable, Codable, Equatable {
  /// The strategy's name.
  public var strategy: String
  /// Duration in seconds.
  public var seconds: Double
  /// The result, as text for people.
  public var outcome: String
  /// The best serial it found.
  public var serial: String?
  /// That serial's confidence.
  public var confidence: Double?
}

/// The strategies tried on a photo without an accepted serial, and their reads.
public struct Refusal: Sendable, Codable, Equatable {
  /// Rejected reads.
  public var refused: [SerialResult]?
  /// Fields that belong to no serial, by name as in ``SerialResult/fields``.
  public var fields: [String: SerialField]?
  /// Reading time in seconds.
  public var processingTime: Double
  /// The preset it was read with.
  public var preset: String
  /// Whether the preset was detected automatically.
  public var presetWasDetected: Bool
  /// The photo's width in pixels.
  public var photoWidth: Int
  /// The photo's height in pixels.
  public var photoHeight: Int
  /// What to check, as text for people.
  public var notes: [String]
  /// The strategies tried, in order.
  public var trace: [StrategyTrace]

  /// The codes of doubts that say what a read is instead of a device's serial.
  private static let others: Set = ["other_maker", "part", "placeholder"]

  /// What the most probable rejected read is instead of a device's serial, as a doubt's code; nil if nothing says so.
  var insteadOfSerial: String? {
    refused?.lazy.flatMap { $0.doubts ?? [] }.map(\.code).first(where: Self.others.contains)
  }
}
