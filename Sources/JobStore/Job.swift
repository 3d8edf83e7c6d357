import Foundation
import ScanModel

/// A job as the store knows it.
public struct Job: Codable, Sendable, Equatable, Identifiable {
  /// Where a job stands; `docs/architecture.md` draws the transitions.
  public enum State: String, Codable, Sendable, CaseIterable {
    /// Waits for a worker.
    case queued
    /// A worker holds a lease on it.
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
  /// Where it stands.
  public var state: State
  /// 0...100; never goes back, 100 at the end.
  public var progress: Int
  /// What is being done, for a person.
  public var message: String
  /// Higher goes first; within a priority the older job.
  public var priority: Int
  /// Attempts begun so far.
  public var attempts: Int
  /// When it was accepted.
  public var createdAt: Date
  /// When it last changed.
  public var updatedAt: Date
  /// What the client asked.
  public var request: JobRequest
  /// What was read; nil until the end, and where it failed before reading.
  public var reading: Reading?
  /// Why it failed; nil otherwise.
  public var error: JobError?
  /// Whether a serial of it is in the table of serials.
  public var savedToDatabase: Bool
  /// What a person said the serial is; nil where nobody did.
  public var confirmedSerial: String?

  /// What was made of the photo; nil before the end, and refused where nothing could be read.
  public var verdict: Reading.Verdict? { state.isEnd ? reading?.verdict ?? .refused : nil }

  /// Creates a job value.
  public init(
    id: String, state: State, progress: Int, message: String, priority: Int, attempts: Int, createdAt: Date,
    updatedAt: Date, request: JobRequest, reading: Reading?, error: JobError?, savedToDatabase: Bool,
    confirmedSerial: String? = nil
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
  }
}

/// What a client asked for with a photo.
public struct JobRequest: Codable, Sendable, Equatable {
  /// The name of the photo's blob.
  public var photo: String
  /// The file's name as the client gave it, without a path; nil where it gave none.
  public var filename: String?
  /// Bytes of the photo.
  public var photoBytes: Int
  /// The preset to read with, given or implied by the device type; nil where the picture decides.
  public var preset: Preset?
  /// The device type as the client wrote it.
  public var deviceType: String?
  /// Whether a good read goes into the table of serials.
  public var persist: Bool
  /// Whether to draw the reads into a picture that the client can fetch.
  public var annotate: Bool
  /// The part of the photo that is read; nil for all of it.
  public var part: PhotoPart?
  /// Whether every serial is read, in place of the device's one.
  public var everySerial: Bool
  /// Where it came from.
  public var origin: Origin

  /// Creates a request.
  public init(
    photo: String, photoBytes: Int, preset: Preset?, deviceType: String?, persist: Bool = true, annotate: Bool = false,
    filename: String? = nil, part: PhotoPart? = nil, everySerial: Bool = false, origin: Origin = Origin()
  ) {
    self.photo = photo
    self.filename = filename
    self.photoBytes = photoBytes
    self.preset = preset
    self.deviceType = deviceType
    self.persist = persist
    self.annotate = annotate
    self.part = part
    self.everySerial = everySerial
    self.origin = origin
  }
}

/// Why a job failed, as a client sees it.
public struct JobError: Error, Codable, Sendable, Equatable {
  /// The `error_code` of the wire contract.
  public var code: ErrorCode
  /// A sentence for a person.
  public var detail: String

  /// Creates an error.
  public init(code: ErrorCode, detail: String) {
    self.code = code
    self.detail = detail
  }
}
