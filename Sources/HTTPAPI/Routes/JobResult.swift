import Exports
import Foundation
import Hummingbird
import JobStore
import NIOConcurrencyHelpers
import Support

/// `GET /result/{job_id}`: the state of a job; with `?wait=`, once it has ended or the time is over.
struct JobResult: Sendable {
  let store: any ServerStore
  let held: HeldAnswers
  let codes: StoreCodes
  private let wait: Parameter<Double?>
  private let written = WrittenAnswers()

  init(store: any ServerStore, maxWait: Double, held: HeldAnswers, codes: StoreCodes) {
    self.store = store
    wait = .seconds(
      "wait", most: maxWait,
      "Seconds to hold the answer until the job has ended; more than \(maxWait.formatted()) count as \(maxWait.formatted())."
    )
    self.held = held
    self.codes = codes
  }

  var endpoint: Endpoint {
    Endpoint(
      .get, "/result/{job_id}", "AskForAResult", "Get a result", "The job's status, and what was read.", topic: .photos,
      access: .own, parameters: [CommonParameters.jobID, wait], answers: [.json(ResultAnswer.self)],
      errors: [.jobNotFound, .jobDeleted], handler: answer)
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let wait = try Query(request)[wait] ?? 0
    var job = try await context.job(in: store)
    let id = job.id
    if wait > 0, !job.state.isEnd {
      let ended = try await held.hold(context) { [store] in
        try await store.waitForEnd(id: id, timeout: .seconds(wait))
      }
      // A stopping server responds at once with the job's current state.
      let now = if let ended { ended } else { try await store.job(id: id) }
      job = try APIError.requireKept(now)
    }
    let canChange = context.caller.canChange(job)
    guard job.state.isEnd else { return .json(ResultAnswer(job, seenBefore: nil, .shared, canChange: canChange)) }
    let seenBefore = try await store.seenBefore([job])[job.id]
    return .json(
      try written.answer(for: job, seenBefore: seenBefore, await codes.modelNames(), canChange: canChange))
  }
}

/// Caches encoded responses about ended jobs, one for all clients that may change the job and one for the others.
/// `seen_before` depends on other serials and the names of models on other codes, so they are looked up for each request.
private final class WrittenAnswers: Sendable {
  /// The maximum number of entries, some megabytes.
  private static let most = 1_024

  /// An encoded response, with the values of the job and of earlier reads in it that may change.
  private struct Written {
    var updatedAt: Date
    var seenBefore: Date?
    var duplicateOf: String?
    var hasThumbnail: Bool
    var modelNames: [String?]
    var json: ByteBuffer
  }

  private struct Name: Hashable {
    var jobID: String
    var canChange: Bool
  }

  private let answers = NIOLockedValueBox<[Name: Written]>([:])

  func answer(for job: Job, seenBefore: Date?, _ models: ModelNames, canChange: Bool) throws -> ByteBuffer {
    let name = Name(jobID: job.id, canChange: canChange)
    let reads = (job.reading?.serials ?? []) + (job.reading?.refused ?? [])
    let modelNames = reads.map { models.name(of: $0.serial, $0.fields) }
    let known = answers.withLockedValue { $0[name] }
    if let known, known.updatedAt == job.updatedAt, known.seenBefore == seenBefore,
      known.duplicateOf == job.duplicateOf, known.hasThumbnail == job.hasThumbnail,
      known.modelNames == modelNames
    {
      return known.json
    }
    let json = ByteBuffer(
      bytes: try WireFormat.encode(ResultAnswer(job, seenBefore: seenBefore, models, canChange: canChange)))
    answers.withLockedValue { answers in
      if answers.count >= Self.most { answers = [:] }
      answers[name] = Written(
        updatedAt: job.updatedAt, seenBefore: seenBefore, duplicateOf: job.duplicateOf, hasThumbnail: job.hasThumbnail,
        modelNames: modelNames, json: json)
    }
    return json
  }
}

extension APIContext {
  /// Returns the job's id from the path, in lower case as ids are stored.
  func jobID() throws -> String { try parameters.require("job_id").lowercased() }

  /// Returns the job whose id is in the path. Throws `jobNotFound` also for one that the caller may not see.
  func job(in store: any ServerStore) async throws -> Job {
    let id = try jobID()
    guard let job = try await store.job(id: id), caller.canAccess(job) else { throw APIError.jobNotFound(id) }
    return job
  }
}
