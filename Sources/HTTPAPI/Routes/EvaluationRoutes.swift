import Evaluations
import Exports
import Foundation
import Hummingbird
import JobStore
import ScanModel

/// `GET` and `POST /evaluate`, `POST /params/sweep`, and the reports that evaluations leave: `GET /reports/{name}`.
struct EvaluationRoutes: Sendable {
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
  let evaluator: Evaluator
  /// Evaluations and sweeps in the background that may wait or be under way.
  let maxTasks: Int
  /// Whether a folder that is not here may be on another machine, which does work in the background.
  let othersMayHave: Bool

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/evaluate", access: .admin, parameters: ["dir", "preset", "async"], isCostly: true, head: head,
        handler: { request, context in try await evaluate(request, context, mayBeAsync: false) }),
      Endpoint(.post, "/evaluate", access: .admin, parameters: ["dir", "preset", "async"], isCostly: true) {
        request, context in try await evaluate(request, context, mayBeAsync: true)
      },
      Endpoint(.post, "/params/sweep", access: .admin, handler: sweep),
      Endpoint(.get, "/reports/{name}", access: .admin, handler: report),
    ]
  }

  /// What is asked for, with its pictures; throws where the query is wrong, or there are none.
  ///
  /// - Parameter mayBeAsync: Whether it may be done in the background: what stays behind needs a POST.
  private func wanted(
    _ request: Request, _ context: APIContext, mayBeAsync: Bool
  ) async throws -> (Evaluator.Job, isAsync: Bool, Dataset.Contents) {
    let query = Query(request)
    guard let dir = try query.text("dir") else {
      throw APIError.invalidParameter("dir", "is missing: name a folder below the datasets folder")
    }
    let job = Evaluator.Job(dir: dir, preset: try Intake.preset(named: query.text("preset"), deviceType: nil))
    let isAsync = try query.flag("async") ?? false
    guard mayBeAsync || !isAsync else { throw APIError.asyncNeedsPost }
    return (job, isAsync, try await contents(of: dir, canWait: isAsync, context))
  }

  /// The pictures of a labelled folder; none where the work can wait for a machine that has it.
  private func contents(of dir: String, canWait: Bool, _ context: APIContext) async throws -> Dataset.Contents {
    do {
      return try await context.whileConnected { [evaluator] in try await evaluator.contents(of: dir) }
    } catch let problem as Dataset.Problem where canWait && othersMayHave && problem.isAbsence {
      return Dataset.Contents()
    }
  }

  /// Says whether the evaluation could begin, without beginning it.
  private func head(_ request: Request, _ context: APIContext) async throws -> Response {
    _ = try await wanted(request, context, mayBeAsync: false)
    return Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody { try await $0.finish(nil) })
  }

  private func evaluate(_ request: Request, _ context: APIContext, mayBeAsync: Bool) async throws -> Response {
    let (job, isAsync, contents) = try await wanted(request, context, mayBeAsync: mayBeAsync)
    if isAsync { return try await accept(.evaluation, job, context) }
    return try await context.whileConnected { [evaluator] in
      let evaluation = try await evaluator.evaluate(contents, job)
      return .json(try await evaluator.report(evaluation, of: job.dir))
    }
  }

  private func sweep(_ request: Request, _ context: APIContext) async throws -> Response {
    let body = try await context.json(SweepBody.self, from: request)
    guard let preset = try Intake.preset(named: body.preset, deviceType: nil) else {
      throw APIError.invalidParameter("preset", "is missing")
    }
    let rounds = body.rounds ?? 1
    guard ParameterSweep.rounds.contains(rounds) else {
      throw APIError.invalidParameter("rounds", "must be a whole number from 1 to 5")
    }
    try rejectUnknown(body.parameters ?? [], known: evaluator.configuration.presets[preset]?.keys.sorted() ?? [])
    _ = try await contents(of: body.dir, canWait: true, context)
    return try await accept(
      .sweep, ParameterSweep.Job(dir: body.dir, preset: preset, parameters: body.parameters, rounds: rounds), context)
  }

  /// Throws 422 for a name that is none of the preset's parameters, and names the one that was perhaps meant.
  private func rejectUnknown(_ names: [String], known: [String]) throws {
    guard let other = names.first(where: { !known.contains($0) }) else { return }
    let advice =
      Spelling.nearest(to: other, among: known).map { "did you mean `\($0)`?" }
      ?? "there are \(known.joined(separator: ", "))."
    throw APIError(
      .invalidParameter, "`parameters` has `\(other.shown)`, which the preset does not have: \(advice)")
  }

  private func accept(
    _ kind: BackgroundWork.Kind, _ job: some Encodable, _ context: APIContext
  ) async throws -> Response {
    let new = NewTask(
      id: UUID().uuidString.lowercased(), kind: kind.rawValue,
      parameters: String(decoding: try JSONEncoder().encode(job), as: UTF8.self), keyID: context.caller.keyID)
    let task: BackgroundTask
    do {
      task = try await store.addTask(new, limit: maxTasks)
    } catch StoreError.queueFull(let open) {
      throw APIError.tooManyTasks(open)
    }
    return .json(
      Accepted(
        jobID: task.id, status: task.state.rawValue, message: "Accepted; poll its status until it has ended",
        checkStatusURL: "/tasks/\(task.id)"), status: .accepted)
  }

  private func report(_ request: Request, _ context: APIContext) async throws -> Response {
    let name = try context.parameters.require("name")
    let parts = name.pieces(between: ".", omittingEmpty: false)
    guard parts.count == 2, UUID(uuidString: String(parts[0])) != nil, ["csv", "json"].contains(parts[1]),
      let file = try await FileAnswer(
        BlobName(.report, "evaluation-\(name.lowercased())"), in: store.blobs)
    else {
      throw APIError(.reportNotFound, "There is no such report: the name is mistyped, or the report has expired.")
    }
    return file.response(
      contentType: parts[1] == "csv" ? "text/csv; charset=utf-8" : "application/json",
      downloadName: "evaluation-\(name)")
  }
}

extension APIError {
  fileprivate static let asyncNeedsPost = APIError(
    .invalidParameter,
    "`async` is for POST alone: a GET leaves no work behind. Send POST /evaluate with the same query.")

  static func tooManyTasks(_ open: Int) -> APIError {
    APIError(
      .queueFull,
      "\(open) evaluations and sweeps wait or are under way already. Wait for one of GET /tasks to end, or cancel one.",
      retryAfter: 60)
  }
}
