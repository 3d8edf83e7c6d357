import Evaluations
import Exports
import Foundation
import Hummingbird
import JobStore
import ScanModel
import Support

/// `GET` and `POST /evaluate`, `POST /params/sweep`, and the reports of evaluations: `GET /reports/{name}`.
struct EvaluationRoutes: Sendable {
  struct SweepBody: Decodable, HasOptionalFields {
    static let fieldNames = SchemaBook.memberNames(of: Self.self)

    var dir: String
    var preset: String
    var parameters: [String]?
    var rounds: Int?
  }

  struct Accepted: Codable {
    var jobID: String
    var status: Job.State
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
  /// The maximum number of evaluations and sweeps that are waiting or running.
  let maxTasks: Int
  /// Whether another machine, which runs background tasks, may have a folder that is missing here.
  let othersMayHave: Bool

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/evaluate", "EvaluateALabelledFolder", "Evaluate a labelled folder",
        "Reads every picture of a folder with a labels.csv (`filename,serial`) below the datasets folder, and answers when all "
          + "are read. Refused for pages of other sites, also without keys. A hit: the top serial equals the label.",
        topic: .evaluation, access: .admin,
        parameters: [Self.dir, Self.preset, Self.isAsync.described(as: "For POST only: `true` is refused here.")],
        answers: [.json(EvaluationAnswer.self)],
        errors: [.datasetNotFound, .badLabels, .unknownPreset, .storageFull], isCostly: true, head: head
      ) { request, context in try await evaluate(request, context, mayBeAsync: false) },
      Endpoint(
        .post, "/evaluate", "EvaluateALabelledFolderInTheBackground", "Evaluate a labelled folder in the background",
        "Like GET; with `async=true` as a task.", topic: .evaluation, access: .admin,
        parameters: [Self.dir, Self.preset, Self.isAsync],
        answers: [
          .json(EvaluationAnswer.self), .json(Accepted.self, status: 202, "Accepted; poll `check_status_url`."),
        ],
        errors: [.datasetNotFound, .badLabels, .unknownPreset, .queueFull, .storageFull], isCostly: true
      ) { request, context in try await evaluate(request, context, mayBeAsync: true) },
      Endpoint(
        .post, "/params/sweep", "TuneAPreset", "Tune a preset",
        "Tries numeric parameters on a labelled folder in the background. The best has the most hits minus misreads; it is "
          + "never worse than the configured values. With a shared store, a machine that has the folder runs it.",
        topic: .evaluation, access: .admin, bodies: [.json(SweepBody.self)],
        answers: [.json(Accepted.self, status: 202, "Accepted; poll `check_status_url`.")],
        errors: [.datasetNotFound, .badLabels, .unknownPreset, .queueFull, .storageFull], handler: sweep),
      Endpoint(
        .get, "/reports/{name}", "FetchAReport", "Download a report", "Of an evaluation, as CSV or JSON.",
        topic: .evaluation, access: .admin, parameters: [Self.name],
        answers: [.content(.text("text/csv"), .json(AnyObjectOfJSON.self))], errors: [.reportNotFound],
        handler: report),
    ]
  }

  private static let dir = Parameter<String>.required("dir", "The name of a folder below the datasets folder.")
  private static let preset = Intake.preset.described(as: "Default: detected in each picture.")
  private static let isAsync = Parameter<Bool?>.flag(
    "async",
    "Answers 202 with a task to poll. With a shared store, any machine that has the folder runs it."
  )
  private static let name = Parameter<String>.path("name", "From `csv_url` or `summary_url`.")

  /// Returns the requested evaluation with its pictures. Throws if the query is invalid or there are no pictures.
  ///
  /// - Parameter mayBeAsync: Whether it may run in the background. This requires POST, because it creates a task.
  private func wanted(
    _ request: Request, _ context: APIContext, mayBeAsync: Bool
  ) async throws -> (Evaluator.Job, isAsync: Bool, Dataset.Contents) {
    let query = Query(request)
    let dir = try query[Self.dir]
    let job = Evaluator.Job(dir: dir, preset: try query[Self.preset])
    let isAsync = try query[Self.isAsync] ?? false
    guard mayBeAsync || !isAsync else { throw APIError.asyncNeedsPost }
    return (job, isAsync, try await contents(of: dir, canWait: isAsync, context))
  }

  /// Returns the pictures of a labelled folder; empty if the task can wait for a machine that has the folder.
  private func contents(of dir: String, canWait: Bool, _ context: APIContext) async throws -> Dataset.Contents {
    do {
      return try await context.whileConnected { [evaluator] in try await evaluator.contents(of: dir) }
    } catch let problem as Dataset.Problem where canWait && othersMayHave && problem.isAbsence {
      return Dataset.Contents()
    }
  }

  /// Checks whether the evaluation could start, without starting it.
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
    guard let preset = try Intake.preset.value(of: body.preset) else {
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

  /// Throws 422 for an unknown parameter name, and suggests a similar one.
  private func rejectUnknown(_ names: [String], known: [String]) throws {
    guard let other = names.first(where: { !known.contains($0) }) else { return }
    throw APIError(
      .invalidParameter,
      "`parameters` has `\(other.shown)`, which the preset does not have.\(Spelling.advice(for: other, among: known)) "
        + "It has \(known.joined(separator: ", ")).")
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
        jobID: task.id, status: task.state, message: "Accepted; poll its status until it has ended",
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

extension EvaluationRoutes.SweepBody: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    book.object(
      "Sweep", for: Self.self,
      notes: [
        "dir": Schema(["minLength": 1]).about("The name of a labelled folder."),
        "parameters": .about("The parameters to tune. Default: all."),
        "rounds": .within(ParameterSweep.rounds).about("How often each is tried. Default: once."),
      ]
    ) {
      [
        book.member("dir", String.self), book.member("preset", Preset.self),
        book.member("parameters", [String]?.self, isRequired: false),
        book.member("rounds", Int?.self, isRequired: false),
      ]
    }
  }
}

extension EvaluationRoutes.Accepted: WireObject {
  static let wireName = "Accepted"
  static let wireNotes: [String: Schema] = ["job_id": .uuid]
}

extension APIError {
  fileprivate static let asyncNeedsPost = APIError(
    .invalidParameter,
    "`async=true` needs POST: a GET starts no background work. Send POST /evaluate with the same query.")

  static func tooManyTasks(_ open: Int) -> APIError {
    APIError(
      .queueFull,
      "\(open) evaluations and sweeps are waiting or running, the maximum. Wait for one of GET /tasks to end, or cancel one.",
      retryAfter: 60)
  }
}
