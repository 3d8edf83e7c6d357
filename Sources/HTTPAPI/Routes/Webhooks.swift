import Exports
import Foundation
import Hummingbird
import JobStore
import Settings
import Support

/// `GET /webhooks` and `POST /webhooks/{job_id}/retry`: deliveries to `callback_url` that succeeded, are pending or
/// failed.
struct Webhooks: Sendable {
  struct Item: Codable {
    var jobID: String
    var url: String
    var status: Webhook.State
    var attempts: Int
    var createdAt: Date
    var updatedAt: Date
    @ExplicitNull var nextAttemptAt: Date?
    @ExplicitNull var lastStatus: Int?
    @ExplicitNull var lastError: String?

    private enum CodingKeys: String, CodingKey {
      case jobID = "job_id"
      case url
      case status
      case attempts
      case createdAt = "created_at"
      case updatedAt = "updated_at"
      case nextAttemptAt = "next_attempt_at"
      case lastStatus = "last_status"
      case lastError = "last_error"
    }

    /// Creates an item.
    ///
    /// - Parameter url: The part of the address that the caller may see.
    init(_ webhook: Webhook, url: String) {
      jobID = webhook.jobID
      self.url = url
      status = webhook.state
      attempts = webhook.attempts
      createdAt = webhook.createdAt
      updatedAt = webhook.updatedAt
      nextAttemptAt = webhook.nextAttemptAt
      lastStatus = webhook.status
      lastError = webhook.error
    }
  }

  struct List: Codable {
    var items: [Item]
    @ExplicitNull var nextCursor: String?

    private enum CodingKeys: String, CodingKey {
      case items
      case nextCursor = "next_cursor"
    }
  }

  let store: any ServerStore
  /// The operator's default address, which is never shown in full to any key.
  let defaultURL: String?

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/webhooks", "ListWebhooks", "List webhooks",
        "Delivered, waiting and failed webhooks, the latest first.", topic: .jobs,
        access: .own,
        parameters: [Self.status, CommonParameters.limit, CommonParameters.cursor],
        answers: [.json(List.self, isPage: true)], handler: list),
      Endpoint(
        .post, "/webhooks/{job_id}/retry", "SendAWebhookAgain", "Retry a webhook",
        "Also a delivered one. Its attempts restart.", topic: .jobs, access: .change,
        parameters: [CommonParameters.jobID], answers: [.json(Item.self)], errors: [.jobNotFound], handler: retry),
    ]
  }

  private static let status = Parameter<Webhook.State?>.choice("status", "Only these.")

  private func list(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let filter = WebhookFilter(
      state: try query[Self.status], keyID: context.caller.limitedTo)
    let page = try await store.webhooks(
      filter, limit: try query[CommonParameters.limit], cursor: try query[CommonParameters.cursor])
    return .json(List(items: page.items.map { item($0, for: context.caller) }, nextCursor: page.nextCursor))
      .linked(to: page.nextCursor, of: request)
  }

  private func retry(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.jobID()
    guard let webhook = try await store.webhook(jobID: id), context.caller.canAccess(keyID: webhook.keyID) else {
      throw APIError.webhookNotFound(id)
    }
    guard context.caller.canChange(keyID: webhook.keyID) else { throw APIError.changeForbidden }
    guard let waiting = try await store.retryWebhook(jobID: id) else { throw APIError.webhookNotFound(id) }
    return .json(item(waiting, for: context.caller))
  }

  /// Returns a webhook's item. No key sees a password. A path and a query may contain a token anywhere, so only the key
  /// that supplied the address sees them.
  private func item(_ webhook: Webhook, for caller: Caller) -> Item {
    let isOwn = caller.isEverybody || (webhook.keyID != nil && webhook.keyID == caller.keyID)
    let url = WebhookURL(webhook.url)
    return Item(webhook, url: (isOwn && webhook.url != defaultURL ? url?.shown : url?.origin) ?? "")
  }
}

extension Webhooks.Item: WireObject {
  static let wireName = "Webhook"
  static let wireNotes: [String: Schema] = [
    "job_id": .uuid,
    "url": .about("Complete except for a password (`***`) for the key that gave it; only the host for others."),
    "next_attempt_at": .about("When it is sent next; null once it is delivered or has failed."),
    "last_status": .about("The HTTP status of the latest attempt; null without a response."),
    "last_error": .about("Why the latest attempt failed."),
  ]
}

extension Webhooks.List: WireObject {
  static let wireName = "Webhooks"
}

/// Returns the body to send for an ended job: the response of `GET /result/{job_id}`.
public func webhookBody(of job: Job, store: any ServerStore, codes: StoreCodes) async throws -> [UInt8] {
  let seenBefore = try await store.seenBefore([job])
  return [UInt8](try WireFormat.encode(ResultAnswer(job, seenBefore: seenBefore[job.id], await codes.modelNames())))
}

extension APIError {
  fileprivate static func webhookNotFound(_ id: String) -> APIError {
    APIError(
      .jobNotFound,
      "There is no webhook of a job with the id `\(id.shown)`: the photo was sent without `callback_url`, the job has not "
        + "ended, or it was deleted.")
  }
}
