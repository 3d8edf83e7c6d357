import Foundation
import Hummingbird
import JobStore
import Support

/// `/batches` and `/batches/{batch_id}`: named groups of photos and serials that several people scan into.
struct Batches: Sendable {
  struct Body: Decodable {
    var name: String
  }

  struct Change: Decodable {
    var name: String?
    var ended: Bool?

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case name
      case ended
    }

    init(from decoder: any Decoder) throws {
      try decoder.requireFields(CodingKeys.allCases.map(\.rawValue), of: "A batch")
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      if fields.contains(.name) { name = try fields.decode(String.self, forKey: .name) }
      if fields.contains(.ended) { ended = try fields.decode(Bool.self, forKey: .ended) }
    }
  }

  struct Tally: Codable {
    var photos: Int
    var waiting: Int
    var accepted: Int
    var needsReview: Int
    var noSerial: Int
    var confirmed: Int
    var duplicates: Int
    var devices: Int

    private enum CodingKeys: String, CodingKey {
      case photos
      case waiting
      case accepted
      case needsReview = "needs_review"
      case noSerial = "no_serial"
      case confirmed
      case duplicates
      case devices
    }

    init(_ tally: BatchTally) {
      photos = tally.photos
      waiting = tally.waiting
      accepted = tally.accepted
      needsReview = tally.needsReview
      noSerial = tally.noSerial
      confirmed = tally.confirmed
      duplicates = tally.duplicates
      devices = tally.devices
    }
  }

  struct Item: Codable {
    var id: String
    var name: String
    var createdAt: Date
    @ExplicitNull var endedAt: Date?
    var tally: Tally

    private enum CodingKeys: String, CodingKey {
      case id
      case name
      case createdAt = "created_at"
      case endedAt = "ended_at"
      case tally
    }

    init(_ batch: Batch) {
      id = batch.id
      name = batch.name
      createdAt = batch.createdAt
      endedAt = batch.endedAt
      tally = Tally(batch.tally)
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
    var batchID: String

    private enum CodingKeys: String, CodingKey {
      case success
      case batchID = "batch_id"
    }
  }

  let store: any ServerStore

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/batches", "ListBatches", "List batches", "The latest first, each with its current counts.",
        topic: .batches, access: .any, parameters: [Self.open, CommonParameters.limit, CommonParameters.cursor],
        answers: [.json(List.self, isPage: true)], handler: list),
      Endpoint(
        .post, "/batches", "BeginABatch", "Create a batch",
        "`batch` adds photos and serials to it. Anyone who may scan sees everything in it.", topic: .batches,
        access: .scan, bodies: [.json(Body.self)], answers: [.json(Item.self)],
        errors: [.batchNameTaken, .storageFull], handler: begin),
      Endpoint(
        .get, "/batches/{batch_id}", "AskForABatch", "Get a batch", "With its current counts.", topic: .batches,
        access: .any, parameters: [Self.id], answers: [.json(Item.self)], errors: [.batchNotFound], handler: get),
      Endpoint(
        .patch, "/batches/{batch_id}", "ChangeABatch", "Rename, end or reopen a batch",
        "Each field is optional. A batch that has ended accepts no more photos or serials; waiting photos are still read.",
        topic: .batches, access: .scan, parameters: [Self.id], bodies: [.json(Change.self)],
        answers: [.json(Item.self)], errors: [.batchNotFound, .batchNameTaken, .storageFull], handler: change),
      Endpoint(
        .delete, "/batches/{batch_id}", "DeleteABatch", "Delete a batch",
        "Its photos, jobs and saved serials stay, without a batch.", topic: .batches, access: .admin,
        parameters: [Self.id], answers: [.json(Deletion.self)], errors: [.batchNotFound], handler: delete),
    ]
  }

  private static let open = Parameter<Bool?>.flag("open", "Only open batches, or only ended ones.")
  private static let id = Parameter<String>.path("batch_id", "The batch.", .uuid)

  private func list(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let page = try await store.batches(
      areOpen: try query[Self.open], limit: try query[CommonParameters.limit],
      cursor: try query[CommonParameters.cursor])
    return .json(List(items: page.items.map(Item.init), nextCursor: page.nextCursor))
      .linked(to: page.nextCursor, of: request)
  }

  private func begin(_ request: Request, _ context: APIContext) async throws -> Response {
    let body = try await context.json(Body.self, from: request)
    let batch = try await store.addBatch(
      id: UUID().uuidString.lowercased(), name: try Self.name(body.name), keyID: context.caller.keyID)
    return .json(Item(batch))
  }

  private func get(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.batchID()
    guard let batch = try await store.batch(id: id) else { throw APIError.batchNotFound(id) }
    return .json(Item(batch))
  }

  private func change(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.batchID()
    let body = try await context.json(Change.self, from: request)
    let change = BatchChange(name: try body.name.map(Self.name), isEnded: body.ended)
    guard let batch = try await store.changeBatch(id: id, change) else { throw APIError.batchNotFound(id) }
    return .json(Item(batch))
  }

  private func delete(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.batchID()
    guard try await store.deleteBatch(id: id) else { throw APIError.batchNotFound(id) }
    return .json(Deletion(batchID: id))
  }

  /// The maximum number of characters of a name.
  private static let longestName = 100

  /// Returns a name without blanks around it. Throws 422 unless it is 1 to 100 characters on one line.
  private static func name(_ text: String) throws -> String {
    let name = text.trimmed
    let isOneLine = !name.unicodeScalars.contains { scalar in
      [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
    guard !name.isEmpty, !name.isLonger(than: longestName), isOneLine else {
      throw APIError.invalidParameter("name", "must be 1 to \(longestName) characters on one line")
    }
    return name
  }
}

extension Batches.Body: WireObject {
  static let wireName = "NewBatch"
  static let wireNotes: [String: Schema] = ["name": .length(1...100)]
}

extension Batches.Change: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    book.object(
      "BatchChanges", for: Self.self,
      notes: [
        "": Schema(["additionalProperties": false]), "name": .length(1...100),
        "ended": .about("Whether it has ended; false opens it again."),
      ]
    ) {
      [book.member("name", String.self, isRequired: false), book.member("ended", Bool.self, isRequired: false)]
    }
  }
}

extension Batches.Tally: WireObject {
  static let wireName = "BatchTally"
  static let wireNotes: [String: Schema] = [
    "photos": .atLeast(0).about(
      "Different photos in the batch: `waiting`, `accepted`, `needs_review`, `no_serial` and `confirmed` together. "
        + "Those whose jobs have expired still count; deleted ones do not."),
    "waiting": .atLeast(0).about("Photos that are waiting or being read."),
    "accepted": .atLeast(0).about("Photos with an accepted read that nobody has confirmed."),
    "needs_review": .atLeast(0).about("Photos with an uncertain read that nobody has confirmed or reviewed."),
    "no_serial": .atLeast(0).about("Photos without a serial, which nobody has confirmed."),
    "confirmed": .atLeast(0).about("Photos whose serial a person has confirmed."),
    "duplicates": .atLeast(0).about(
      "Photos sent again (`duplicate_of`), which count nowhere else, and saved serials that repeat another one of the batch."
    ),
    "devices": .atLeast(0).about("Different serials saved in the batch."),
  ]
}

extension Batches.Item: WireObject {
  static let wireName = "Batch"
  static let wireNotes: [String: Schema] = [
    "id": .uuid, "ended_at": .about("When it ended; null while it is open."),
  ]
}

extension Batches.List: WireObject {
  static let wireName = "Batches"
}

extension Batches.Deletion: WireObject {
  static let wireName = "BatchDeletion"
  static let wireNotes: [String: Schema] = ["batch_id": .uuid]
}

extension APIContext {
  /// Returns the batch's id from the path, in lower case as ids are stored.
  fileprivate func batchID() throws -> String { try parameters.require("batch_id").lowercased() }
}

extension CommonParameters {
  /// The batch that a list shows, or that a photo belongs to.
  static let batch = batch("Only those of this batch, from every key.")

  /// Creates the parameter for a batch's id; empty text counts as missing.
  static func batch(_ about: String) -> Parameter<String?> {
    Parameter("batch", about) { _ in
      Schema(["type": "string"]).with(.longest(longestID))
    } parse: { text in
      guard let text = text?.trimmed, !text.isEmpty else { return nil }
      try ClientText.check(text, named: "batch", limit: longestID)
      return text.lowercased()
    }
  }

  /// The maximum number of characters of an id.
  private static let longestID = 100
}

extension Schema {
  /// The batch of a job or a serial.
  static let batchID = uuid.about("The batch it belongs to; null if there is none.")
}

extension BatchStore {
  /// Throws 404 if a request names a batch that does not exist.
  package func require(batch id: String?) async throws {
    if let id, try await !hasBatch(id: id) { throw APIError.batchNotFound(id) }
  }

  /// Throws 404 if a batch does not exist, and 409 if it has ended.
  func requireOpen(batch id: String) async throws {
    guard let batch = try await batch(id: id) else { throw APIError.batchNotFound(id) }
    if batch.endedAt != nil { throw APIError(BatchError.ended(name: batch.name)) }
  }
}

extension APIError {
  static func batchNotFound(_ id: String) -> APIError {
    APIError(
      .batchNotFound, "There is no batch with the id `\(id.shown)`: the id is mistyped, or the batch was deleted.")
  }

  /// Creates the API error for an error of batches.
  init(_ error: BatchError) {
    switch error {
    case .notFound(let id): self = .batchNotFound(id)
    case .ended(let name):
      self.init(
        .batchEnded,
        "The batch `\(name.shown(most: 100))` has ended, so nothing was stored. Reopen it, or send without `batch`.")
    case .nameTaken(let name):
      self.init(
        .batchNameTaken,
        "An open batch is called `\(name.shown(most: 100))`. Use that one, end it first, or choose another name.")
    }
  }
}
