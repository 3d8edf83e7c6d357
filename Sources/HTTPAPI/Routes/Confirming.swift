import Hummingbird
import JobStore
import Support

/// `POST /jobs/{job_id}/confirm`: confirms or corrects the serial in a photo.
struct Confirming: Sendable {
  struct Body: Decodable, HasOptionalFields {
    static let fieldNames = SchemaBook.memberNames(of: Self.self)

    var serial: String
    /// The job's serial to replace; the top one if missing.
    var replaces: String?
  }

  struct Answer: Codable {
    var success = true
    var serialID: Int64
    var serial: String
    var validationPassed: Bool
    var corrected: Bool
    /// The serial with 0 and 1 for `O` and `I`, if that has a valid format and the typed one does not.
    @ExplicitNull var didYouMean: String?

    private enum CodingKeys: String, CodingKey {
      case success
      case serialID = "serial_id"
      case serial
      case validationPassed = "validation_passed"
      case corrected
      case didYouMean = "did_you_mean"
    }
  }

  let store: any ServerStore

  var endpoint: Endpoint {
    Endpoint(
      .post, "/jobs/{job_id}/confirm", "ConfirmAJob", "Confirm or correct the serial",
      "Also if nothing was read. Saved once per job; a second confirmation changes that row, and the earlier values stay in its "
        + "history.",
      topic: .jobs, access: .change, parameters: [CommonParameters.jobID], bodies: [.json(Body.self)],
      answers: [.json(Answer.self)], errors: [.jobNotFound, .jobNotEnded, .storageFull], handler: answer)
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let body = try await context.json(Body.self, from: request)
    let serial = try TypedSerial(body.serial)
    let job = try await context.job(in: store)
    guard context.caller.canChange(keyID: job.request.origin.keyID) else { throw APIError.changeForbidden }
    // If the job asked for every serial, one of those read is confirmed as itself, not as a correction of the top one.
    let isOneOfSeveral = job.request.everySerial && job.reading?.serials.contains { $0.serial == serial.text } == true
    let replaced =
      try body.replaces.map { try TypedSerial($0, named: "replaces").text } ?? (isOneOfSeveral ? serial.text : nil)
    let confirmation = try await store.confirm(
      job: job.id, serial: serial.text, replacing: replaced, isValid: serial.isValid)
    guard let confirmation else { throw APIError.jobNotFound(job.id) }
    if confirmation == .unknownSerial {
      throw APIError.invalidParameter("replaces", "must be a serial that was read in the photo or saved from it")
    }
    guard case .saved(let saved, let isCorrected) = confirmation else { throw APIError.jobNotEnded(job.id) }
    return .json(
      Answer(
        serialID: saved.id, serial: saved.serial, validationPassed: saved.isValid, corrected: isCorrected,
        didYouMean: serial.proposal))
  }
}

extension Confirming.Body: WireObject {
  static let wireName = "ConfirmationRequest"
  static let wireNotes: [String: Schema] = [
    "serial": TypedSerial.note,
    "replaces": .about(
      "The serial of this photo, as read or as saved, that it replaces. Default: the top one."),
  ]
}

extension Confirming.Answer: WireObject {
  static let wireName = "Confirmation"
  static let wireNotes: [String: Schema] = [
    "validation_passed": .about("Whether it has a valid format."),
    "corrected": .about("Whether it differs from the top read."), "did_you_mean": TypedSerial.proposalNote,
  ]
}

extension APIError {
  static func jobNotEnded(_ id: String) -> APIError {
    APIError(.jobNotEnded, "The photo has not been read yet. Wait with /result/\(id)?wait=30, then try again.")
  }
}
