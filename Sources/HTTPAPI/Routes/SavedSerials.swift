import Exports
import Foundation
import Hummingbird
import JobStore
import ScanModel
import Support

/// `PATCH` and `DELETE /serials/{serial_id}`, and the change history: `GET /serials/{serial_id}/history`.
struct SavedSerials: Sendable {
  struct Body: Decodable {
    var serial: String?
    /// The new device type; empty to remove it, which a client writes as null.
    var deviceType: String?
    var notes: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case serial
      case deviceType = "device_type"
      case notes
    }

    init(from decoder: any Decoder) throws {
      try decoder.requireFields(CodingKeys.allCases.map(\.rawValue), of: "A serial")
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      if fields.contains(.serial) { serial = try fields.decode(String.self, forKey: .serial) }
      func text(_ key: CodingKeys) throws -> String? {
        fields.contains(key) ? try fields.decodeIfPresent(String.self, forKey: key) ?? "" : nil
      }
      (deviceType, notes) = (try text(.deviceType), try text(.notes))
    }
  }

  /// A saved serial after the change, and a suggestion.
  struct Changed: Encodable, WireType {
    private enum CodingKeys: String, CodingKey {
      case didYouMean = "did_you_mean"
    }

    var item: History.Item
    var didYouMean: String?

    func encode(to encoder: any Encoder) throws {
      try item.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(didYouMean, forKey: .didYouMean)
    }
  }

  struct Earlier: Codable {
    var changedAt: Date
    var change: EarlierSerial.Change
    var serial: String
    @ExplicitNull var deviceType: String?
    @ExplicitNull var notes: String?
    var confidence: Double
    @ExplicitNull var method: String?

    private enum CodingKeys: String, CodingKey {
      case changedAt = "changed_at"
      case change
      case serial
      case deviceType = "device_type"
      case notes
      case confidence
      case method
    }

    init(_ earlier: EarlierSerial) {
      changedAt = earlier.changedAt
      change = earlier.change
      serial = earlier.serial
      deviceType = earlier.deviceType
      notes = earlier.notes
      confidence = Confidence.displayed(earlier.confidence)
      method = earlier.method
    }
  }

  struct Deletion: Codable {
    var success = true
    var serialID: Int64

    private enum CodingKeys: String, CodingKey {
      case success
      case serialID = "serial_id"
    }
  }

  struct Earliers: Codable {
    var items: [Earlier]
  }

  let store: any ServerStore
  let codes: StoreCodes

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .patch, "/serials/{serial_id}", "ChangeASavedSerial", "Change a saved serial",
        "Each field is optional; null removes a device type or notes. A changed serial gets the method `person` and "
          + "confidence 1, or the reader's own if the photo was read as that. The earlier values stay in its history.",
        topic: .serials, access: .change, parameters: [Self.id], bodies: [.json(Body.self)],
        answers: [.json(Changed.self)], errors: [.serialNotFound, .storageFull], handler: change),
      Endpoint(
        .delete, "/serials/{serial_id}", "DeleteASavedSerial", "Delete a saved serial", "Deletes its history too.",
        topic: .serials, access: .change, parameters: [Self.id], answers: [.json(Deletion.self)],
        errors: [.serialNotFound], handler: delete),
      Endpoint(
        .get, "/serials/{serial_id}/history", "ListWhatASavedSerialWas", "List a saved serial's earlier values",
        "Its values before people changed them, the latest first. A deleted serial has no history.", topic: .serials,
        access: .own, parameters: [Self.id], answers: [.json(Earliers.self)], errors: [.serialNotFound],
        handler: history),
    ]
  }

  private static let id = Parameter<String>.path(
    "serial_id", "The number of the saved serial.", Schema(["type": "integer"]))

  private func change(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.serialID()
    let body = try await context.json(Body.self, from: request)
    try TypedSerial.check(deviceType: body.deviceType, notes: body.notes)
    let serial = try body.serial.map { try TypedSerial($0) }
    let change = SerialChange(
      serial: serial.map { ($0.text, $0.isValid) }, deviceType: body.deviceType, notes: body.notes)
    _ = try await own(id, context.caller)
    guard let saved = try await store.changeSerial(id: id, change) else { throw APIError.serialNotFound }
    return .json(Changed(item: History.Item(saved, await codes.modelNames()), didYouMean: serial?.proposal))
  }

  /// Returns a serial that the caller may change. Throws 404 for what it may not see, and 403 for what it may only see.
  private func own(_ id: Int64, _ caller: Caller) async throws -> SavedSerial {
    guard let serial = try await store.serial(id: id), caller.canAccess(keyID: serial.keyID, batchID: serial.batchID)
    else { throw APIError.serialNotFound }
    guard caller.canChange(keyID: serial.keyID) else { throw APIError.changeForbidden }
    return serial
  }

  private func delete(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.serialID()
    _ = try await own(id, context.caller)
    guard let deleted = try await store.deleteSerial(id: id) else { throw APIError.serialNotFound }
    return .json(Deletion(serialID: deleted.id))
  }

  private func history(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.serialID()
    guard let serial = try await store.serial(id: id),
      context.caller.canAccess(keyID: serial.keyID, batchID: serial.batchID)
    else {
      throw APIError.serialNotFound
    }
    return .json(Earliers(items: try await store.earlierStates(ofSerial: id).map(Earlier.init)))
  }
}

extension SavedSerials.Body: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    book.object(
      "SerialChanges", for: Self.self,
      notes: [
        "": Schema(["additionalProperties": false]), "serial": TypedSerial.note,
        "device_type": .longest(TypedSerial.longestDeviceType), "notes": .longest(TypedSerial.longestNotes),
      ]
    ) {
      [
        book.member("serial", String.self, isRequired: false),
        book.member("device_type", String?.self, isRequired: false),
        book.member("notes", String?.self, isRequired: false),
      ]
    }
  }
}

extension SavedSerials.Changed {
  static func schema(in book: SchemaBook) -> Schema {
    book.object(
      "ChangedSerial", for: Self.self,
      notes: History.Item.wireNotes.merging(["did_you_mean": TypedSerial.proposalNote]) { $1 }
    ) { book.members(of: History.Item.self) + [book.member("did_you_mean", String?.self)] }
  }
}

extension SavedSerials.Earlier: WireObject {
  static let wireName = "EarlierSerial"
  static let wireNotes: [String: Schema] = ["confidence": .share]
}

extension SavedSerials.Earliers: WireObject {
  static let wireName = "EarlierSerials"
}

extension SavedSerials.Deletion: WireObject {
  static let wireName = "SerialDeletion"
}

extension APIContext {
  /// Returns the number of a saved serial from the path. An invalid number is answered like an unknown serial.
  fileprivate func serialID() throws -> Int64 {
    let text = try parameters.require("serial_id")
    // `01` and `+1` are not the paths of serial 1.
    guard let id = Int64(text), String(id) == text else { throw APIError.serialNotFound }
    return id
  }
}

extension APIError {
  static let serialNotFound = APIError(
    .serialNotFound, "There is no saved serial with this id: the id is mistyped, or the serial was deleted.")
}
