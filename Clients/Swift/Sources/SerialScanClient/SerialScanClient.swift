import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A client of a SerialScan server, which reads Apple serial numbers from photos.
///
/// ```swift
/// let client = SerialScanClient(baseURL: url, apiKey: key)
/// let job = try await client.scan(image: .file(photo), deviceType: "MacBook Pro")
/// let result = try await job.result()
/// ```
///
/// Every method retries transient failures (see ``RetryPolicy``) and throws ``SerialScanError``, or `CancellationError`
/// if its task was cancelled.
public struct SerialScanClient: Sendable {
  let connection: Connection

  /// Creates a client without sending anything.
  ///
  /// - Parameters:
  ///   - baseURL: the server's address, including a path behind a proxy (`https://bench.example/scan`).
  ///   - apiKey: the API key; nil if the server requires none.
  ///   - retries: when to retry a request.
  ///   - deadlines: the time limits of requests.
  ///   - configuration: the session's configuration, for proxies and cellular access.
  public init(
    baseURL: URL, apiKey: String? = nil, retries: RetryPolicy = RetryPolicy(), deadlines: Deadlines = Deadlines(),
    configuration: URLSessionConfiguration = .ephemeral
  ) {
    connection = Connection(
      baseURL: baseURL, apiKey: apiKey, retries: retries, deadlines: deadlines,
      session: URLSession(configuration: configuration))
  }

  /// Sends a photo. Returns once the server has stored it.
  ///
  /// - Parameters:
  ///   - image: the photo: JPEG, PNG, WebP, TIFF or HEIC. A file is streamed.
  ///   - deviceType: the device type, such as `MacBook Pro` or `iPhone 15`; nil if unknown.
  ///   - preset: the type of surface; nil to detect it.
  ///   - region: the region of the photo to read; nil for the whole photo.
  ///   - multiple: whether to read every serial of the photo.
  ///   - batch: the id of the open batch that the photo belongs to.
  ///   - callbackURL: the URL to which the server sends the result once the job has ended; its host must be in the
  ///     server's `webhooks.allow`.
  ///   - persist: whether the server saves the serial; servers before 1.2 always do.
  ///   - idempotencyKey: identifies the photo. Sending a photo again with the same key returns the same job.
  public func scan(
    image: ImageSource, deviceType: String? = nil, preset: Preset? = nil, region: Region? = nil,
    multiple: Bool = false, batch: String? = nil, callbackURL: URL? = nil, persist: Bool = true,
    idempotencyKey: String = UUID().uuidString
  ) async throws -> ScanJob {
    let options = ScanOptions(
      deviceType: deviceType, preset: preset, region: region, multiple: multiple, batch: batch,
      callbackURL: callbackURL, persist: persist ? nil : false)
    return try await scan(image: image, options: options, idempotencyKey: idempotencyKey, retries: connection.retries)
  }

  /// Sends a photo.
  ///
  /// - Parameter folder: the folder in which the form is written until it is sent.
  func scan(
    image: ImageSource, options: ScanOptions, idempotencyKey: String, retries: RetryPolicy, folder: URL? = nil
  ) async throws -> ScanJob {
    let response = try await upload(
      image, to: "scan", query: options.query, fields: options.fields, idempotencyKey: idempotencyKey,
      retries: retries, folder: folder, as: ScanResponse.self)
    return ScanJob(id: response.jobId, response: response, connection: connection)
  }

  /// Sends a photo and waits for its best serial, ahead of the queue.
  ///
  /// Throws ``ErrorCode/noTextDetected`` if there is no serial, ``ErrorCode/lowConfidence`` if the best one is below
  /// `minConfidence`, and ``ErrorCode/processingTimeout`` if the server does not finish in time. The error's
  /// ``SerialScanError/jobId`` is then the id of the job, which continues.
  ///
  /// - Parameters:
  ///   - image: the photo.
  ///   - deviceType: the device type, such as `MacBook Pro`; nil if unknown.
  ///   - preset: the type of surface; nil to detect it.
  ///   - region: the region of the photo to read; nil for the whole photo.
  ///   - multiple: whether to read every serial of the photo.
  ///   - batch: the id of the open batch that the photo belongs to.
  ///   - minConfidence: the minimum confidence to accept, 0 to 1.
  ///   - persist: whether the server saves the serial.
  ///   - debug: whether the server keeps an annotated picture.
  ///   - idempotencyKey: identifies the photo, as in
  ///     ``scan(image:deviceType:preset:region:multiple:batch:callbackURL:persist:idempotencyKey:)``.
  public func processSerial(
    image: ImageSource, deviceType: String? = nil, preset: Preset? = nil, region: Region? = nil,
    multiple: Bool = false, batch: String? = nil, minConfidence: Double? = nil, persist: Bool = true,
    debug: Bool = false, idempotencyKey: String = UUID().uuidString
  ) async throws -> ProcessedSerial {
    let options = ScanOptions(
      deviceType: deviceType, preset: preset, region: region, multiple: multiple, batch: batch,
      persist: persist ? nil : false)
    var query = options.query
    if let minConfidence { query.append(("min_confidence", String(minConfidence))) }
    if debug { query.append(("debug", "true")) }
    return try await upload(
      image, to: "process-serial", query: query, fields: options.fields, idempotencyKey: idempotencyKey,
      retries: connection.retries, as: ProcessedSerial.self)
  }

  /// Returns a job sent earlier, by the id of its ``ScanJob`` or outbox item.
  public func job(id: String) -> ScanJob { ScanJob(id: id, response: nil, connection: connection) }

  /// Returns the server's health, even if the server reports a problem. Never needs a key.
  public func health() async throws -> Health {
    var request = Request(.get, "health")
    request.acceptedStatuses = [200, 503]
    return try await connection.json(request)
  }

  /// Returns the server's presets by name.
  public func presets() async throws -> [String: PresetDescription] {
    try await connection.json(Request(.get, "params"), as: Presets.self).presets
  }

  /// Returns the server's limits, thresholds and names.
  public func settings() async throws -> ServerSettings { try await connection.json(Request(.get, "config")) }

  /// Returns figures over the saved serials and the jobs.
  ///
  /// - Parameters:
  ///   - days: the number of days of ``Statistics/byDay`` and ``Statistics/verdictsByDay``, 1 to 366.
  ///   - batch: the id of the batch; nil for all serials and jobs.
  public func statistics(days: Int = 30, batch: String? = nil) async throws -> Statistics {
    var request = Request(.get, "stats")
    request.query = [("days", String(days))] + (batch.map { [("batch", $0)] } ?? [])
    return try await connection.json(request)
  }

  /// Lists the webhooks of ended jobs, latest first.
  ///
  /// - Parameters:
  ///   - status: only webhooks in this state; nil for all.
  ///   - pageSize: the number of webhooks per page, 1 to 500.
  public func webhooks(status: Webhook.Status? = nil, pageSize: Int = 100) -> Listing<WebhookPage> {
    Listing(
      connection, path: "webhooks",
      query: (status.map { [("status", $0.rawValue)] } ?? []) + [("limit", String(pageSize))])
  }

  /// Sends a job's webhook again, also a delivered one; its attempts restart. Throws ``ErrorCode/jobNotFound`` if the job
  /// has none.
  @discardableResult public func retryWebhook(jobId: String) async throws -> Webhook {
    try await connection.json(Request(.post, "webhooks/\(Request.escape(jobId))/retry"))
  }

  /// Saves a serial read on this device.
  ///
  /// - Parameters:
  ///   - serial: the serial with its confidence and source.
  ///   - idempotencyKey: identifies the read. Submitting it again with the same key returns the same saved serial.
  public func submit(serial: DeviceSerial, idempotencyKey: String = UUID().uuidString) async throws -> SavedSerial {
    var request = try Request(.post, "serials", json: serial, isRepeatable: true)
    request.headers["Idempotency-Key"] = idempotencyKey
    return try await connection.json(request)
  }

  /// Confirms the serial in a job's photo. Calling it again changes the same row.
  public func confirm(jobId: String, serial: String) async throws -> ConfirmedSerial {
    try await connection.json(
      Request(.post, "jobs/\(Request.escape(jobId))/confirm", json: ["serial": serial], isRepeatable: true))
  }

  /// Returns a small upright JPEG of a job's photo. Its job's `thumbnailUrl` says whether there is one.
  public func thumbnail(jobId: String) async throws -> Data {
    try await connection.data(Request(.get, "result/\(Request.escape(jobId))/thumbnail"))
  }

  /// Downloads a job's photo as it was sent. Replaces an existing file once the download is complete.
  ///
  /// - Parameters:
  ///   - jobId: the job's id.
  ///   - file: the location of the downloaded file.
  ///   - marked: whether the reads are drawn in; the file is then a PNG.
  public func photo(jobId: String, to file: URL, marked: Bool = false) async throws {
    try await connection.download(
      Request(.get, "result/\(Request.escape(jobId))/\(marked ? "image" : "photo")"), to: file)
  }

  /// Downloads the saved serials as a spreadsheet. Replaces an existing file once the download is complete.
  ///
  /// - Parameters:
  ///   - file: the location of the downloaded file.
  ///   - format: the file's format.
  ///   - filter: conditions on the serials; all by default.
  public func export(to file: URL, format: ExportFormat = .xlsx, filter: SerialFilter = SerialFilter()) async throws {
    var request = Request(.get, "export")
    request.query = filter.query + [("format", format.rawValue)]
    try await connection.download(request, to: file)
  }

  /// Lists the saved serials, latest first unless sorted otherwise, loaded page by page as they are iterated.
  ///
  /// - Parameters:
  ///   - filter: conditions on the serials; all by default.
  ///   - sortedBy: the sort order.
  ///   - ascending: whether the order is ascending.
  ///   - pageSize: the number of serials per page, 1 to 500.
  public func history(
    filter: SerialFilter = SerialFilter(), sortedBy: HistoryOrder = .createdAt, ascending: Bool = false,
    pageSize: Int = 100
  ) -> History {
    var query = filter.query
    query += [("limit", String(pageSize)), ("sort_by", sortedBy.rawValue), ("sort_order", ascending ? "asc" : "desc")]
    return History(connection, path: "history", query: query)
  }

  private func upload<Answer: Decodable & Sendable>(
    _ image: ImageSource, to path: String, query: [(String, String)], fields: [(String, String)],
    idempotencyKey: String, retries: RetryPolicy, folder: URL? = nil, as type: Answer.Type
  ) async throws -> Answer {
    let form = try MultipartFile(image: image, fields: fields, in: folder ?? FileManager.default.temporaryDirectory)
    defer { form.remove() }
    var request = Request(.post, path)
    request.query = query
    request.headers = ["Content-Type": form.contentType, "Idempotency-Key": idempotencyKey]
    request.body = .file(form.url)
    request.step = connection.deadlines.upload
    return try await connection.json(request, retries: retries)
  }
}

/// A photo to send.
public enum ImageSource: Sendable {
  /// The bytes of a photo's file.
  case data(Data, filename: String = "photo")
  /// A photo's file, which is streamed; `filename` sets a different name for the server.
  case file(URL, filename: String? = nil)

  var filename: String {
    switch self {
    case .data(_, let filename): filename
    case .file(let url, let filename): filename ?? url.lastPathComponent
    }
  }
}

/// The options for reading a photo.
struct ScanOptions: Sendable, Codable, Equatable {
  var deviceType: String?
  var preset: Preset?
  var region: Region?
  var multiple = false
  var batch: String?
  var callbackURL: URL?
  /// Whether the server saves the serial; nil for its default. Optional because photos in outboxes of earlier versions
  /// don't say.
  var persist: Bool?

  var fields: [(String, String)] {
    // The callback URL may contain a secret, and proxies log queries.
    [
      ("device_type", deviceType), ("preset", preset?.rawValue), ("batch", batch),
      ("callback_url", callbackURL?.absoluteString),
    ].compactMap { name, value in value.map { (name, $0) } }
  }

  /// The parameters that servers before 1.2 do not know, and that are therefore sent only if given.
  var query: [(String, String)] {
    (region.map { [("region", $0.text)] } ?? []) + (multiple ? [("multiple", "true")] : [])
      + (persist.map { [("persist", String($0))] } ?? [])
  }
}
