import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A persistent queue of photos, sent in order and once each when there is a connection, even if the app was terminated
/// meanwhile.
///
/// ```swift
/// let outbox = try Outbox(folder: folder, client: client)
/// await outbox.start()
/// try await outbox.add(image: .file(photo), deviceType: "MacBook Pro")
/// for await items in await outbox.updates() { show(items) }
/// ```
///
/// A photo is on the disk when ``add(image:deviceType:preset:region:multiple:batch:callbackURL:id:)`` returns. Its
/// Idempotency-Key is stored with it, so that the server creates only one job however often it is sent. A folder can be
/// used by only one outbox at a time.
public actor Outbox {
  /// Limits of an outbox.
  public struct Limits: Sendable {
    /// Maximum number of photos that are waiting or refused.
    public var count: Int
    /// Maximum total size of these photos in bytes.
    public var bytes: Int
    /// Seconds after which a photo is refused with ``ErrorCode/expired`` instead of sent.
    ///
    /// The server must keep its jobs for longer (`result_retention_days`), because it recognises a photo by its job.
    public var age: TimeInterval
    /// Maximum number of sent photos listed; the oldest are removed first. Their files are not kept.
    public var sent: Int

    /// Creates limits.
    public init(
      count: Int = 1000, bytes: Int = 2_000_000_000, age: TimeInterval = 30 * 86_400, sent: Int = 1000
    ) {
      self.count = count
      self.bytes = bytes
      self.age = age
      self.sent = sent
    }
  }

  /// Number of failed attempts with a response after which a photo is refused, so that one that the server can't accept
  /// does not block the others.
  private static let failureLimit = 10

  private let folder: OutboxFolder
  private var client: SerialScanClient
  private let limits: Limits
  private let retries: RetryPolicy
  private var items: [OutboxItem]
  private var observers: [UUID: AsyncStream<[OutboxItem]>.Continuation] = [:]
  private var sending: Task<Void, Never>?
  /// Whether ``start()`` was called since the last ``stop()``.
  private var isStarted = false
  private var pause: Task<Void, Never>?
  /// Failed attempts since the last success, which determine the pauses.
  private var attempts = 0
  /// Whether no photos are waiting.
  private var isIdle = false
  /// Whether to skip the next pause.
  private var isHurried = false

  /// Opens an outbox. Sending begins with ``start()``.
  ///
  /// - Parameters:
  ///   - folder: its folder, which is created if necessary, in the app's own container, and excluded from backups.
  ///   - client: the client that sends the photos.
  ///   - limits: the outbox's limits.
  ///   - retries: the pauses between attempts, whose number is unlimited while there is no connection.
  public init(
    folder: URL, client: SerialScanClient, limits: Limits = Limits(),
    retries: RetryPolicy = RetryPolicy(firstPause: .seconds(1), longestPause: .seconds(120))
  ) throws {
    try self.init(folder: folder, client: client, limits: limits, retries: retries) { _ in }
  }

  package init(
    folder: URL, client: SerialScanClient, limits: Limits = Limits(), retries: RetryPolicy,
    reached: @escaping @Sendable (OutboxStep) -> Void
  ) throws {
    self.folder = try OutboxFolder(folder, reached: reached)
    self.client = client
    self.limits = limits
    self.retries = retries
    items = try self.folder.items()
    // The file of a photo recorded as sent may remain if the process was killed before deleting it.
    for item in items where item.isSent { self.folder.removePhoto(of: item) }
  }

  deinit { for observer in observers.values { observer.finish() } }

  /// The photos in the order in which they were added.
  public var photos: [OutboxItem] { items }

  /// Streams the photos, now and after each change. A slow observer misses intermediate states, but never the last one.
  public func updates() -> AsyncStream<[OutboxItem]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [OutboxItem].self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    observers[id] = continuation
    continuation.onTermination = { [weak self] _ in Task { await self?.removeObserver(id) } }
    continuation.yield(items)
    return stream
  }

  /// Stores a photo to send. Returns once it would survive a power failure.
  ///
  /// Throws ``ErrorCode/outboxFull`` at a limit.
  ///
  /// - Parameters:
  ///   - image: the photo; a file is copied.
  ///   - deviceType: the device type, such as `MacBook Pro`; nil if unknown.
  ///   - preset: the type of surface; nil to detect it.
  ///   - region: the region of the photo to read; nil for the whole photo.
  ///   - multiple: whether to read every serial of the photo.
  ///   - batch: the id of the batch that the photo belongs to.
  ///   - callbackURL: the URL to which the server sends the result once the job has ended.
  ///   - id: the photo's id. If it has been added before, returns the existing item.
  @discardableResult public func add(
    image: ImageSource, deviceType: String? = nil, preset: Preset? = nil, region: Region? = nil,
    multiple: Bool = false, batch: String? = nil, callbackURL: URL? = nil, id: UUID = UUID()
  ) throws -> OutboxItem {
    if let known = items.first(where: { $0.id == id }) { return known }
    let kept = items.filter { !$0.isSent }
    let size = try byteCount(image)
    guard kept.count < limits.count, kept.reduce(size, { $0 + $1.byteCount }) <= limits.bytes else {
      throw SerialScanError(.outboxFull, "The outbox holds \(kept.count) photos and has no room for another.")
    }
    let item = OutboxItem(
      id: id, filename: image.filename, byteCount: size, addedAt: Date(), state: .waiting, failures: 0, problem: nil,
      options: ScanOptions(
        deviceType: deviceType, preset: preset, region: region, multiple: multiple, batch: batch,
        callbackURL: callbackURL),
      number: (items.last?.number ?? 0) + 1)
    try folder.add(image, as: item)
    items.append(item)
    changed()
    if isIdle { pause?.cancel() }
    return item
  }

  /// The location of a photo's file, for displaying it; nil once it was sent.
  public func file(of id: UUID) -> URL? {
    items.first { $0.id == id && !$0.isSent }.map(folder.photo)
  }

  /// Removes a photo in any state. One that is being sent may still arrive.
  public func remove(_ id: UUID) throws {
    guard let index = items.firstIndex(where: { $0.id == id }) else { return }
    try folder.remove(items[index])
    items.remove(at: index)
    changed()
  }

  /// Queues a refused photo again at its old position.
  public func retry(_ id: UUID) throws {
    guard var item = items.first(where: { $0.id == id }), case .refused = item.state else { return }
    guard FileManager.default.fileExists(atPath: folder.photo(of: item).path) else {
      throw SerialScanError(.fileUnreadable, "The photo's file is gone. Take the photo again.")
    }
    (item.state, item.failures, item.problem) = (.waiting, 0, nil)
    try folder.update(item)
    replace(item)
    sendNow()
  }

  /// Sends the waiting photos and those added later, until ``stop()``. Keeps the outbox alive meanwhile.
  public func start() {
    isStarted = true
    guard sending == nil else { return }
    sending = Task { while !Task.isCancelled { await step() } }
  }

  /// Stops sending and keeps the photos. Returns once the current attempt has ended. A ``start()`` meanwhile holds.
  public func stop() async {
    isStarted = false
    guard let stopped = sending else { return }
    stopped.cancel()
    await stopped.value
    // Another `stop()` may have waited for the same attempt.
    guard sending == stopped else { return }
    sending = nil
    if isStarted { start() }
  }

  /// Ends the pause after a failure. Call it when the connection returns.
  public func sendNow() {
    isHurried = sending != nil
    pause?.cancel()
  }

  /// The waiting photos, each as a request whose body is a file; see ``BackgroundUploads``.
  func uploads(except underWay: Set<UUID>) throws -> [(id: UUID, request: URLRequest, form: URL)] {
    let due = items.filter {
      $0.isDue && !underWay.contains($0.id) && Date().timeIntervalSince($0.addedAt) <= limits.age
    }
    return try due.map { item in
      let form = try MultipartFile(
        image: .file(folder.photo(of: item), filename: item.filename), fields: item.options.fields,
        at: folder.form(of: item))
      var request = Request(.post, "scan")
      request.query = item.options.query
      request.headers = ["Content-Type": form.contentType, "Idempotency-Key": item.id.uuidString]
      return (item.id, try client.connection.urlRequest(request), form.url)
    }
  }

  /// Records the server's response to one of ``uploads(except:)``. Without a status there was no response, and the
  /// photo keeps waiting.
  func record(answer: Data, status: Int?, reason: String?, of id: UUID) {
    guard let item = items.first(where: { $0.id == id }), item.isDue else { return }
    folder.removeForm(of: item)
    guard let status else { return record(id, durably: false) { $0.problem = reason } }
    if status == 200, let response = try? Wire.decoder().decode(ScanResponse.self, from: answer) {
      record(id) { ($0.state, $0.problem) = (.sent(jobId: response.jobId), nil) }
      return forgetOldest()
    }
    let error = SerialScanError(answer: answer, status: status, retryAfter: nil)
    if error.concernsPhoto { return refuse(item, error) }
    record(id, durably: false) { $0.problem = error.detail }
  }

  /// Replaces the client, after the address or key has changed.
  public func use(_ client: SerialScanClient) {
    self.client = client
    sendNow()
  }

  /// Sends the first waiting photo, then pauses if that failed or none is waiting.
  private func step() async {
    guard var item = items.first(where: \.isDue) else {
      isIdle = true
      defer { isIdle = false }
      return await sleep(for: .seconds(3600))
    }
    if Date().timeIntervalSince(item.addedAt) > limits.age {
      return refuse(item, SerialScanError(.expired, "The photo waited for too long to be sent."))
    }
    item.state = .sending
    replace(item)
    folder.reached(.sending)
    do {
      // One attempt at a time, because the outbox makes the pauses.
      let job = try await client.scan(
        image: .file(folder.photo(of: item), filename: item.filename), options: item.options,
        idempotencyKey: item.id.uuidString, retries: .never, folder: folder.url)
      folder.reached(.answered)
      attempts = 0
      record(item.id) { ($0.state, $0.problem) = (.sent(jobId: job.id), nil) }
      forgetOldest()
    } catch let error as SerialScanError {
      await failed(item, error)
    } catch { record(item.id, durably: false) { $0.state = .waiting } }
  }

  private func failed(_ item: OutboxItem, _ error: SerialScanError) async {
    if error.concernsPhoto { return refuse(item, error) }
    // Errors of the connection, the key or a busy server are not caused by the photo.
    let isPatient = error.statusCode.map { [401, 403, 404, 405, 429, 503, 507].contains($0) } ?? true
    let failures = item.failures + (isPatient ? 0 : 1)
    if failures >= Self.failureLimit { return refuse(item, error) }
    record(item.id, durably: !isPatient) {
      ($0.state, $0.failures, $0.problem) = (.waiting, failures, error.detail)
    }
    attempts += 1
    await sleep(for: retries.pause(afterAttempt: attempts, retryAfter: error.retryAfter))
  }

  private func refuse(_ item: OutboxItem, _ error: SerialScanError) {
    record(item.id) { $0.state = .refused(errorCode: error.errorCode, detail: error.detail) }
  }

  /// Changes an item unless it was removed meanwhile. If the disk fails, the state stays in memory: the server
  /// recognises the photo when it is sent again.
  private func record(_ id: UUID, durably: Bool = true, _ change: (inout OutboxItem) -> Void) {
    guard var item = items.first(where: { $0.id == id }) else { return }
    change(&item)
    if durably {
      do { try folder.update(item) } catch { return replace(item) }
      if item.isSent {
        folder.reached(.sentRecorded)
        folder.removePhoto(of: item)
      }
    }
    replace(item)
  }

  private func forgetOldest() {
    let sent = items.filter(\.isSent)
    for item in sent.dropLast(limits.sent) { try? remove(item.id) }
  }

  /// Waits until ``sendNow()`` is called or the time is over.
  private func sleep(for duration: Duration) async {
    defer { isHurried = false }
    guard !isHurried else { return }
    let pause = Task { _ = try? await Task.sleep(for: duration) }
    self.pause = pause
    await withTaskCancellationHandler {
      await pause.value
    } onCancel: {
      pause.cancel()
    }
  }

  private func replace(_ item: OutboxItem) {
    guard let index = items.firstIndex(where: { $0.id == item.id }) else { return }
    items[index] = item
    changed()
  }

  private func changed() { for observer in observers.values { observer.yield(items) } }

  private func removeObserver(_ id: UUID) { observers[id] = nil }

  private func byteCount(_ image: ImageSource) throws -> Int {
    switch image {
    case .data(let data, _): return data.count
    case .file(let url, _):
      do {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
      } catch { throw SerialScanError.unreadable(file: url, error) }
    }
  }
}
