import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Photos that are sent in order, each once, as soon as there is a connection; also if the app was killed meanwhile.
///
/// ```swift
/// let outbox = try Outbox(folder: folder, client: client)
/// await outbox.start()
/// try await outbox.add(image: .file(photo), deviceType: "MacBook Pro")
/// for await items in await outbox.updates() { show(items) }
/// ```
///
/// A photo is on the disk when ``add(image:deviceType:preset:region:multiple:callbackURL:id:)`` returns. Its Idempotency-Key is stored
/// with it, so that the server makes one job of it however often it is sent. A folder belongs to one outbox at a time.
public actor Outbox {
  /// What an outbox may hold.
  public struct Limits: Sendable {
    /// Photos that are not sent yet or were refused.
    public var count: Int
    /// Their bytes.
    public var bytes: Int
    /// Seconds after which a photo is refused with ``ErrorCode/expired`` instead of sent. The server must keep its jobs
    /// for longer (`result_retention_days`), as it recognises a photo by its job.
    public var age: TimeInterval
    /// Sent photos that are remembered until they are removed; the oldest go first. Their bytes are not kept.
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

  /// Answered attempts after which a photo is refused, so that one that the server can't take lets the others pass.
  private static let failureLimit = 10

  private let folder: OutboxFolder
  private var client: SerialScanClient
  private let limits: Limits
  private let retries: RetryPolicy
  private var items: [OutboxItem]
  private var observers: [UUID: AsyncStream<[OutboxItem]>.Continuation] = [:]
  private var sending: Task<Void, Never>?
  private var pause: Task<Void, Never>?
  /// Failed attempts since the last success, for the pauses.
  private var attempts = 0
  /// Whether nothing waits to be sent.
  private var isIdle = false
  /// Whether the next pause is left out.
  private var isHurried = false

  /// Opens an outbox. Nothing is sent before ``start()``.
  ///
  /// - Parameters:
  ///   - folder: its folder, which is created if necessary; in the app's own container, and excluded from backups.
  ///   - client: sends the photos.
  ///   - limits: what it may hold.
  ///   - retries: the pauses between attempts; their number is not limited while there is no connection.
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
    // A photo that was recorded as sent is not needed, also if the process was killed before it was removed.
    for item in items where item.isSent { self.folder.removePhoto(of: item) }
  }

  deinit { for observer in observers.values { observer.finish() } }

  /// The photos in the order in which they were added.
  public var photos: [OutboxItem] { items }

  /// The photos now, and again after each change. A slow observer misses intermediate states, never the last one.
  public func updates() -> AsyncStream<[OutboxItem]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [OutboxItem].self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    observers[id] = continuation
    continuation.onTermination = { [weak self] _ in Task { await self?.removeObserver(id) } }
    continuation.yield(items)
    return stream
  }

  /// Stores a photo to be sent. Returns once it would survive a power cut.
  ///
  /// Throws ``ErrorCode/outboxFull`` at a limit.
  ///
  /// - Parameters:
  ///   - image: the photo; a file is copied.
  ///   - deviceType: such as `MacBook Pro`; nil if unknown.
  ///   - preset: where to look first; nil to detect it.
  ///   - region: the only part of the photo to read; nil for all of it.
  ///   - multiple: whether to read every serial of the photo.
  ///   - callbackURL: where the server sends the result once the job has ended.
  ///   - id: names the photo; adding it again returns what is there.
  @discardableResult public func add(
    image: ImageSource, deviceType: String? = nil, preset: Preset? = nil, region: Region? = nil,
    multiple: Bool = false, callbackURL: URL? = nil, id: UUID = UUID()
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
        deviceType: deviceType, preset: preset, region: region, multiple: multiple, callbackURL: callbackURL),
      number: (items.last?.number ?? 0) + 1)
    try folder.add(image, as: item)
    items.append(item)
    changed()
    if isIdle { pause?.cancel() }
    return item
  }

  /// Where a photo's file is, to show it; nil once it was sent.
  public func file(of id: UUID) -> URL? {
    items.first { $0.id == id && !$0.isSent }.map(folder.photo)
  }

  /// Removes a photo, whatever its state. One that is being sent may arrive all the same.
  public func remove(_ id: UUID) throws {
    guard let index = items.firstIndex(where: { $0.id == id }) else { return }
    try folder.remove(items[index])
    items.remove(at: index)
    changed()
  }

  /// Lets a refused photo wait again, at its old place.
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

  /// Sends what waits, and what is added later, until ``stop()``; the outbox lives at least as long.
  public func start() {
    guard sending == nil else { return }
    sending = Task { while !Task.isCancelled { await step() } }
  }

  /// Stops sending; the photos stay. Returns once the attempt under way has ended.
  public func stop() async {
    sending?.cancel()
    await sending?.value
    sending = nil
  }

  /// Ends the pause after a failure: call it when there is a connection again.
  public func sendNow() {
    isHurried = sending != nil
    pause?.cancel()
  }

  /// The photos that wait, each as a request whose body is a file; see ``BackgroundUploads``.
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

  /// Records what the server answered to one of ``uploads(except:)``. Without a status there was no answer: the photo waits on.
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

  /// Uses another client from now on, for a changed address or key.
  public func use(_ client: SerialScanClient) {
    self.client = client
    sendNow()
  }

  /// Sends the first photo that waits, then pauses if that failed or there is none.
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
      // One attempt at a time: the pauses are the outbox's.
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
    // Errors of the connection, the key or a busy server say nothing of the photo.
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

  /// Changes an item that may have been removed meanwhile. Where the disk fails, the state stays in memory: the server
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

  /// Waits until ``sendNow()`` or the end of the time.
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
