import Foundation
import Hummingbird
import JobStore
import ScanModel
import Support

/// `GET /jobs` and `DELETE /jobs/{job_id}`.
struct Jobs: Sendable {
  struct Item: Codable {
    var jobID: String
    var status: Job.State
    var progress: Int
    var message: String
    var createdAt: Date
    var updatedAt: Date
    @ExplicitNull var filename: String?
    @ExplicitNull var deviceType: String?
    @ExplicitNull var verdict: Reading.Verdict?
    @ExplicitNull var serial: String?
    @ExplicitNull var confirmedSerial: String?
    @ExplicitNull var review: Review?
    @ExplicitNull var seenBefore: Date?
    @ExplicitNull var confidence: Double?
    @ExplicitNull var error: String?
    @ExplicitNull var errorCode: ErrorCode?
    @ExplicitNull var flaw: PhotoFlaw?
    @ExplicitNull var duplicateOf: String?
    var custom: [String: String]
    @ExplicitNull var batchID: String?
    @ExplicitNull var thumbnailURL: String?

    private enum CodingKeys: String, CodingKey {
      case jobID = "job_id"
      case status
      case progress
      case message
      case createdAt = "created_at"
      case updatedAt = "updated_at"
      case filename
      case deviceType = "device_type"
      case verdict
      case serial
      case confirmedSerial = "confirmed_serial"
      case review
      case seenBefore = "seen_before"
      case confidence
      case error
      case errorCode = "error_code"
      case flaw
      case duplicateOf = "duplicate_of"
      case custom
      case batchID = "batch_id"
      case thumbnailURL = "thumbnail_url"
    }

    init(_ job: Job, seenBefore: Date?) {
      jobID = job.id
      status = job.state
      progress = job.progress
      message = job.message
      createdAt = job.createdAt
      updatedAt = job.updatedAt
      filename = job.request.filename
      deviceType = job.request.deviceType
      verdict = job.verdict
      confirmedSerial = job.confirmedSerial
      review = job.review
      self.seenBefore = seenBefore
      serial = job.reading?.topSerial?.serial
      confidence = (job.reading?.topSerial?.confidence).map(Confidence.displayed)
      error = job.error?.detail
      errorCode = job.error?.code
      flaw = job.reading?.flaw
      duplicateOf = job.duplicateOf
      custom = job.reading?.custom ?? [:]
      batchID = job.request.batchID
      thumbnailURL = job.thumbnailPath
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

  struct Deletion: Codable {
    var success = true
    var jobID: String
    var message: String

    private enum CodingKeys: String, CodingKey {
      case success
      case jobID = "job_id"
      case message
    }
  }

  let store: any ServerStore

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/jobs", "ListJobs", "List jobs", "The latest first.", topic: .jobs, access: .own,
        parameters: [
          Self.status, Self.verdict, Self.confirmed, Self.reviewed, Self.canChange, CommonParameters.batch,
          CommonParameters.limit, CommonParameters.cursor,
        ], answers: [.json(List.self, isPage: true)], errors: [.batchNotFound], handler: list),
      Endpoint(
        .delete, "/jobs/{job_id}", "DeleteAJob", "Delete a job",
        "Deletes its photo and result; a saved serial is kept unless `serial=true`, and even then if another job of the same photo "
          + "has it, which `message` names. Also while it is being read.",
        topic: .jobs, access: .change, parameters: [CommonParameters.jobID, Self.serial],
        answers: [.json(Deletion.self)], errors: [.jobNotFound], handler: delete),
    ]
  }

  private static let status = Parameter<Job.State?>.choice("status", "Only these.")
  private static let verdict = Parameter<Reading.Verdict?>.choice("verdict", "Only photos with this verdict.")
  private static let confirmed = Parameter<Bool?>.flag(
    "confirmed", "Only photos whose serial a person has, or has not, confirmed.")
  private static let reviewed = Parameter<Bool?>.flag(
    "reviewed", "Only photos that a person has, or has not, reviewed (`review`).")
  private static let canChange = Parameter<Bool?>.flag(
    "can_change", "If true, only jobs that the key may confirm, review and delete.")
  private static let serial = Parameter<Bool?>.flag("serial", "Delete the saved serial too.")

  private func list(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let batch = try query[CommonParameters.batch]
    try await store.require(batch: batch)
    let caller = context.caller
    let isOwnOnly = try query[Self.canChange] == true && !caller.isAdmin
    let filter = JobFilter(
      state: try query[Self.status], verdict: try query[Self.verdict], isConfirmed: try query[Self.confirmed],
      isReviewed: try query[Self.reviewed],
      keyID: isOwnOnly ? caller.keyID ?? "" : caller.limitedTo(inBatch: batch), batchID: batch)
    let page = try await store.jobs(
      filter, limit: try query[CommonParameters.limit], cursor: try query[CommonParameters.cursor])
    let seenBefore = try await store.seenBefore(page.items)
    return .json(
      List(items: page.items.map { Item($0, seenBefore: seenBefore[$0.id]) }, nextCursor: page.nextCursor)
    ).linked(to: page.nextCursor, of: request)
  }

  private func delete(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.jobID()
    let alsoSerial = try Query(request)[Self.serial] ?? false
    // A serial whose job is gone can't be matched with a key here.
    if !context.caller.isAdmin {
      let job = try await context.job(in: store)
      guard context.caller.canChange(keyID: job.request.origin.keyID) else { throw APIError.changeForbidden }
    }
    guard let deletion = try await store.deleteJob(id: id, alsoSerial: alsoSerial) else {
      throw APIError.jobNotFound(id)
    }
    return .json(Deletion(jobID: id, message: Self.message(of: deletion, alsoSerial: alsoSerial)))
  }

  private static func message(of deletion: JobDeletion, alsoSerial: Bool) -> String {
    switch deletion {
    case .savedSerialAlone: "The job had already been deleted; its saved serial is deleted now"
    case .job(let keeper?):
      "Job, photo and result are deleted; the saved serial is kept by job \(keeper), which read the same photo"
    case .job(nil) where alsoSerial: "Job, photo, result and saved serial are deleted"
    case .job(nil): "Job, photo and result are deleted; a saved serial is kept"
    }
  }
}

extension Jobs.Item: WireObject {
  static let wireName = "Job"
  static let wireNotes: [String: Schema] = [
    "job_id": .uuid, "progress": .within(0...100), "confidence": .share,
    "filename": .about("The file name that the client gave the photo."),
    "verdict": .about("The photo's verdict; null before the end."),
    "confirmed_serial": .about("The serial that a person confirmed."),
    "review": .about("What a person decided about a photo without a saved serial; null without a decision."),
    "seen_before": .about("When the same serial was last read before; null if it is new."),
    "flaw": JobNotes.flaw, "duplicate_of": JobNotes.duplicate, "custom": JobNotes.codes, "batch_id": .batchID,
    "thumbnail_url": ThumbnailAddress.note,
  ]
}

/// Notes that jobs and results share.
enum JobNotes {
  static let flaw = Schema.about(
    "What plainly kept the photo from being read; null if nothing did, or if a serial was found.")
  static let duplicate = Schema.uuid.about(
    "The job of the same key and batch that read the same photo first. Its serial is saved once, and confirming either confirms "
      + "both."
  )
  static let codes = Schema.about(
    "The values of custom fields from codes in the photo, by name; see `fields.custom`.")
  static let changes = Schema.about("Values by the names of `custom_fields` in /config; null removes one.")
}

extension Jobs.List: WireObject {
  static let wireName = "Jobs"
}

extension Jobs.Deletion: WireObject {
  static let wireName = "Deletion"
  static let wireNotes: [String: Schema] = ["job_id": .uuid]
}
