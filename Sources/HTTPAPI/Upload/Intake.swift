import HTTPTypes
import Hummingbird
import JobStore
import ScanModel
import Settings
import Support

/// Turns requests with a photo into jobs in the queue.
struct Intake: Sendable {
  static let preset = Parameter<Preset?>(
    "preset", "How to read; a form field wins. Default: by the device type, otherwise detected in the photo."
  ) { book in
    Preset.schema(in: book)
  } parse: { text in
    guard let name = text?.trimmed, !name.isEmpty else { return nil }
    guard let preset = Preset(rawValue: name.lowercased()) else { throw APIError.unknownPreset(name) }
    return preset
  }
  private static let deviceType = Parameter<String?>.text(
    "device_type", limit: TypedSerial.longestDeviceType,
    "`MacBook Pro`, `iphone 15`, ...: chooses a preset; with an unknown one it is detected in the photo. A form field wins."
  )
  private static let region = Parameter<PhotoPart?>(
    "region",
    "Reads only this part: x0,y0,x1,y1 as fractions (0 to 1) of the upright photo's width and height. A form field wins. Places "
      + "are given in the whole photo."
  ) { _ in
    Schema(["type": "string", "pattern": "^[^,]+,[^,]+,[^,]+,[^,]+$"])
  } parse: { text in
    guard let text else { return nil }
    guard let part = PhotoPart(text.trimmed) else {
      throw APIError.invalidParameter(
        "region",
        "must be x0,y0,x1,y1 as fractions of the upright photo's width and height: 0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1"
      )
    }
    return part
  }
  private static let multiple = Parameter<Bool?>.flag(
    "multiple",
    "Whether every serial is read, each in `results.serials` with its own verdict. Default: `reading.multiple`. A form field "
      + "wins.")

  private static let batch = CommonParameters.batch(
    "The batch it belongs to: the `id` of an open batch of `/batches`. Anyone who may scan sees its result there. A form field wins."
  )

  /// The address for the job's result. Once webhooks are on, the rules for addresses restrict more than the length.
  static let callback = Parameter<String?>.text(
    "callback_url", limit: WebhookURL.longest,
    "Where the signed result is sent once the job has ended. Default: `webhooks.default`. Only if the operator's "
      + "`webhooks.allow` names its host. A form field wins.")

  private static let persist = Parameter<Bool?>.flag(
    "persist", "Whether an accepted read is saved. Default: true. A form field wins.")
  private static let debug = Parameter<Bool?>.flag(
    "debug", "Draws the reads into a picture. A form field wins.")
  private static let minConfidence = Parameter<Double?>.share(
    "min_confidence", "Below it: 422 `LOW_CONFIDENCE`, and no read is saved. A form field wins.")

  /// The options of a photo, in the query or in the form.
  static let parameters: [any DeclaredParameter] = [preset, deviceType, region, multiple, batch, persist]

  /// The options of a photo whose client waits for the result.
  static let awaitedParameters: [any DeclaredParameter] = [minConfidence, debug]

  /// The errors of an uploaded photo.
  static let errors: [ErrorCode] = [
    .unknownPreset, .missingImage, .emptyImage, .severalImages, .unsupportedImage, .damagedImage, .imageTooLarge,
    .idempotencyConflict, .batchNotFound, .batchEnded, .queueFull, .tooManyUploads, .storageFull,
  ]

  /// The form of `/process-serial`: the photo, and the options that may also be in the query.
  enum Form: WireType {
    static func schema(in book: SchemaBook) -> Schema {
      Intake.form("PhotoForm", for: self, parameters + awaitedParameters, in: book)
    }
  }

  /// The form of `/scan`, which may also name an address for the result.
  enum ScanForm: WireType {
    static func schema(in book: SchemaBook) -> Schema {
      Intake.form("ScanForm", for: self, parameters + [callback], in: book)
    }
  }

  private static func form(
    _ name: String, for type: Any.Type, _ parameters: [any DeclaredParameter], in book: SchemaBook
  ) -> Schema {
    book.object(
      name, for: type,
      notes: [
        "image": Schema(["format": "binary"]).about(
          "The photo: JPEG, PNG, WebP, TIFF or HEIC, whatever its Content-Type.")
      ].merging(parameters.map { ($0.name, .about($0.about)) }) { $1 }
    ) {
      [book.member("image", String.self)]
        + parameters.map { SchemaBook.Member(name: $0.name, schema: $0.schema(in: book), isRequired: false) }
    }
  }

  let store: any ServerStore
  /// The queue's status, at most half a second old.
  let queue: FreshCheck<QueueStatus?>
  /// The maximum number of waiting photos, and additional places for requests that wait for their result.
  let maxWaiting: Int
  let reserved: Int
  /// Whether every serial is read if the request does not specify it.
  let multiple: Bool
  /// The rules for webhook addresses, and the default address.
  let webhooks: Settings.Webhooks

  /// The priority of jobs that a client waits for, above every scan.
  private static let priorityOfAwaited = 10

  /// Stores photo and job. If it throws, neither is stored.
  ///
  /// - Parameter isAwaited: Whether the client waits for the result. If it does, its job comes first and it may set
  ///   `awaitedParameters`, otherwise `callback`.
  func accept(
    _ request: Request, _ context: APIContext, upload: PhotoUpload, isAwaited: Bool
  ) async throws -> EnqueuedJob {
    let priority = isAwaited ? Self.priorityOfAwaited : 0
    let query = Query(request)
    _ = try callback(named: query[Self.callback])
    let key = try context.idempotencyKey(of: request)
    try await refuseWhereFull(priority: priority)
    let form = try await upload.receive(request, context: context, withDigest: key != nil)
    do {
      func value<Value>(_ parameter: Parameter<Value?>) throws -> Value? {
        try form.fields[parameter.name].flatMap { try parameter.value(of: $0.trimmed) } ?? query[parameter]
      }
      let deviceType = try value(Self.deviceType)
      let callback = try isAwaited ? nil : callback(named: value(Self.callback))
      let asJob = try JobRequest(
        photo: "\(form.id).\(form.checked.header.format.fileExtension)", photoBytes: form.photoBytes,
        preset: value(Self.preset) ?? deviceType.flatMap(Preset.init(deviceType:)), deviceType: deviceType,
        persist: value(Self.persist) ?? true, annotate: isAwaited && value(Self.debug) == true, filename: form.filename,
        part: value(Self.region), everySerial: value(Self.multiple) ?? multiple, batchID: value(Self.batch),
        origin: context.jobOrigin, minConfidence: isAwaited ? value(Self.minConfidence) : nil)
      let job = NewJob(
        id: form.id, request: asJob, priority: priority, idempotencyKey: key,
        photoDigest: form.checked.digest.map { asJob.fingerprint(ofPhoto: $0, callbackURL: callback?.text) },
        photoHash: form.photoHash, callbackURL: isAwaited ? nil : (callback ?? webhooks.defaultURL)?.text)
      let enqueued = try await store.enqueue(job, photo: form.photo)
      context.note.jobID = enqueued.id
      return enqueued
    } catch {
      await form.photo.discard()
      if case StoreError.queueFull(let waiting) = error {
        throw APIError.queueFull(waiting: waiting, throughput: try? await store.throughput())
      }
      throw error
    }
  }

  /// Throws 503 if the queue is full, before a photo is received and written. The store checks again later.
  private func refuseWhereFull(priority: Int) async throws {
    guard let status = try await queue.outcome() else { return }
    let most = maxWaiting.addingReportingOverflow(priority > 0 ? reserved : 0).partialValue
    guard status.waiting >= most else { return }
    throw APIError.queueFull(waiting: status.waiting, throughput: status.throughput)
  }

  /// Returns the address in `callback_url`; nil if missing or empty.
  private func callback(named text: String?) throws -> WebhookURL? {
    guard let text = text?.trimmed, !text.isEmpty else { return nil }
    do throws(WebhookRules.Refusal) {
      return try webhooks.rules.url(text)
    } catch {
      throw APIError.callbackRefused(error)
    }
  }
}

extension APIError {
  fileprivate static func callbackRefused(_ refusal: WebhookRules.Refusal) -> APIError {
    switch refusal {
    case .off:
      invalidParameter(
        "callback_url", "is not possible here: webhooks are off. The operator turns them on with `webhooks.allow`")
    case .malformed:
      invalidParameter(
        "callback_url",
        "must be a URL that begins with https://, of at most \(WebhookURL.longest) ASCII characters, without a fragment"
      )
    case .insecure:
      invalidParameter(
        "callback_url", "must begin with https://. The operator can allow http:// for a host in `webhooks.allow`")
    case .notAllowed(let origin):
      invalidParameter(
        "callback_url", "names \(origin.shown), which is not allowed. The operator can add it to `webhooks.allow`")
    }
  }
}
