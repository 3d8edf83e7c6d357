import AppleSerial
import Exports
import Foundation
import Hummingbird
import JobStore
import Settings
import Support

/// `GET /devices`, and `GET`, `PATCH` and `DELETE /devices/{serial}`.
struct Devices: Sendable {
  struct List: Codable {
    var items: [DeviceAnswer]
    var total: Int
    var limit: Int
    @ExplicitNull var nextCursor: String?
    /// The requested times, and the time zone of days.
    var range: TimeRange

    private enum CodingKeys: String, CodingKey {
      case items
      case total
      case limit
      case nextCursor = "next_cursor"
      case range
    }
  }

  /// A device with its reads.
  struct Whole: Encodable, WireType {
    private enum CodingKeys: String, CodingKey {
      case reads
    }

    var device: DeviceAnswer
    var reads: [History.Item]

    func encode(to encoder: any Encoder) throws {
      try device.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(reads, forKey: .reads)
    }
  }

  struct Body: Decodable {
    var custom: [String: String?]
    /// The new device type; empty to remove it, which a client writes as null.
    var deviceType: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case custom
      case deviceType = "device_type"
    }

    init(from decoder: any Decoder) throws {
      try decoder.requireFields(CodingKeys.allCases.map(\.rawValue), of: "A device")
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      custom = fields.contains(.custom) ? try fields.decode([String: String?].self, forKey: .custom) : [:]
      if fields.contains(.deviceType) {
        deviceType = try fields.decodeIfPresent(String.self, forKey: .deviceType) ?? ""
      }
    }
  }

  struct Deletion: Codable {
    var success = true
    var serial: String
    var readsDeleted: Int

    private enum CodingKeys: String, CodingKey {
      case success
      case serial
      case readsDeleted = "reads_deleted"
    }
  }

  /// The maximum number of reads in the response for a device.
  private static let mostReads = 100

  let store: any ServerStore
  let fields: [CustomField]
  let codes: StoreCodes

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/devices", "ListDevices", "List devices",
        "One row per serial, with how often and when it was read. `custom.NAME` filters by a field of `custom_fields` in /config, "
          + "ignoring case.",
        topic: .serials, access: .own,
        parameters: SerialFilter.parameters + DeviceFilter.furtherParameters(fields) + [
          CommonParameters.limit, CommonParameters.cursor, Self.sort, Self.order,
        ], answers: [.json(List.self, isPage: true)], errors: [.batchNotFound], handler: list),
      Endpoint(
        .get, "/devices/{serial}", "GetADevice", "Get a device",
        "With its reads, the latest first, at most \(Self.mostReads); those in batches are shown to every key.",
        topic: .serials, access: .own, parameters: [Self.serial], answers: [.json(Whole.self)],
        errors: [.deviceNotFound], handler: get),
      Endpoint(
        .patch, "/devices/{serial}", "ChangeADevice", "Change a device",
        "Sets values of custom fields and the device type. Omitted values stay; null removes a value, or returns to the "
          + "device type that the reads name. A code in a later photo never replaces a value that was set here.",
        topic: .serials, access: .change, parameters: [Self.serial], bodies: [.json(Body.self)],
        answers: [.json(DeviceAnswer.self)], errors: [.deviceNotFound, .storageFull], handler: change),
      Endpoint(
        .delete, "/devices/{serial}", "DeleteADevice", "Delete a device",
        "Deletes its reads with their history, and its values. Jobs with their photos are deleted on their own.",
        topic: .serials, access: .admin, parameters: [Self.serial], answers: [.json(Deletion.self)],
        errors: [.deviceNotFound], handler: delete),
    ]
  }

  private static let sort = Parameter<DeviceQuery.Sort?>.choice("sort_by", "Order; default: `last_seen`.")
  private static let order = Parameter<SortOrder?>.choice("sort_order", "Default: `desc`.")
  private static let serial = Parameter<String>.path(
    "serial", "The serial, as people write it: spaces, hyphens and a leading S don't matter.")

  private func list(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let range = try TimeRange(query)
    var filter = try DeviceFilter(query, range, fields)
    filter.keyID = context.caller.limitedTo(inBatch: filter.batchID)
    try await store.require(batch: filter.batchID)
    let wanted = DeviceQuery(
      filter: filter, sort: try query[Self.sort] ?? .lastSeen, ascending: try query[Self.order] == .ascending,
      limit: try query[CommonParameters.limit], cursor: try query[CommonParameters.cursor])
    let (page, models) = (try await store.devices(wanted), await codes.modelNames())
    return .json(
      List(
        items: page.items.map { DeviceAnswer($0, fields, models) }, total: try await store.deviceCount(filter),
        limit: wanted.limit, nextCursor: page.nextCursor, range: range)
    ).linked(to: page.nextCursor, of: request)
  }

  private func get(_ request: Request, _ context: APIContext) async throws -> Response {
    let (serial, key) = (try context.deviceSerial(), context.caller.limitedTo)
    guard let device = try await store.device(serial: serial, keyID: key) else {
      throw APIError.deviceNotFound
    }
    let reads = try await store.reads(ofDevice: serial, keyID: key, limit: Self.mostReads)
    let models = await codes.modelNames()
    return .json(
      Whole(device: DeviceAnswer(device, fields, models), reads: reads.map { History.Item($0, models) }))
  }

  private func change(_ request: Request, _ context: APIContext) async throws -> Response {
    let serial = try context.deviceSerial()
    let body = try await context.json(Body.self, from: request)
    try ClientText.check(body.deviceType, named: "device_type", limit: TypedSerial.longestDeviceType)
    let change = DeviceChange(custom: try fields.checked(body.custom), deviceType: body.deviceType)
    // A key that may change only its own jobs may change only devices with reads of its own.
    let key = context.caller.isAdmin ? nil : context.caller.keyID ?? ""
    guard let device = try await store.changeDevice(serial: serial, change, keyID: key) else {
      // No device is forbidden to an unlimited key: one that exists now was created since.
      guard key != nil, try await store.device(serial: serial, keyID: context.caller.limitedTo) != nil else {
        throw APIError.deviceNotFound
      }
      throw APIError.deviceChangeForbidden
    }
    return .json(DeviceAnswer(device, fields, await codes.modelNames()))
  }

  private func delete(_ request: Request, _ context: APIContext) async throws -> Response {
    let serial = try context.deviceSerial()
    guard let reads = try await store.deleteDevice(serial: serial) else { throw APIError.deviceNotFound }
    return .json(Deletion(serial: serial, readsDeleted: reads))
  }
}

extension [CustomField] {
  /// Returns the configured name of a field. Throws 422 if it is not configured.
  func known(_ name: String) throws(APIError) -> String {
    if let field = first(where: { $0.name == name }) { return field.name }
    let advice = Spelling.advice(for: name, among: map(\.name))
    let names = map { "`\($0.name)`" }.joined(separator: ", ")
    let all = isEmpty ? "This server has none; see `fields.custom`." : "This server has \(names)."
    throw APIError(.invalidParameter, "There is no custom field `\(name.shown)`.\(advice) \(all)")
  }

  /// Returns checked values by the names of fields. Throws 422.
  func checked(_ values: [String: String?]) throws(APIError) -> [String: String?] {
    var checked: [String: String?] = [:]
    for (name, value) in values {
      let known = try known(name)
      if let value {
        checked[known] = try self.checked(value, named: known)
      } else {
        checked.updateValue(nil, forKey: known)
      }
    }
    return checked
  }

  /// Returns a checked value of a field. Throws 422.
  func checked(_ value: String, named name: String) throws(APIError) -> String {
    let name = try known(name)
    guard let field = first(where: { $0.name == name }) else { return value }
    switch field.checked(value) {
    case .success(let text): return text
    case .failure(let problem): throw APIError.invalidParameter("custom.\(name)", problem.rule)
    }
  }
}

extension APIContext {
  /// Returns the serial from the path, normalised. A text that can't be a serial is answered like an unknown one.
  fileprivate func deviceSerial() throws -> String {
    guard let serial = try parameters.require("serial").removingPercentEncoding.flatMap({ WrittenSerial($0) }) else {
      throw APIError.deviceNotFound
    }
    return serial.text
  }
}

extension APIError {
  static let deviceNotFound = APIError(
    .deviceNotFound, "There is no device with this serial: it is mistyped, was never read, or was deleted.")

  fileprivate static let deviceChangeForbidden = APIError(
    .forbidden, "Only other keys have read this device. Changing it needs a key with the scope `admin`.")
}

extension Devices.List: WireObject {
  static let wireName = "Devices"
}

extension Devices.Whole {
  static func schema(in book: SchemaBook) -> Schema {
    book.object("DeviceWithReads", for: Self.self, notes: DeviceAnswer.wireNotes) {
      book.members(of: DeviceAnswer.self) + [book.member("reads", [History.Item].self)]
    }
  }
}

extension Devices.Body: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    book.object(
      "DeviceChanges", for: Self.self,
      notes: [
        "": Schema(["additionalProperties": false]), "device_type": .longest(TypedSerial.longestDeviceType),
        "custom": JobNotes.changes,
      ]
    ) {
      [
        book.member("custom", [String: String?].self, isRequired: false),
        book.member("device_type", String?.self, isRequired: false),
      ]
    }
  }
}

extension Devices.Deletion: WireObject {
  static let wireName = "DeviceDeletion"
}
