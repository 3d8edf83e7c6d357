import HTTPTypes
import Hummingbird
import JobStore
import ScanModel
import Settings

/// From a request with a photo to a job in the queue.
struct Intake: Sendable {
  /// The longest device type.
  private static let deviceTypeLimit = 100

  /// The names that a query may have where a photo is sent.
  static let parameters = ["preset", "device_type", "region", "multiple"]

  let store: any ServerStore
  /// How many photos wait, as of half a second ago.
  let queue: FreshCheck<QueueStatus?>
  /// Photos that may wait, and places beyond for those that somebody waits for.
  let maxWaiting: Int
  let reserved: Int
  /// Whether every serial is read where a request does not say.
  let multiple: Bool
  /// Where the ends of jobs may be sent, and where they are when a request does not say.
  let webhooks: Settings.Webhooks

  /// Stores photo and job; where it throws, neither is there.
  func accept(
    _ request: Request, _ context: APIContext, upload: PhotoUpload, priority: Int, persist: Bool, annotate: Bool,
    callsBack: Bool = false
  ) async throws -> EnqueuedJob {
    let query = Query(request)
    // What the query says wrongly is told before the photo is sent.
    _ = try Self.preset(named: query.text("preset"), deviceType: query.text("device_type", limit: Self.deviceTypeLimit))
    _ = try Self.part(named: query["region"])
    _ = try callback(named: query["callback_url"])
    let multiple = try query.flag("multiple") ?? multiple
    let key = try context.idempotencyKey(of: request)
    try await refuseWhereFull(priority: priority)
    let form = try await upload.receive(request, context: context, withDigest: key != nil)
    do {
      let deviceType = form.fields["device_type"] ?? query["device_type"]
      try ClientText.check(deviceType, named: "device_type", limit: Self.deviceTypeLimit)
      let preset = try Self.preset(named: form.fields["preset"] ?? query["preset"], deviceType: deviceType)
      var options = RequestOptions()
      options.add("preset", preset?.rawValue)
      options.add("device_type", deviceType)
      let part = try Self.part(named: form.fields["region"] ?? query["region"])
      options.add("region", part?.description)
      let everySerial = try form.fields["multiple"].map { try Query.flag("multiple", $0.trimmed) } ?? multiple
      options.add("multiple", everySerial ? "true" : nil)
      options.add("persist", persist ? nil : "false")
      let callback = try callsBack ? callback(named: form.fields["callback_url"] ?? query["callback_url"]) : nil
      options.add("callback_url", callback?.text)
      let job = NewJob(
        id: form.id,
        request: JobRequest(
          photo: "\(form.id).\(form.checked.header.format.fileExtension)", photoBytes: form.photoBytes, preset: preset,
          deviceType: deviceType, persist: persist, annotate: annotate, filename: form.filename,
          part: part, everySerial: everySerial, origin: context.jobOrigin),
        priority: priority, idempotencyKey: key, photoDigest: form.checked.digest.map(options.fingerprint(ofPhoto:)),
        callbackURL: callsBack ? (callback ?? webhooks.defaultURL)?.text : nil)
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

  /// Throws 503 where the queue is full, before a photo is received and written. The store has the last word later.
  private func refuseWhereFull(priority: Int) async throws {
    guard let status = try await queue.outcome() else { return }
    let most = maxWaiting.addingReportingOverflow(priority > 0 ? reserved : 0).partialValue
    guard status.waiting >= most else { return }
    throw APIError.queueFull(waiting: status.waiting, throughput: status.throughput)
  }

  /// The preset that is named, or the one that the device type stands for; nil where the picture decides.
  static func preset(named name: String?, deviceType: String?) throws -> Preset? {
    if let name = name?.trimmed, !name.isEmpty {
      guard let preset = Preset(rawValue: name.lowercased()) else { throw APIError.unknownPreset(name) }
      return preset
    }
    return deviceType.flatMap(Preset.init(deviceType:))
  }

  /// The address that `callback_url` names; nil where it is missing or empty.
  private func callback(named text: String?) throws -> WebhookURL? {
    guard let text = text?.trimmed, !text.isEmpty else { return nil }
    do throws(WebhookRules.Refusal) {
      return try webhooks.rules.url(text)
    } catch {
      throw APIError.callbackRefused(error)
    }
  }

  /// The part of the photo that `region` names; nil where it is missing or empty.
  private static func part(named text: String?) throws -> PhotoPart? {
    guard let text = text?.trimmed, !text.isEmpty else { return nil }
    guard let part = PhotoPart(text) else {
      throw APIError.invalidParameter(
        "region", "must be x0,y0,x1,y1 in shares of the upright photo: 0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1")
    }
    return part
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
