import Foundation
import ScanModel

/// A job as stored.
public struct Job: Sendable, Equatable, Identifiable {
  /// A job's state; `docs/architecture.md` shows the transitions.
  public enum State: String, Codable, Sendable, CaseIterable {
    /// Waiting for a worker.
    case queued
    /// Leased by a worker.
    case processing
    /// Ended with at least one serial.
    case completed
    /// Ended without a serial, or with an error.
    case failed

    /// Whether the job has ended.
    public var isEnd: Bool { self == .completed || self == .failed }
  }

  /// The job's id, a lower-case UUID.
  public var id: String
  /// The job's state.
  public var state: State
  /// Progress, 0...100. Never decreases; 100 at the end.
  public var progress: Int
  /// The current step, as text for people.
  public var message: String
  /// Priority. Jobs of higher priority run first; within a priority, older jobs do.
  public var priority: Int
  /// Number of attempts started.
  public var attempts: Int
  /// When it was accepted.
  public var createdAt: Date
  /// When it last changed.
  public var updatedAt: Date
  /// What the client requested.
  public var request: JobRequest
  /// The reading; nil until the job ends, and if it failed before reading.
  public var reading: Reading?
  /// Why it failed; nil otherwise.
  public var error: JobError?
  /// Whether a serial of this job is saved in the table of serials.
  public var savedToDatabase: Bool
  /// The serial that a person confirmed; nil if nobody did.
  public var confirmedSerial: String?
  /// The job of the same key and batch that read the same part of the same photo first; nil if there is none, and before
  /// the end.
  public var duplicateOf: String?
  /// Whether the photo still exists: retention has not deleted it.
  public var hasPhoto: Bool
  /// Whether there is a thumbnail of the photo.
  public var hasThumbnail: Bool
  /// A person's decision about a photo without a saved serial; nil if there is none.
  public var review: Review?

  /// The photo's verdict; nil before the end, `refused` if nothing could be read.
  public var verdict: Reading.Verdict? { state.isEnd ? reading?.verdict ?? .refused : nil }

  /// Creates a job.
  public init(
    id: String, state: State, progress: Int, message: String, priority: Int, attempts: Int, createdAt: Date,
    updatedAt: Date, request: JobRequest, reading: Reading?, error: JobError?, savedToDatabase: Bool,
    confirmedSerial: String? = nil, duplicateOf: String? = nil, hasPhoto: Bool = true, hasThumbnail: Bool = false,
    review: Review? = nil
  ) {
    self.id = id
    self.state = state
    self.progress = progress
    self.message = message
    self.priority = priority
    self.attempts = attempts
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.request = request
    self.reading = reading
    self.error = error
    self.savedToDatabase = savedToDatabase
    self.confirmedSerial = confirmedSerial
    self.duplicateOf = duplicateOf
    (self.hasPhoto, self.hasThumbnail) = (hasPhoto, hasThumbnail)
    self.review = review
  }
}

/// The client's request for a photo.
public struct JobRequest: Sendable, Equatable {
  /// The name of the photo's blob.
  public var photo: String
  /// The file name that the client sent, without a path; nil if it sent none.
  public var filename: String?
  /// Size of the photo in bytes.
  public var photoBytes: Int
  /// The preset to read with, given or implied by the device type; nil to auto-detect.
  public var preset: Preset?
  /// The device type as the client sent it; nil if it sent none, or only blanks.
  @DeviceTypeText public var deviceType: String?
  /// Whether an accepted read is saved in the table of serials.
  public var persist: Bool
  /// The confidence below which no read is saved, 0...1; nil for none.
  public var minConfidence: Double?
  /// Whether to produce an annotated picture that the client can fetch.
  public var annotate: Bool
  /// The region of the photo to read; nil for the whole photo.
  public var part: PhotoPart?
  /// Whether to read every serial instead of only the device's own.
  public var everySerial: Bool
  /// The batch it belongs to, or nil.
  public var batchID: String?
  /// The key and request it came from.
  public var origin: Origin

  /// Creates a request.
  public init(
    photo: String, photoBytes: Int, preset: Preset?, deviceType: String?, persist: Bool = true, annotate: Bool = false,
    filename: String? = nil, part: PhotoPart? = nil, everySerial: Bool = false, batchID: String? = nil,
    origin: Origin = Origin(), minConfidence: Double? = nil
  ) {
    self.photo = photo
    self.filename = filename
    self.photoBytes = photoBytes
    self.preset = preset
    self.deviceType = deviceType
    self.persist = persist
    self.minConfidence = minConfidence
    self.annotate = annotate
    self.part = part
    self.everySerial = everySerial
    self.batchID = batchID
    self.origin = origin
    if self.deviceType?.isEmpty == true { self.deviceType = nil }
  }
}

/// Why a job failed, as reported to clients.
public struct JobError: Error, Codable, Sendable, Equatable {
  /// The `error_code` of the API.
  public var code: ErrorCode
  /// A sentence for people.
  public var detail: String

  /// Creates an error.
  public init(code: ErrorCode, detail: String) {
    self.code = code
    self.detail = detail
  }
}
