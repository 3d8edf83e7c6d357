import Foundation
import Hummingbird
import JobStore
import Support

/// `POST /serials`: saves a serial that was read on a device, or by a hardware scanner.
struct SavingSerials: Sendable {
  struct Body: Decodable, HasOptionalFields {
    static let fieldNames = SchemaBook.memberNames(of: Self.self)

    var serial: String
    /// Required from devices; a scanner checks what it reads, and reports no confidence.
    var confidence: Double?
    var deviceType: String?
    var source: String
    var ts: String?
    var notes: String?
    var batch: String?
    /// Values of the device's custom fields; null removes one.
    var custom: [String: String?]?

    private enum CodingKeys: String, CodingKey {
      case serial
      case confidence
      case deviceType = "device_type"
      case source
      case ts
      case notes
      case batch
      case custom
    }

    /// A digest of all fields, for comparing requests with the same Idempotency-Key.
    var fingerprint: String {
      var options = RequestOptions()
      options.add("serial", serial)
      options.add("confidence", confidence.map { "\($0)" })
      options.add("device_type", deviceType)
      options.add("source", source)
      options.add("ts", ts)
      options.add("notes", notes)
      options.add("batch", batch)
      for (name, value) in (custom ?? [:]).sorted(by: { $0.key < $1.key }) {
        options.add("custom.\(name)", value.map { "=\($0)" } ?? "removed")
      }
      return options.fingerprint
    }
  }

  struct Answer: Codable {
    var success = true
    var serialID: Int64
    var message: String
    var validationPassed: Bool
    var confidenceAcceptable: Bool
    var timestamp: Date
    /// The serial with 0 and 1 for `O` and `I`, if that has a valid format and the typed one does not.
    @ExplicitNull var didYouMean: String?

    private enum CodingKeys: String, CodingKey {
      case success
      case serialID = "serial_id"
      case message
      case validationPassed = "validation_passed"
      case confidenceAcceptable = "confidence_acceptable"
      case timestamp
      case didYouMean = "did_you_mean"
    }
  }

  let store: any ServerStore
  let configuration: APIConfiguration

  var endpoint: Endpoint {
    Endpoint(
      .post, "/serials", "SaveASerial", "Save a serial",
      "One that was read on a device, or by a hardware scanner, with values of its device's fields.",
      topic: .serials,
      access: .scan, parameters: [CommonParameters.idempotencyKey], bodies: [.json(Body.self)],
      answers: [.json(Answer.self)], errors: [.idempotencyConflict, .batchNotFound, .batchEnded, .storageFull],
      handler: answer)
  }

  /// The sources whose serials clients may save.
  fileprivate static let sources: [SerialSource] = [.ios, .mac, .scanner]

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let body = try await context.json(Body.self, from: request)
    let serial = try TypedSerial(body.serial)
    guard let source = SerialSource(rawValue: body.source), Self.sources.contains(source) else {
      throw APIError.invalidParameter("source", "must be ios, mac or scanner")
    }
    let isScanned = source == .scanner
    guard let confidence = body.confidence ?? (isScanned ? 1 : nil), (0...1).contains(confidence) else {
      throw APIError.invalidParameter("confidence", "must be a number from 0 to 1")
    }
    try TypedSerial.check(deviceType: body.deviceType, notes: body.notes)
    let batch = try Self.batch.value(of: body.batch)
    let custom = try configuration.settings.fields.custom.checked(body.custom ?? [:])
    let key = try context.idempotencyKey(of: request).map { SaveKey(name: $0, request: body.fingerprint) }
    let isAcceptable = confidence >= configuration.settings.reading.acceptFromDevices
    let saved = try await store.save(
      NewSerial(
        serial: serial.text, confidence: confidence, source: source, isValid: serial.isValid,
        deviceType: body.deviceType, method: isScanned ? "scanner" : "device", notes: body.notes,
        readAt: try body.ts.map(Self.time), verdict: serial.isValid && isAcceptable ? .accepted : .uncertain,
        keyID: context.caller.keyID, key: key, batchID: batch, custom: custom))
    return .json(
      Answer(
        serialID: saved.id, message: Self.message(isValid: serial.isValid, isAcceptable: isAcceptable),
        validationPassed: serial.isValid,
        confidenceAcceptable: isAcceptable, timestamp: saved.createdAt, didYouMean: serial.proposal))
  }

  private static let batch = CommonParameters.batch("The id of the batch it belongs to.")

  private static func message(isValid: Bool, isAcceptable: Bool) -> String {
    if !isValid { return "Serial saved, but it is not a valid Apple serial number format; please check it" }
    return isAcceptable ? "Serial saved" : "Serial saved, but with a low confidence; please check it"
  }

  /// The maximum number of seconds by which a device's clock may be ahead. A day allows for local time sent as UTC; a
  /// later time would stand first in every list for as long.
  private static let mostAhead: TimeInterval = 86_400

  private static func time(_ text: String) throws -> Date {
    guard let date = Date(rfc3339: text) else {
      throw APIError.invalidParameter("ts", "must be a time like 2026-01-31T12:00:00Z, of the years 1970 to 9999")
    }
    guard date.timeIntervalSinceNow <= mostAhead else {
      throw APIError.invalidParameter(
        "ts", "must be at most a day ahead of the server's clock (got \(text.shown)): check the device's clock")
    }
    return date
  }
}

extension SavingSerials.Body: WireObject {
  static let wireName = "NewSerial"
  static let wireNotes: [String: Schema] = [
    "serial": TypedSerial.note,
    "confidence": Schema(["type": ["number", "null"]]).merging(.share).about(
      "Required, except from `scanner`. Default: 1."),
    "device_type": nullableText.merging(.longest(TypedSerial.longestDeviceType)),
    "source": Schema(["enum": .array(SavingSerials.sources.map { .text($0.rawValue) })]),
    "ts": nullableText.merging(Schema(["format": "date-time"])).about(
      "When it was read, at most a day ahead. Default: now."),
    "notes": nullableText.merging(.longest(TypedSerial.longestNotes)),
    "batch": nullableText.about("The id of the batch it belongs to."), "custom": JobNotes.changes,
  ]

  private static let nullableText = Schema(["type": ["string", "null"]])
}

extension SavingSerials.Answer: WireObject {
  static let wireName = "SavingAnswer"
  static let wireNotes: [String: Schema] = ["did_you_mean": TypedSerial.proposalNote]
}
