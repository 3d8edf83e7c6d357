import Foundation
import Hummingbird
import JobStore
import ScanModel
import Support

/// `GET /history`: the saved serials, searched, filtered, sorted, page by page.
struct History: Sendable {
  struct Item: Encodable {
    var id: Int64
    var timestamp: Date
    var serial: String
    @ExplicitNull var deviceType: String?
    @ExplicitNull var preset: String?
    var confidence: Double
    @ExplicitNull var method: String?
    var source: String
    var isValid: Bool
    @ExplicitNull var notes: String?
    @ExplicitNull var jobID: String?
    @ExplicitNull var filename: String?
    @ExplicitNull var verdict: String?
    @ExplicitNull var confirmedAt: Date?
    @ExplicitNull var seenBefore: Date?
    @ExplicitNull var fields: FieldsAnswer?
    @ExplicitNull var meaning: MeaningAnswer?

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
    }

    init(_ saved: SavedSerial) {
      id = saved.id
      timestamp = saved.createdAt
      serial = saved.serial
      deviceType = saved.deviceType
      preset = saved.preset?.rawValue
      confidence = Confidence.displayed(saved.confidence)
      method = saved.method
      source = saved.source.rawValue
      isValid = saved.isValid
      notes = saved.notes
      jobID = saved.jobID
      filename = saved.filename
      verdict = saved.verdict?.rawValue
      confirmedAt = saved.confirmedAt
      seenBefore = saved.seenBefore
      fields = saved.fields.map(FieldsAnswer.init)
      meaning = MeaningAnswer(of: saved.serial, saved.fields ?? [])
    }
  }

  struct Answer: Encodable {
    var items: [Item]
    var total: Int
    var limit: Int
    var offset: Int
    @ExplicitNull var nextCursor: String?
    /// The times that were asked for, and the zone of days.
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

  private enum Order: String, CaseIterable {
    case ascending = "asc"
    case descending = "desc"
  }

  let store: any ServerStore

  var endpoint: Endpoint {
    Endpoint(
      .get, "/history", access: .own,
      parameters: SerialFilter.parameters + ["limit", "offset", "cursor", "sort_by", "sort_order"], handler: answer)
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let range = try TimeRange(query)
    var filter = try SerialFilter(query, range)
    filter.keyID = context.caller.limitedTo
    let wanted = SerialQuery(
      filter: filter, sort: try query.choice("sort_by", of: SerialQuery.Sort.self) ?? .createdAt,
      ascending: try query.choice("sort_order", of: Order.self) == .ascending,
      limit: try query.integer("limit", in: 1...500) ?? 50,
      offset: try query.integer("offset", in: 0...100_000_000) ?? 0, cursor: try query.text("cursor", limit: 2048))
    let page = try await store.serials(wanted)
    return .json(
      Answer(
        items: page.items.map(Item.init), total: try await store.serialCount(filter), limit: wanted.limit,
        offset: wanted.offset, nextCursor: page.nextCursor, range: range)
    ).linked(to: page.nextCursor, of: request)
  }
}
