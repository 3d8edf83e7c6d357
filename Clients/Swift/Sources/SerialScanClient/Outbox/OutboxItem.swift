import Foundation

/// A photo in an ``Outbox``.
public struct OutboxItem: Sendable, Identifiable, Codable, Equatable {
  /// A photo's state.
  public enum State: Sendable, Codable, Equatable {
    /// Waiting for its turn, the connection, or the pause after a failure.
    case waiting
    /// Being sent.
    case sending
    /// Stored by the server; ``SerialScanClient/job(id:)`` returns its job.
    case sent(jobId: String)
    /// Can't be sent. The photo stays until it is removed or retried.
    case refused(errorCode: ErrorCode, detail: String)
  }

  /// The photo's id, which is also its Idempotency-Key.
  public let id: UUID
  /// The photo's file name.
  public let filename: String
  /// The photo's size in bytes.
  public let byteCount: Int
  /// When it was added.
  public let addedAt: Date
  /// The photo's state.
  public internal(set) var state: State
  /// Number of attempts to which the server responded with an error.
  public internal(set) var failures: Int
  /// Why the last attempt failed; nil if it did not.
  public internal(set) var problem: String?
  let options: ScanOptions
  /// The position in the order.
  let number: Int

  /// Whether the photo has yet to be sent.
  var isDue: Bool { state == .waiting || state == .sending }

  /// Whether the server has stored the photo.
  public var isSent: Bool { if case .sent = state { true } else { false } }
}
