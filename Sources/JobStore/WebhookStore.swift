import Foundation

/// The end of a job on its way to the address that its client named. A job has at most one, so the job's id is its id.
public struct Webhook: Sendable, Equatable {
  /// Where a webhook stands.
  public enum State: String, Codable, Sendable, CaseIterable {
    /// Due now or later, or being attempted.
    case waiting
    /// The receiver answered with a 2xx status.
    case delivered
    /// Given up. `retryWebhook` begins anew.
    case failed
  }

  /// The job whose end is sent.
  public var jobID: String
  /// Where it is sent.
  public var url: String
  /// The key that sent the photo; nil where the server was open.
  public var keyID: String?
  /// Where it stands.
  public var state: State
  /// Attempts begun.
  public var attempts: Int
  /// When the job ended.
  public var createdAt: Date
  /// When the webhook last changed.
  public var updatedAt: Date
  /// When it is attempted next; nil unless it waits.
  public var nextAttemptAt: Date?
  /// The status of the latest answer; nil where the latest attempt brought none.
  public var status: Int?
  /// Why the latest attempt failed, for a person; nil where it did not.
  public var error: String?

  /// Creates a webhook value.
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

/// A webhook and the proof that somebody attempts it.
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

/// What came of an attempt.
public enum WebhookOutcome: Sendable, Equatable {
  /// The receiver took it, with this status.
  case delivered(status: Int)
  /// It is attempted again `delay` seconds from now, or at the end of `period` seconds since it was first attempted, the
  /// earlier of both; after that time it has failed.
  case failed(WebhookFailure, delay: TimeInterval, period: TimeInterval)
  /// It has failed, and no further attempt would help.
  case refused(WebhookFailure)
  /// The attempt was broken off by a server that stops: due at once, and not counted.
  case interrupted
}

/// Why an attempt failed.
public struct WebhookFailure: Sendable, Equatable {
  /// The status of the answer; nil where there was none.
  public var status: Int?
  /// A sentence for a person.
  public var reason: String

  /// Creates a failure.
  public init(status: Int? = nil, _ reason: String) {
    self.status = status
    self.reason = reason
  }
}

/// Which webhooks are wanted. All conditions hold together.
public struct WebhookFilter: Sendable, Equatable {
  /// Where it stands.
  public var state: Webhook.State?
  /// The key that sent the photo.
  public var keyID: String?

  /// Creates a filter; without conditions it lets everything through.
  public init(state: Webhook.State? = nil, keyID: String? = nil) {
    self.state = state
    self.keyID = keyID
  }
}

/// The durable queue of webhooks. The transaction that ends a job whose `NewJob.callbackURL` is set adds its webhook; whoever
/// deletes the job deletes it too.
public protocol WebhookStore: Sendable {
  /// Claims at most `limit` webhooks that are due, the longest due first. Each is attempted by one holder at a time: until
  /// `lease` seconds have passed, its outcome is known, or the process of its holder is gone.
  func claimWebhooks(limit: Int, lease: TimeInterval) async throws -> [ClaimedWebhook]

  /// Records what came of an attempt. Throws `StoreError.claimLost` where the token no longer holds the webhook: its lease
  /// ran out, or its job was deleted.
  func endWebhook(_ claim: ClaimedWebhook, with outcome: WebhookOutcome) async throws

  /// The webhook of this job, or nil.
  func webhook(jobID: String) async throws -> Webhook?

  /// The webhooks that a filter lets through, latest first. Throws `InvalidCursor`.
  func webhooks(_ filter: WebhookFilter, limit: Int, cursor: String?) async throws -> Page<Webhook>

  /// Makes a webhook due now, whatever its state, with the full period for its attempts. Returns it as it stands then; nil
  /// where the job has none.
  func retryWebhook(jobID: String) async throws -> Webhook?

  /// How many webhooks wait, and how many failed.
  func webhookCounts() async throws -> [Webhook.State: Int]
}
