import Exports
import Foundation
import Hummingbird
import JobStore
import ScanModel
import Support

/// `GET /history`: the saved serials, searched, filtered, sorted and paged.
struct History: Sendable {
  struct Item: Codable {
    var id: Int64
    var timestamp: Date
    var serial: String
    @ExplicitNull var deviceType: String?
    @ExplicitNull var preset: Preset?
    var confidence: Double
    @ExplicitNull var method: String?
    var source: SerialSource
    var isValid: Bool
    @ExplicitNull var notes: String?
    @ExplicitNull var jobID: String?
    @ExplicitNull var filename: String?
    @ExplicitNull var verdict: Reading.Verdict?
    @ExplicitNull var confirmedAt: Date?
    @ExplicitNull var seenBefore: Date?
    @ExplicitNull var fields: FieldsAnswer?
    @ExplicitNull var meaning: MeaningAnswer?
    @ExplicitNull var batchID: String?
    @ExplicitNull var thumbnailURL: String?

    private enum CodingKeys: String, CodingKey {
      case id
      case timestamp
      case serial
      case deviceType = "device_type"
      case preset
      case confidence
      case method
      case source
      case isValid = "is_valid"
      case notes
      case jobID = "job_id"
      case filename
      case verdict
      case confirmedAt = "confirmed_at"
      case seenBefore = "seen_before"
      case fields
      case meaning
      case batchID = "batch_id"
      case thumbnailURL = "thumbnail_url"
    }

    init(_ saved: SavedSerial, _ models: ModelNames) {
      id = saved.id
      timestamp = saved.createdAt
      serial = saved.serial
      deviceType = saved.deviceType
      preset = saved.preset
      confidence = Confidence.displayed(saved.confidence)
      method = saved.method
      source = saved.source
      isValid = saved.isValid
      notes = saved.notes
      jobID = saved.jobID
      filename = saved.filename
      verdict = saved.verdict
      confirmedAt = saved.confirmedAt
      seenBefore = saved.seenBefore
      fields = saved.fields.map(FieldsAnswer.init)
      meaning = MeaningAnswer(of: saved.serial, saved.fields, models)
      batchID = saved.batchID
      thumbnailURL = saved.hasThumbnail ? saved.jobID.map(ThumbnailAddress.path) : nil
    }
  }

  struct Answer: Codable {
    var items: [Item]
    var total: Int
    var limit: Int
    var offset: Int
    @ExplicitNull var nextCursor: String?
    /// The requested times, and the time zone of days.
    var range: TimeRange

    private enum CodingKeys: String, CodingKey {
      case items
      case total
      case limit
      case offset
      case nextCursor = "next_cursor"
      case range
    }
  }

  let store: any ServerStore
  let codes: StoreCodes

  var endpoint: Endpoint {
    Endpoint(
      .get, "/history", "ListSavedSerials", "List saved serials", "With search, filters, sorting and pages.",
      topic: .serials, access: .own,
      parameters: SerialFilter.parameters + [
        CommonParameters.limit, Self.offset, CommonParameters.cursor, Self.sort, Self.order,
      ], answers: [.json(Answer.self, isPage: true)], errors: [.batchNotFound], handler: answer)
  }

  private static let offset = Parameter<Int>.integer(
    "offset", in: 0...100_000_000, default: 0, "Items to skip; a cursor costs less in long lists.")
  private static let sort = Parameter<SerialQuery.Sort?>.choice("sort_by", "Order; default: `created_at`.")
  private static let order = Parameter<SortOrder?>.choice("sort_order", "Default: `desc`.")

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let range = try TimeRange(query)
    var filter = try SerialFilter(query, range)
    try await store.require(batch: filter.batchID)
    filter.keyID = context.caller.limitedTo(inBatch: filter.batchID)
    let wanted = SerialQuery(
      filter: filter, sort: try query[Self.sort] ?? .createdAt,
      ascending: try query[Self.order] == .ascending,
      limit: try query[CommonParameters.limit], offset: try query[Self.offset],
      cursor: try query[CommonParameters.cursor])
    let (page, models) = (try await store.serials(wanted), await codes.modelNames())
    return .json(
      Answer(
        items: page.items.map { Item($0, models) }, total: try await store.serialCount(filter), limit: wanted.limit,
        offset: wanted.offset, nextCursor: page.nextCursor, range: range)
    ).linked(to: page.nextCursor, of: request)
  }
}

extension History.Item: WireObject {
  static let wireName = "SavedSerial"
  static let wireNotes: [String: Schema] = [
    "confidence": .share,
    "filename": .about("The file name that the client gave the photo."),
    "verdict": .about("The photo's verdict."),
    "confirmed_at": .about("When a person last confirmed it."),
    "seen_before": .about("When the same serial was last read before; null if it is new."), "batch_id": .batchID,
    "thumbnail_url": ThumbnailAddress.note,
  ]
}

extension History.Answer: WireObject {
  static let wireName = "History"
}
