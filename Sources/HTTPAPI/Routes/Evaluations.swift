import Foundation
import Hummingbird
import JobStore
import ReaderProtocol
import Reports

/// `GET /evaluate`, `POST /params/sweep`, and what became of them: `GET /tasks/{task_id}`, `GET /reports/{name}`.
struct Evaluations: Sendable {
  struct SweepBody: Decodable {
    var dir: String
    var preset: String
    var parameters: [String]?
    var rounds: Int?
  }

  struct Accepted: Encodable {
    var jobID: String
    var status: String
    var message: String
    var checkStatusURL: String

    private enum CodingKeys: String, CodingKey {
      case jobID = "job_id"
      case status
      case message
      case checkStatusURL = "check_status_url"
    }
  }

  let store: any ServerStore
  let storage: PhotoStorage
  let evaluator: Evaluator

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/evaluate", access: .admin, head: { request, _ in try await head(request) }, handler: evaluate),
      Endpoint(.post, "/params/sweep", access: .admin, handler: sweep),
      Endpoint(.get, "/tasks/{task_id}", access: .admin, handler: task),
      Endpoint(.get, "/reports/{name}", access: .admin, handler: report),
    ]
  }

  /// What is asked for, with its pictures; throws where the query is wrong, or there are none.
  private func wanted(_ request: Request) async throws -> (Evaluator.Job, isAsync: Bool, [Dataset.Picture]) {
    let query = Query(request)
    guard let dir = try query.text("dir") else {
      throw APIError.invalidParameter("dir", "is missing: name a folder below the datasets folder")
    }
    let job = Evaluator.Job(dir: dir, preset: try Intake.preset(named: query.text("preset"), deviceType: nil))
    let isAsync = try query.flag("async") ?? false
    let pictures = try await storage.onThread { [evaluator] in try evaluator.labelledPictures(dir) }
    return (job, isAsync, pictures)
  }

  /// Says whether the evaluation could begin, without beginning it.
  private func head(_ request: Request) async throws -> Response {
    let isAsync = try await wanted(request).isAsync
    return Response(
      status: isAsync ? .accepted : .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"])
  }

  private func evaluate(_ request: Request, _ context: APIContext) async throws -> Response {
    let (job, isAsync, pictures) = try await wanted(request)
    if isAsync { return try await accept(.evaluation, job) }
    return try await context.whileConnected { [evaluator, storage] in
      let evaluation = try await evaluator.evaluate(pictures, job)
      return .json(try await storage.onThread { try evaluator.report(evaluation, of: job.dir) })
    }
  }

  private func sweep(_ request: Request, _ context: APIContext) async throws -> Response {
    let body = try await context.json(SweepBody.self, from: request)
    guard let preset = try Intake.preset(named: body.preset, deviceType: nil) else {
      throw APIError.invalidParameter("preset", "is missing")
    }
    let rounds = body.rounds ?? 1
    guard (1...5).contains(rounds) else {
      throw APIError.invalidParameter("rounds", "must be a whole number from 1 to 5")
    }
    let known = Set(evaluator.presets[preset]?.parameters.keys.map(\.self) ?? [])
    for name in body.parameters ?? [] where !known.contains(name) {
      throw APIError.invalidParameter("parameters", "has `\(name.prefix(40))`, which the preset does not have")
    }
    _ = try await storage.onThread { [evaluator] in try evaluator.labelledPictures(body.dir) }
    return try await accept(
      .sweep, ParameterSweep.Job(dir: body.dir, preset: preset, parameters: body.parameters, rounds: rounds))
  }

  private func accept(_ kind: BackgroundWork.Kind, _ job: some Encodable) async throws -> Response {
    let parameters = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
    let task = try await store.addTask(id: UUID().uuidString.lowercased(), kind: kind.rawValue, parameters: parameters)
    return .json(
      Accepted(
        jobID: task.id, status: task.state.rawValue, message: "Accepted; ask for its status until it has ended",
        checkStatusURL: "/tasks/\(task.id)"), status: .accepted)
  }

  private func task(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.parameters.require("task_id").lowercased()
    guard let task = try await store.task(id: id) else { throw APIError.jobNotFound(id) }
    return try TaskAnswer.response(task)
  }

  private func report(_ request: Request, _ context: APIContext) async throws -> Response {
    let name = try context.parameters.require("name")
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, UUID(uuidString: String(parts[0])) != nil, ["csv", "json"].contains(parts[1]),
      let file = try await FileAnswer(
        path: "\(evaluator.reportsPath)/evaluation-\(name.lowercased())", storage: storage)
    else {
      throw APIError(.reportNotFound, "There is no such report: it is mistyped, or its time ran out.")
    }
    return file.response(
      contentType: parts[1] == "csv" ? "text/csv; charset=utf-8" : "application/json",
      downloadName: "evaluation-\(name)")
  }
}

/// The answer of `GET /tasks/{task_id}`; `result` is the JSON that the work left.
enum TaskAnswer {
  private struct Head: Encodable {
    var jobID: String
    var kind: String
    var status: String
    var progress: Int
    var message: String
    var createdAt: Date
    var updatedAt: Date
    @ExplicitNull var error: String?

    private enum CodingKeys: String, CodingKey {
      case jobID = "job_id"
      case kind
      case status
      case progress
      case message
      case createdAt = "created_at"
      case updatedAt = "updated_at"
      case error
    }
  }

  static func response(_ task: BackgroundTask) throws -> Response {
    let head = Head(
      jobID: task.id, kind: task.kind, status: task.state.rawValue, progress: task.progress, message: task.message,
      createdAt: task.createdAt, updatedAt: task.updatedAt, error: task.error?.detail)
    // The result is JSON already: it goes in as it is.
    let text = String(decoding: try WireFormat.encode(head).dropLast(), as: UTF8.self)
    let body = ByteBuffer(string: "\(text),\"result\":\(task.result ?? "null")}")
    return Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: body))
  }
}
