import Foundation
import JobStore
import Logging
import ServiceLifecycle
import Settings
import Support

/// Sends the results of finished jobs to their receivers, from the store's durable queue, until the service is stopped.
///
/// Each webhook is sent at least once. A receiver recognizes repetitions by `webhook-id`, which is the job's id. If the
/// process dies, its attempts are due again at once if other processes can detect that it is gone, otherwise when its
/// claims expire.
public struct WebhookDelivery: Service {
  /// The maximum number of concurrent attempts.
  private static let mostAtOnce = 32
  /// The maximum number of concurrent attempts to one receiver (scheme, host and port), so that a receiver that accepts
  /// connections and never responds leaves room for the others.
  private static let mostPerReceiver = 8
  /// The interval between polls for due webhooks.
  private static let pause = Duration.seconds(1)
  /// Seconds that a claim outlasts an attempt's timeout, to allow for the DNS lookup and the store.
  private static let leaseMargin: TimeInterval = 60
  /// The maximum number of tries to store an outcome when the store fails.
  private static let mostTriesToStore = 5

  private let settings: Settings.Webhooks
  private let userAgent: String
  private let store: any ServerStore
  private let body: @Sendable (Job) async throws -> [UInt8]
  private let backoff: @Sendable (Int) -> TimeInterval
  private let logger: Logger
  /// Counters of the attempts since the start.
  public let figures: WebhookFigures

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - body: Returns the body to send for a finished job.
  ///   - backoff: Returns the seconds to wait after the given failed attempt (counted from 1).
  public init(
    settings: Settings.Webhooks, version: String, store: any ServerStore,
    body: @escaping @Sendable (Job) async throws -> [UInt8],
    backoff: @escaping @Sendable (Int) -> TimeInterval = WebhookDelivery.backoff, logger: Logger
  ) {
    self.settings = settings
    userAgent = "SerialScan/\(version)"
    self.store = store
    self.body = body
    self.backoff = backoff
    self.logger = logger
    figures = WebhookFigures()
  }

  /// The default backoff: 5 seconds, doubled after each attempt, up to 4 hours. Each delay varies at random by up to a
  /// half, so that receivers that were down do not get all requests at once.
  public static let backoff: @Sendable (Int) -> TimeInterval = { attempt in
    min(5 * pow(2, Double(min(max(attempt, 1), 20) - 1)), 14_400) * .random(in: 0.5...1.5)
  }

  private enum Event {
    case ended(Webhook)
    case tick
  }

  /// Sends webhooks until the service is stopped. If webhooks are off, only waits for the stop.
  public func run() async throws {
    guard settings.rules.isOn else {
      try await gracefulShutdown()
      return
    }
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Event.self) { group in
        var (underWay, isTicking, isFailing) = (
          ConcurrentAttempts(most: Self.mostAtOnce, mostPerReceiver: Self.mostPerReceiver), false, false
        )
        while !Task.isCancelled {
          for claim in await claims(&underWay, isFailing: &isFailing) {
            group.addTask {
              await attempt(claim)
              return .ended(claim.webhook)
            }
          }
          if !isTicking {
            isTicking = true
            group.addTask {
              try? await Task.sleep(for: Self.pause)
              return .tick
            }
          }
          switch await group.next() {
          case .ended(let webhook): underWay.end(webhook.url)
          case .tick: isTicking = false
          case nil: break
          }
        }
      }
    }
  }

  /// Claims due webhooks for the places that are free, and counts them as under way.
  private func claims(_ underWay: inout ConcurrentAttempts, isFailing: inout Bool) async -> [ClaimedWebhook] {
    var claimed: [ClaimedWebhook] = []
    while underWay.room > 0 {
      let limit = underWay.room
      let some = await claim(limit, notAt: underWay.fullPlaces, isFailing: &isFailing)
      let begun = some.filter { underWay.begin($0.webhook.url) }
      claimed += begun
      // Another spelling of a receiver that has no room: the next claim leaves it out.
      for claim in some where !begun.contains(where: { $0.token == claim.token }) {
        await settle(claim, with: .interrupted)
      }
      guard begun.count == limit else { break }
    }
    return claimed
  }

  /// Claims due webhooks. Returns an empty array if the store fails; logs the failure once, not at every poll.
  private func claim(_ limit: Int, notAt places: [String], isFailing: inout Bool) async -> [ClaimedWebhook] {
    do {
      let claimed = try await store.claimWebhooks(
        limit: limit, lease: settings.timeout + Self.leaseMargin, notAt: places)
      isFailing = false
      return claimed
    } catch is CancellationError {
      return []
    } catch {
      if !isFailing {
        logger.error("due webhooks could not be fetched from the store; retrying", metadata: ["error": "\(error)"])
      }
      isFailing = true
      return []
    }
  }

  /// Makes one attempt and stores its outcome.
  package func attempt(_ claim: ClaimedWebhook) async {
    let outcome = await outcome(of: claim)
    // If the webhook's job is gone, there is nothing to store.
    guard let outcome else { return }
    figures.count(outcome)
    if case .failed(let failure, _, _) = outcome {
      logger.info(
        "a webhook could not be delivered", metadata: ["job": "\(claim.webhook.jobID)", "reason": "\(failure.reason)"])
    }
    // A separate task, so that the outcome of a delivered webhook is stored even if the server is stopping.
    await Task { await settle(claim, with: outcome) }.value
  }

  private func settle(_ claim: ClaimedWebhook, with outcome: WebhookOutcome) async {
    for attempt in 1...Self.mostTriesToStore {
      do {
        return try await store.endWebhook(claim, with: outcome)
      } catch StoreError.claimLost {
        return
      } catch {
        guard attempt < Self.mostTriesToStore else {
          logger.error(
            "the outcome of a webhook could not be stored; it is sent again after its lease",
            metadata: ["job": "\(claim.webhook.jobID)", "error": "\(error)"])
          return
        }
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  private func outcome(of claim: ClaimedWebhook) async -> WebhookOutcome? {
    let id = claim.webhook.jobID
    let url: WebhookURL
    do throws(WebhookRules.Refusal) {
      url = try settings.rules.url(claim.webhook.url)
    } catch {
      return .refused(WebhookFailure("The host is no longer in webhooks.allow."))
    }
    let content: [UInt8]
    do {
      guard let job = try await store.job(id: id) else { return nil }
      content = try await body(job)
    } catch is CancellationError {
      return .interrupted
    } catch {
      logger.error(
        "the result for a webhook could not be read; retrying", metadata: ["job": "\(id)", "error": "\(error)"])
      return failed(WebhookFailure("The server could not read the result."), attempts: claim.webhook.attempts)
    }
    let timestamp = Int(exactly: Date().timeIntervalSince1970.rounded(.down)) ?? 0
    let signature = WebhookSignature.header(id: id, timestamp: timestamp, body: content, secrets: settings.secrets)
    let request = WebhookRequest(
      url: url,
      headers: [
        "Content-Type: application/json", "webhook-id: \(id)", "webhook-timestamp: \(timestamp)",
        "webhook-signature: \(signature)", "Expect:",
      ], userAgent: userAgent, body: content, timeout: settings.timeout)
    switch await request.send(settings.rules) {
    case .status(let status) where (200..<300).contains(status): return .delivered(status: status)
    // 410 Gone is how a receiver unsubscribes (Standard Webhooks).
    case .status(410):
      return .refused(WebhookFailure(status: 410, "The receiver answered 410: it accepts no more webhooks."))
    case .status(let status):
      let sentence =
        (300..<400).contains(status)
        ? "The receiver answered \(status); redirects are not followed." : "The receiver answered \(status)."
      return failed(WebhookFailure(status: status, sentence), attempts: claim.webhook.attempts)
    case .none(let reason): return failed(WebhookFailure(reason), attempts: claim.webhook.attempts)
    case .cancelled: return .interrupted
    }
  }

  private func failed(_ failure: WebhookFailure, attempts: Int) -> WebhookOutcome {
    .failed(failure, delay: backoff(attempts), period: settings.retryFor)
  }
}
