import Foundation
import ScanModel

/// The counts of a batch.
///
/// Each photo counts in one of the five states, so `photos` is their sum. A photo that was sent again
/// (`Job.duplicateOf`) is the same photo: once read, it counts in `duplicates` only.
public struct BatchTally: Sendable, Equatable {
  /// Photos that wait or are being read.
  public var waiting: Int
  /// Photos with an accepted read that nobody has confirmed.
  public var accepted: Int
  /// Photos with an uncertain read that nobody has confirmed or reviewed.
  public var needsReview: Int
  /// Photos without a serial that nobody has confirmed, including those that could not be read, and reviewed photos.
  public var noSerial: Int
  /// Photos whose serial a person has confirmed, whatever was read.
  public var confirmed: Int
  /// Photos sent again, and saved serials of the batch that repeat one of its other saved serials.
  public var duplicates: Int
  /// Different serials saved in the batch.
  public var devices: Int

  /// Different photos sent into the batch. Photos whose jobs retention has deleted still count; deleted ones do not.
  public var photos: Int { waiting + accepted + needsReview + noSerial + confirmed }

  /// Creates a tally; empty by default.
  public init(
    waiting: Int = 0, accepted: Int = 0, needsReview: Int = 0, noSerial: Int = 0, confirmed: Int = 0,
    duplicates: Int = 0, devices: Int = 0
  ) {
    self.waiting = waiting
    self.accepted = accepted
    self.needsReview = needsReview
    self.noSerial = noSerial
    self.confirmed = confirmed
    self.duplicates = duplicates
    self.devices = devices
  }
}

/// A named group of photos and serials that several people and devices scan into.
public struct Batch: Sendable, Equatable, Identifiable {
  /// The batch's id, a lower-case UUID.
  public var id: String
  /// The name. Two open batches never share one, ignoring case.
  public var name: String
  /// When it was created.
  public var createdAt: Date
  /// When it was ended; nil while it is open.
  public var endedAt: Date?
  /// The key that created it; nil if the server required none.
  public var keyID: String?
  /// Its counts when it was fetched.
  public var tally: BatchTally

  /// Creates a batch.
  public init(
    id: String, name: String, createdAt: Date, endedAt: Date? = nil, keyID: String? = nil,
    tally: BatchTally = BatchTally()
  ) {
    self.id = id
    self.name = name
    self.createdAt = createdAt
    self.endedAt = endedAt
    self.keyID = keyID
    self.tally = tally
  }
}

/// Changes to a batch; nil leaves a value unchanged.
public struct BatchChange: Sendable, Equatable {
  /// The name.
  public var name: String?
  /// Whether the batch has ended. Ending an ended batch keeps the time of its end.
  public var isEnded: Bool?

  /// Creates a change.
  public init(name: String? = nil, isEnded: Bool? = nil) { (self.name, self.isEnded) = (name, isEnded) }
}

/// Errors of batches.
public enum BatchError: Error, Equatable, Sendable {
  /// No batch has this id.
  case notFound(id: String)
  /// The batch has ended and accepts nothing more.
  case ended(name: String)
  /// Another open batch has this name.
  case nameTaken(String)
}

/// Stores batches. `JobStore.enqueue` and `SerialStore.save` throw `BatchError` if the batch has ended or does not
/// exist.
public protocol BatchStore: Sendable {
  /// Creates an open batch. Calling this again with the same id returns the same batch. Throws `BatchError.nameTaken`.
  func addBatch(id: String, name: String, keyID: String?) async throws -> Batch

  /// Returns the batch with this id and its current counts; nil if it does not exist.
  func batch(id: String) async throws -> Batch?

  /// Whether a batch with this id exists. Counts nothing.
  func hasBatch(id: String) async throws -> Bool

  /// Lists open or ended batches, or both, latest first. Throws `InvalidCursor`.
  func batches(areOpen: Bool?, limit: Int, cursor: String?) async throws -> Page<Batch>

  /// Changes a batch; returns nil if it does not exist. Throws `BatchError.nameTaken`.
  ///
  /// Once an end is durable, nothing more is added to the batch.
  func changeBatch(id: String, _ change: BatchChange) async throws -> Batch?

  /// Deletes a batch; returns whether it existed. Its jobs and serials stay, without a batch.
  func deleteBatch(id: String) async throws -> Bool
}
