import Foundation
import HTTPTypes
import Hummingbird
import JobStore
import ScanModel
import ServiceLifecycle
import Support

/// `GET /events`: progress and ends of jobs, and people's later changes to them, as server-sent events (HTML Standard,
/// 9.2); ends are resumable with `Last-Event-ID`.
struct Events: Sendable {
  /// The data of an event.
  struct Item: Codable {
    var jobID: String
    var status: Job.State
    var progress: Int
    var message: String
    var updatedAt: Date
    @ExplicitNull var verdict: Reading.Verdict?
    @ExplicitNull var serial: String?
    @ExplicitNull var confidence: Double?
    @ExplicitNull var confirmedSerial: String?
    @ExplicitNull var review: Review?
    @ExplicitNull var errorCode: ErrorCode?
    @ExplicitNull var flaw: PhotoFlaw?
    @ExplicitNull var batchID: String?
    @ExplicitNull var thumbnailURL: String?

    private enum CodingKeys: String, CodingKey {
      case jobID = "job_id"
      case status
      case progress
      case message
      case updatedAt = "updated_at"
      case verdict
      case serial
      case confidence
      case confirmedSerial = "confirmed_serial"
      case review
      case errorCode = "error_code"
      case flaw
      case batchID = "batch_id"
      case thumbnailURL = "thumbnail_url"
    }

    init(_ job: Job) {
      jobID = job.id
      status = job.state
      progress = job.progress
      message = job.message
      updatedAt = job.updatedAt
      verdict = job.verdict
      serial = job.reading?.topSerial?.serial
      confidence = (job.reading?.topSerial?.confidence).map(Confidence.displayed)
      confirmedSerial = job.confirmedSerial
      review = job.review
      errorCode = job.error?.code
      flaw = job.reading?.flaw
      batchID = job.request.batchID
      thumbnailURL = job.thumbnailPath
    }
  }

  /// The data of `deleted`.
  struct Deletion: Codable {
    var jobID: String
    @ExplicitNull var batchID: String?

    private enum CodingKeys: String, CodingKey {
      case jobID = "job_id"
      case batchID = "batch_id"
    }

    /// The schema. Unnamed, because no generated client uses it.
    static let schema: JSONTree = [
      "type": "object", "required": ["job_id", "batch_id"],
      "properties": [
        "job_id": ["type": "string", "format": "uuid"], "batch_id": ["type": ["string", "null"], "format": "uuid"],
      ],
    ]
  }

  /// The jobs in a stream: those of a batch, otherwise those that the caller may see.
  private typealias Source = (caller: Caller, batch: String?)

  private enum Signal: Sendable {
    case change(JobChange)
    case beat
  }

  /// The interval between heartbeats, which keep proxies from closing the connection and reveal disconnected clients.
  private static let beatInterval = Duration.seconds(15)
  /// Milliseconds after which a client reconnects.
  private static let retryTime = 2000
  /// The maximum number of events buffered for a slow client before its stream ends.
  private static let mostUntaken = 1024
  /// The number of ended jobs fetched at a time for a client that resumes.
  private static let batch = 100

  let store: any ServerStore
  let held: HeldAnswers

  var endpoint: Endpoint {
    Endpoint(
      .get, "/events", "HearOfJobs", "Follow jobs",
      "Server-sent events: `progress` while a job is read, `ended` once it has ended, and `changed` when a person confirms, "
        + "corrects or reviews it afterwards, each with the job as data (`Event`); `deleted` with its ids. Only `ended` has an "
        + "`id`. A client that sends the latest one as `Last-Event-ID` receives the ends since then. A comment every 15 "
        + "seconds keeps the connection open. With `batch`, everybody's jobs in it.",
      topic: .jobs, access: .own, parameters: [Self.lastEventID, CommonParameters.batch],
      answers: [
        .content(
          WireContent(mediaType: "text/event-stream") { book in
            Schema(["type": "string", "contentMediaType": "text/event-stream"]).with(
              Schema(["x-event-data": Item.schema(in: book).tree, "x-deleted-data": Deletion.schema]))
          }, about: "A stream that ends with the key, with the server, or if the client falls far behind.")
      ], errors: [.batchNotFound], head: { _, _ in Response(status: .ok, headers: Self.headers) }, handler: answer)
  }

  /// The position at which the client resumes; nil for a new client.
  private static let lastEventID = Parameter<EventPosition?>(
    "Last-Event-ID", in: .header, "The `id` of the latest event that was received."
  ) { _ in
    Schema(["type": "string"]).with(.longest(EventPosition.longest))
  } parse: { text in
    guard let text, !text.isEmpty else { return nil }
    guard let position = EventPosition(text) else {
      throw APIError.invalidParameter("Last-Event-ID", "must be the `id` of an earlier event")
    }
    return position
  }

  private static let headers: HTTPFields = {
    var headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
    // nginx buffers responses otherwise.
    if let name = HTTPField.Name("X-Accel-Buffering") { headers[name] = "no" }
    return headers
  }()

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let resumed = try Query(request)[Self.lastEventID]
    let batch = try Query(request)[CommonParameters.batch]
    try await store.require(batch: batch)
    let (signals, continuation) = AsyncStream.makeStream(
      of: Signal.self, bufferingPolicy: .bufferingOldest(Self.mostUntaken))
    let place = try held.place(for: context) { continuation.finish() }
    let caller = context.caller
    // Subscribe before querying the store, so that no end is missed in between.
    let changes = store.changes { change in
      batch.map { change.batchID == $0 } ?? caller.canAccess(keyID: change.keyID)
    }
    let start = if let resumed { resumed } else { EventPosition(beginning: try await store.now()) }
    let body = ResponseBody { writer in
      defer { withExtendedLifetime(place) {} }
      let sources = Self.feed(continuation, from: changes)
      defer { for source in sources { source.cancel() } }
      // The first write reveals a client that is already gone.
      let forget = await context.onHangUp({ continuation.finish() }, probe: { continuation.yield(.beat) })
      defer { forget?() }
      try await withGracefulShutdownHandler {
        try await tell(signals, from: start, isResumed: resumed != nil, of: (caller, batch), to: &writer)
      } onGracefulShutdown: {
        continuation.finish()
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: Self.headers, body: body)
  }

  /// Merges job changes and heartbeats into one stream, which ends if either falls behind.
  private static func feed(
    _ continuation: AsyncStream<Signal>.Continuation, from changes: AsyncStream<JobChange>
  ) -> [Task<Void, Never>] {
    @Sendable func offers(_ signal: Signal) -> Bool {
      if case .enqueued = continuation.yield(signal) { true } else { false }
    }
    return [
      Task {
        for await change in changes { guard offers(.change(change)) else { break } }
        continuation.finish()
      },
      Task {
        while (try? await Task.sleep(for: beatInterval)) != nil, offers(.beat) {}
      },
    ]
  }

  private func tell(
    _ signals: AsyncStream<Signal>, from start: EventPosition, isResumed: Bool, of source: Source,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    var position = start
    try await writer.write(ByteBuffer(string: "retry: \(Self.retryTime)\nid: \(position.text)\n\n"))
    if isResumed { try await replay(from: &position, of: source, to: &writer) }
    for await signal in signals {
      switch signal {
      case .beat: try await writer.write(ByteBuffer(string: ": still here\n\n"))
      case .change(.advanced(let job)):
        try await tell(job, at: job.updatedAt.microseconds, &position, to: &writer)
      case .change(.changed(let job)): try await write("changed", Item(job), to: &writer)
      case .change(.deleted(let job)):
        try await write("deleted", Deletion(jobID: job.id, batchID: job.batchID), to: &writer)
      }
    }
  }

  private func write(
    _ event: String, id: String? = nil, _ data: some Encodable, to writer: inout any ResponseBodyWriter
  )
    async throws
  {
    let text = String(decoding: try WireFormat.encode(data), as: UTF8.self)
    try await writer.write(ByteBuffer(string: "event: \(event)\n\(id.map { "id: \($0)\n" } ?? "")data: \(text)\n\n"))
  }

  /// Sends the ends since the client's last event.
  private func replay(
    from position: inout EventPosition, of source: Source, to writer: inout any ResponseBodyWriter
  ) async throws {
    var place = EndPosition(time: position.replayTime)
    while true {
      let ended = try await store.endedJobs(
        after: place, keyID: source.caller.limitedTo(inBatch: source.batch), batchID: source.batch, limit: Self.batch)
      for end in ended { try await tell(end.job, at: end.position.time, &position, to: &writer) }
      guard ended.count == Self.batch, let last = ended.last else { return }
      place = last.position
    }
  }

  private func tell(
    _ job: Job, at time: Int64, _ position: inout EventPosition, to writer: inout any ResponseBodyWriter
  ) async throws {
    // Concurrent changes may arrive in a different order than they were made: send nothing after a job's end.
    guard !position.hasTold(job.id) else { return }
    guard job.state.isEnd else { return try await write("progress", Item(job), to: &writer) }
    position.note(job.id, at: time)
    try await write("ended", id: position.text, Item(job), to: &writer)
  }
}

extension Events.Item: WireObject {
  static let wireName = "Event"
  static let wireNotes: [String: Schema] = [
    "": .about("The data of an event of `GET /events`."), "job_id": .uuid, "progress": .within(0...100),
    "confidence": .share, "flaw": JobNotes.flaw, "batch_id": .batchID, "thumbnail_url": ThumbnailAddress.note,
  ]
}

/// A client's position in the sequence of ended jobs. It is the `id` of events, so that any server of the store can
/// resume a stream, even after a restart.
///
/// Ends become visible up to some seconds out of order (a transaction takes time), so a time alone would skip some or
/// repeat many. The position therefore also lists the jobs already sent from shortly before that time.
struct EventPosition: Sendable, Equatable {
  private struct Told: Sendable, Equatable {
    var name: String
    var time: Int64
  }

  /// The maximum delay, in microseconds, between an end's date and the moment it becomes visible.
  private static let overlap: Int64 = 30_000_000
  /// Microseconds before the client's start within which ends may become visible after it.
  private static let slack: Int64 = 1_000_000
  /// The maximum number of jobs in an id. If more jobs ended shortly before, some of them are sent again.
  private static let mostNamed = 32
  private static let mostRemembered = 4096
  /// The maximum length of an id in bytes.
  static let longest = 1023
  /// The number of digits of a job's id that identify it.
  private static let digits = 12

  /// When the client started to receive events.
  private let beginning: Int64
  /// The time of the latest end that was sent.
  private var time: Int64
  private var told: [Told] = []

  /// Creates the position of a client that starts at `time`, in microseconds since 1970.
  init(beginning time: Int64) {
    beginning = time
    self.time = time
  }

  /// Parses an id; nil if malformed.
  init?(_ text: String) {
    let parts = text.pieces(between: "-", omittingEmpty: false)
    guard text.utf8.count <= Self.longest, parts.count == 3, let time = Int64(parts[0]),
      let beginning = Int64(parts[1]),
      beginning >= 0, time >= beginning, time <= Self.latest
    else { return nil }
    let names = parts[2].pieces(between: ".")
    guard
      names.allSatisfy({ name in
        name.utf8.count == Self.digits && name.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
      })
    else { return nil }
    self.init(beginning: beginning)
    self.time = time
    told = names.map { Told(name: String($0), time: time) }
  }

  /// The end of the year 9999.
  private static let latest: Int64 = 253_402_300_799_000_000

  /// The id of this position.
  var text: String { "\(time)-\(beginning)-\(told.suffix(Self.mostNamed).map(\.name).joined(separator: "."))" }

  /// The time from which ends may be missing, in microseconds since 1970.
  var replayTime: Int64 { max(beginning - Self.slack, time - Self.overlap) }

  /// Whether the end of this job was sent.
  func hasTold(_ id: String) -> Bool {
    let name = Self.name(of: id)
    return told.contains { $0.name == name }
  }

  /// Records an end that is being sent.
  mutating func note(_ id: String, at time: Int64) {
    self.time = max(self.time, min(time, Self.latest))
    told.append(Told(name: Self.name(of: id), time: time))
    let oldest = self.time - Self.overlap
    told = Array(told.filter { $0.time >= oldest }.suffix(Self.mostRemembered))
  }

  private static func name(of id: String) -> String {
    String(decoding: id.utf8.filter { $0 != UInt8(ascii: "-") }.prefix(digits), as: UTF8.self)
  }
}
