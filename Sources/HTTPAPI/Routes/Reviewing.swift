import Hummingbird
import JobStore
import Support

/// `POST` and `DELETE /jobs/{job_id}/review`: a person's decision about a photo without a saved serial.
struct Reviewing: Sendable {
  struct Body: Decodable {
    var outcome: String
  }

  struct Answer: Codable {
    var success = true
    var jobID: String
    @ExplicitNull var outcome: Review?

    private enum CodingKeys: String, CodingKey {
      case success
      case jobID = "job_id"
      case outcome
    }
  }

  let store: any ServerStore

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .post, "/jobs/{job_id}/review", "ReviewAJob", "Decide about a photo without a serial",
        "It shows no serial, or the device is photographed again: the photo needs no more review. A confirmation removes "
          + "the decision.",
        topic: .jobs, access: .change, parameters: [CommonParameters.jobID], bodies: [.json(Body.self)],
        answers: [.json(Answer.self)], errors: [.jobNotFound, .jobNotEnded, .serialSaved, .storageFull]
      ) { request, context in
        let body = try await context.json(Body.self, from: request)
        guard let outcome = Review(rawValue: body.outcome) else {
          let all = Review.allCases.map(\.rawValue).joined(separator: ", ")
          throw APIError.invalidParameter("outcome", "must be one of \(all)")
        }
        return try await answer(outcome, context)
      },
      Endpoint(
        .delete, "/jobs/{job_id}/review", "TakeBackAReview", "Revert a decision", "The photo may need review again.",
        topic: .jobs, access: .change, parameters: [CommonParameters.jobID], answers: [.json(Answer.self)],
        errors: [.jobNotFound, .storageFull]
      ) { _, context in
        try await answer(nil, context)
      },
    ]
  }

  private func answer(_ outcome: Review?, _ context: APIContext) async throws -> Response {
    let job = try await context.job(in: store)
    let id = job.id
    guard context.caller.canChange(keyID: job.request.origin.keyID) else { throw APIError.changeForbidden }
    switch try await store.review(job: id, as: outcome) {
    case nil: throw APIError.jobNotFound(id)
    case .notEnded?: throw APIError.jobNotEnded(id)
    case .serialSaved?: throw APIError.serialSaved(id)
    case .done?: return .json(Answer(jobID: id, outcome: outcome))
    }
  }
}

extension Reviewing.Body: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    book.object("ReviewRequest", for: Self.self) { [book.member("outcome", Review.self)] }
  }
}

extension Reviewing.Answer: WireObject {
  static let wireName = "ReviewAnswer"
  static let wireNotes: [String: Schema] = ["job_id": .uuid]
}

extension APIError {
  fileprivate static func serialSaved(_ id: String) -> APIError {
    APIError(
      .serialSaved,
      "A serial of this photo is saved. Correct it with /jobs/\(id)/confirm, or delete it first if it is wrong.")
  }
}
