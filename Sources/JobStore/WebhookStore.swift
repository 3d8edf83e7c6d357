import Foundation

/// A notification of a job's end, to be sent to the URL its client gave. A job has at most one, identified by the job's
/// id.
public struct Webhook: Sendable, Equatable {
  /// A webhook's state.
  public enum State: String, Codable, Sendable, CaseIterable {
    /// Due now or later, or being attempted.
    case waiting
    /// The receiver answered with a 2xx status.
    case delivered
    /// Given up. `retryWebhook` restarts the attempts.
    case failed
  }

  /// The job whose end is reported.
  public var jobID: String
  /// The receiver's URL.
  public var url: String
  /// The key that sent the photo; nil if the server required none.
  public var keyID: String?
  /// The webhook's state.
  public var state: State
  /// Number of attempts started.
  public var attempts: Int
  /// When the job ended.
  public var createdAt: Date
  /// When the webhook last changed.
  public var updatedAt: Date
  /// When the next attempt is due; nil unless it waits.
  public var nextAttemptAt: Date?
  /// The HTTP status of the latest attempt; nil if it got no response.
  public var status: Int?
  /// Why the latest attempt failed, as text for people; nil if it did not.
  public var error: String?

  /// Creates a webhook.
  public init(
    jobID: String, url: String, keyID: String?, state: State, attempts: Int, createdAt: Date, updatedAt: Date,
    nextAttemptAt: Date?, status: Int?, error: String?
  ) {
    self.jobID = jobID
    self.url = url
    self.keyID = keyID
    self.state = state
    self.attempts = attempts
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.nextAttemptAt = nextAttemptAt
    self.status = status
    self.error = error
  }
}

/// A webhook and the proof that a worker holds it.
public struct ClaimedWebhook: Sendable, Equatable {
  /// The webhook.
  public var webhook: Webhook
  /// Random, new with every claim.
  public var token: String

  /// Creates the pair.
  public init(webhook: Webhook, token: String) {
    self.webhook = webhook
    self.token = token
  }
}

/// The result of an attempt.
public enum WebhookOutcome: Sendable, Equatable {
  /// The receiver accepted it with this HTTP status.
  case delivered(status: Int)
  /// The attempt failed. It is repeated after `delay` seconds or `period` seconds after the first attempt, whichever is
  /// earlier; after that time the webhook has failed.
  case failed(WebhookFailure, delay: TimeInterval, period: TimeInterval)
  /// The webhook failed permanently; further attempts would not help.
  case refused(WebhookFailure)
  /// The server stopped during the attempt: it is due again immediately, and the attempt does not count.
  case interrupted
}

/// Why an attempt failed.
public struct WebhookFailure: Sendable, Equatable {
  /// The HTTP status; nil without a response.
  public var status: Int?
  /// A sentence for people.
  public var reason: String

  /// Creates a failure.
  public init(status: Int? = nil, _ reason: String) {
    self.status = status
    self.reason = reason
  }
}

/// Conditions on webhooks. All must hold.
public struct WebhookFilter: Sendable, Equatable {
  /// The state.
  public var state: Webhook.State?
  /// The key that sent the photo.
  public var keyID: String?

  /// Creates a filter. Without conditions it matches every webhook.
  public init(state: Webhook.State? = nil, keyID: String? = nil) {
    self.state = state
    self.keyID = keyID
  }
}

/// The durable queue of webhooks.
///
/// The transaction that ends a job whose `NewJob.callbackURL` is set adds its webhook; deleting the job deletes it.
public protocol WebhookStore: Sendable {
  /// Claims at most `limit` webhooks, the longest due first.
  ///
  /// Leaves out those whose URL is one of `places` (such as `https://hooks.example.com`) with or without a path and a
  /// query, as they are spelled.
  ///
  /// Only one holder attempts a webhook at a time: until `lease` seconds have passed, the outcome is recorded, or the
  /// holder's process has died.
  func claimWebhooks(limit: Int, lease: TimeInterval, notAt places: [String]) async throws -> [ClaimedWebhook]

  /// Records the outcome of an attempt.
  ///
  /// Throws `StoreError.claimLost` if the token no longer holds the webhook: its lease expired, or its job was deleted.
  func endWebhook(_ claim: ClaimedWebhook, with outcome: WebhookOutcome) async throws

  /// Returns the job's webhook; nil if it has none.
  func webhook(jobID: String) async throws -> Webhook?

  /// Lists the webhooks that match a filter, latest first. Throws `InvalidCursor`.
  func webhooks(_ filter: WebhookFilter, limit: Int, cursor: String?) async throws -> Page<Webhook>

  /// Makes a webhook in any state due now, with the full period for its attempts.
  ///
  /// Returns the webhook after the call; nil if the job has none.
  func retryWebhook(jobID: String) async throws -> Webhook?

  /// Counts the waiting and the failed webhooks.
  func webhookCounts() async throws -> [Webhook.State: Int]
}

extension WebhookStore {
  /// Claims at most `limit` webhooks of any receiver, the longest due first.
  public func claimWebhooks(limit: Int, lease: TimeInterval) async throws -> [ClaimedWebhook] {
    try await claimWebhooks(limit: limit, lease: lease, notAt: [])
  }
}
