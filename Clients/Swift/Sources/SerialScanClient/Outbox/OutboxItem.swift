import Foundation

/// A photo in an ``Outbox``.
public struct OutboxItem: Sendable, Identifiable, Codable, Equatable {
  /// Where a photo stands.
  public enum State: Sendable, Codable, Equatable {
    /// It waits for its turn, the connection, or the pause after a failure.
    case waiting
    /// It is being sent.
    case sending
    /// The server has stored it; ``SerialScanClient/job(id:)`` leads to its result.
    case sent(jobId: String)
    /// It can't be sent, and stays until it is removed or retried.
    case refused(errorCode: ErrorCode, detail: String)
  }

  /// The photo's id, which is its Idempotency-Key too.
  public let id: UUID
  /// The photo's file name.
  public let filename: String
  /// The photo's size.
  public let byteCount: Int
  /// When it was added.
  public let addedAt: Date
  /// Where it stands.
  public internal(set) var state: State
  /// Attempts that the server answered with an error.
  public internal(set) var failures: Int
  /// Why the last attempt failed; nil if it did not.
  public internal(set) var problem: String?
  let options: ScanOptions
  /// The place in the order.
  let number: Int

  /// Whether the photo is still to be sent.
  var isDue: Bool { state == .waiting || state == .sending }

  /// Whether the server has stored the photo.
  public var isSent: Bool { if case .sent = state { true } else { false } }
}
