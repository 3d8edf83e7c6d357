import Evaluations
import Foundation
import Hummingbird
import JobStore
import Support

/// `GET /tasks`, `GET /tasks/{task_id}` and `DELETE /tasks/{task_id}`: evaluations and sweeps in the background.
struct Tasks: Sendable {
  struct Item: Codable {
    var jobID: String
    var kind: String
    var status: Job.State
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
      status = task.state
      progress = task.progress
      message = task.message
      createdAt = task.createdAt
      updatedAt = task.updatedAt
      keyID = task.keyID
      error = task.error?.detail
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

  /// The task with its result, which is appended to the encoded task.
  enum WithResult {}

  private static let cancellation = JobError(code: .cancelled, detail: "The task was cancelled.")

  let store: any ServerStore

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/tasks", "ListTasks", "List tasks", "Evaluations and sweeps in the background, the latest first.",
        topic: .evaluation, access: .own,
        parameters: [Self.status, CommonParameters.limit, CommonParameters.cursor],
        answers: [.json(List.self, isPage: true)], handler: list),
      Endpoint(
        .get, "/tasks/{task_id}", "AskForATask", "Get a task", "An evaluation or a sweep in the background.",
        topic: .evaluation, access: .own, parameters: [Self.taskID], answers: [.json(WithResult.self)],
        errors: [.jobNotFound], handler: task),
      Endpoint(
        .delete, "/tasks/{task_id}", "CancelATask", "Cancel a task",
        "Cancels a waiting or running task, which ends with `CANCELLED`; an ended task does not change. Returns the task.",
        topic: .evaluation, access: .admin, parameters: [Self.taskID], answers: [.json(WithResult.self)],
        errors: [.jobNotFound, .storageFull], handler: cancel),
    ]
  }

  private static let status = Parameter<Job.State?>.choice("status", "Only these.")
  private static let taskID = Parameter<String>.path("task_id", "From /evaluate or /params/sweep.", .uuid)

  private func list(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let filter = TaskFilter(
      state: try query[Self.status], keyID: context.caller.limitedTo)
    let page = try await store.tasks(
      filter, limit: try query[CommonParameters.limit], cursor: try query[CommonParameters.cursor])
    return .json(List(items: page.items.map(Item.init), nextCursor: page.nextCursor))
      .linked(to: page.nextCursor, of: request)
  }

  private func task(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try Self.id(context)
    guard let task = try await store.task(id: id), context.caller.canAccess(keyID: task.keyID) else {
      throw APIError.taskNotFound(id)
    }
    return try Self.answer(task)
  }

  /// Cancels a task that has not ended; leaves an ended one unchanged. Responds with the task's state.
  private func cancel(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try Self.id(context)
    guard let task = try await store.cancelTask(id: id, because: Self.cancellation) else {
      throw APIError.taskNotFound(id)
    }
    return try Self.answer(task)
  }

  private static func id(_ context: APIContext) throws -> String {
    try context.parameters.require("task_id").lowercased()
  }

  /// Returns a response with the task and its result, which is inserted as stored because it is already JSON.
  private static func answer(_ task: BackgroundTask) throws -> Response {
    let item = String(decoding: try WireFormat.encode(Item(task)).dropLast(), as: UTF8.self)
    return Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: "\(item),\"result\":\(task.result ?? "null")}")))
  }
}

extension Tasks.Item: WireObject {
  static let wireName = "TaskInList"
  static let wireNotes: [String: Schema] = [
    "job_id": .uuid, "kind": Schema(["enum": .array(BackgroundWork.Kind.allCases.map { .text($0.rawValue) })]),
    "progress": .within(0...100),
    "key_id": .about("The key that started it; null if the server was open."),
  ]
}

extension Tasks.List: WireObject {
  static let wireName = "Tasks"
}

extension Tasks.WithResult: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    book.object(
      "Task", for: Self.self,
      notes: Tasks.Item.wireNotes.merging([
        "result": .about("The result of the evaluation or the sweep; null before the end.")
      ]) { $1 }
    ) { book.members(of: Tasks.Item.self) + [book.member("result", AnyObjectOfJSON?.self)] }
  }
}

extension APIError {
  fileprivate static func taskNotFound(_ id: String) -> APIError {
    APIError(.jobNotFound, "There is no task with the id `\(id.shown)`: the id is mistyped, or the task has expired.")
  }
}
