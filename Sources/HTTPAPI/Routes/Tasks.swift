import Foundation
import Hummingbird
import JobStore
import Support

/// `GET /tasks`, `GET /tasks/{task_id}` and `DELETE /tasks/{task_id}`: evaluations and sweeps in the background.
struct Tasks: Sendable {
  struct Item: Encodable {
    var jobID: String
    var kind: String
    var status: String
    var progress: Int
    var message: String
    var createdAt: Date
    var updatedAt: Date
    @ExplicitNull var keyID: String?
    @ExplicitNull var error: String?

    private enum CodingKeys: String, CodingKey {
      case jobID = "job_id"
      case kind
      case status
      case progress
      case message
      case createdAt = "created_at"
      case updatedAt = "updated_at"
      case keyID = "key_id"
      case error
    }

    init(_ task: BackgroundTask) {
      jobID = task.id
      kind = task.kind
      status = task.state.rawValue
      progress = task.progress
      message = task.message
      createdAt = task.createdAt
      updatedAt = task.updatedAt
      keyID = task.keyID
      error = task.error?.detail
    }
  }

  struct List: Encodable {
    var items: [Item]
    @ExplicitNull var nextCursor: String?

    private enum CodingKeys: String, CodingKey {
      case items
      case nextCursor = "next_cursor"
    }
  }

  private static let cancellation = JobError(code: .cancelled, detail: "The task was cancelled.")

  let store: any ServerStore

  var endpoints: [Endpoint] {
    [
      Endpoint(.get, "/tasks", access: .own, parameters: ["status", "limit", "cursor"], handler: list),
      Endpoint(.get, "/tasks/{task_id}", access: .own, handler: task),
      Endpoint(.delete, "/tasks/{task_id}", access: .admin, handler: cancel),
    ]
  }

  private func list(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let filter = TaskFilter(
      state: try query.choice("status", of: Job.State.self), keyID: context.caller.limitedTo)
    let page = try await store.tasks(
      filter, limit: try query.integer("limit", in: 1...500) ?? 50, cursor: try query.text("cursor", limit: 2048))
    return .json(List(items: page.items.map(Item.init), nextCursor: page.nextCursor))
      .linked(to: page.nextCursor, of: request)
  }

  private func task(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try Self.id(context)
    guard let task = try await store.task(id: id), context.caller.canAccess(keyID: task.keyID) else {
      throw APIError.jobNotFound(id)
    }
    return try Self.answer(task)
  }

  /// Cancels what has not ended; what has stays as it is. The answer tells how it stands.
  private func cancel(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try Self.id(context)
    guard let task = try await store.cancelTask(id: id, because: Self.cancellation) else {
      throw APIError.jobNotFound(id)
    }
    return try Self.answer(task)
  }

  private static func id(_ context: APIContext) throws -> String {
    try context.parameters.require("task_id").lowercased()
  }

  /// The task with its result, which is JSON already and goes in as it is.
  private static func answer(_ task: BackgroundTask) throws -> Response {
    let item = String(decoding: try WireFormat.encode(Item(task)).dropLast(), as: UTF8.self)
    return Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: "\(item),\"result\":\(task.result ?? "null")}")))
  }
}
