import Foundation

/// The delivery of a job's result to its `callbackURL`.
public struct Webhook: Sendable, Codable, Equatable, Identifiable {
  /// The state of a delivery.
  public struct Status: RawRepresentable, Hashable, Sendable, Codable {
    /// The state's name.
    public var rawValue: String
    /// Creates a state from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sent at ``Webhook/nextAttemptAt``.
    public static let waiting = Status(rawValue: "waiting")
    /// Received.
    public static let delivered = Status(rawValue: "delivered")
    /// Given up after all attempts.
    public static let failed = Status(rawValue: "failed")
  }

  /// The job's id.
  public var jobId: String
  /// The address; only the host for keys other than the one that gave it.
  public var url: String
  /// The state.
  public var status: Status
  /// Number of attempts so far.
  public var attempts: Int
  /// When the job ended.
  public var createdAt: Date
  /// When the state last changed.
  public var updatedAt: Date
  /// When it is sent next; nil once it is delivered or has failed.
  public var nextAttemptAt: Date?
  /// The HTTP status of the latest attempt; nil without a response.
  public var lastStatus: Int?
  /// Why the latest attempt failed.
  public var lastError: String?

  /// The job's id.
  public var id: String { jobId }
}

/// A page of webhooks.
public struct WebhookPage: ListPage, Codable, Equatable {
  /// The webhooks.
  public var items: [Webhook]
  /// The cursor of the next page; nil on the last one.
  public var nextCursor: String?
}
