import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What happened to a job.
public struct JobEvent: Sendable, Equatable {
  /// The type of an event.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The type's name.
    public var rawValue: String
    /// Creates a type from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The photo is being read.
    public static let progress = Kind(rawValue: "progress")
    /// The job has ended. Never lost, but may arrive twice.
    public static let ended = Kind(rawValue: "ended")
    /// A person confirmed, corrected or reviewed the result.
    public static let changed = Kind(rawValue: "changed")
    /// The job was deleted.
    public static let deleted = Kind(rawValue: "deleted")
  }

  /// A job's state. Of a deleted job, only ``jobId`` and ``batchId`` are known.
  public struct Job: Sendable, Codable, Equatable {
    /// The job's id.
    public var jobId: String
    /// The batch it belongs to.
    public var batchId: String?
    /// Its state.
    public var status: JobStatus?
    /// 0 to 100.
    public var progress: Int?
    /// The current step, as text for people.
    public var message: String?
    /// When the state last changed.
    public var updatedAt: Date?
    /// How reliable the result is; nil before the end.
    public var verdict: Verdict?
    /// The best serial read.
    public var serial: String?
    /// Confidence of ``serial``, 0 to 1.
    public var confidence: Double?
    /// The serial that a person confirmed.
    public var confirmedSerial: String?
    /// A person's decision about a photo without a saved serial.
    public var review: Review?
    /// Why no serial was read, as a code for programs.
    public var errorCode: ErrorCode?
    /// What plainly kept the photo from being read; nil if nothing did.
    public var flaw: PhotoFlaw?
    /// The path of the photo's thumbnail.
    public var thumbnailUrl: String?
  }

  /// The event's type.
  public var kind: Kind
  /// The position of an ``Kind/ended`` event: pass it to ``SerialScanClient/events(batch:after:)`` to continue there.
  public var id: String?
  /// The job after the event.
  public var job: Job
}

extension SerialScanClient {
  /// Streams the events of all jobs that the key may see, on one connection instead of a poll for each.
  ///
  /// After a lost connection or a restart of the server it connects again and receives every end since; the other
  /// events are not repeated. It runs until its task is cancelled or the loop is left, and throws only errors that
  /// remain if the same request is sent again, such as ``ErrorCode/unauthorized``.
  ///
  /// - Parameters:
  ///   - batch: the id of a batch, whose jobs of every key are streamed; nil for the key's own jobs.
  ///   - id: the ``JobEvent/id`` of the last event that was processed, to receive what has ended since; nil to begin
  ///     now.
  public func events(batch: String? = nil, after id: String? = nil) -> AsyncThrowingStream<JobEvent, any Error> {
    let (events, observer) = AsyncThrowingStream.makeStream(of: JobEvent.self)
    let task = Task { [connection] in
      var last = id
      var failures = 0
      do {
        while true {
          var request = Request(.get, "events")
          if let batch { request.query = [("batch", batch)] }
          request.headers = ["Accept": "text/event-stream"]
          if let last { request.headers["Last-Event-ID"] = last }
          var pause = EventLines.pause
          do {
            for try await event in connection.events(request) {
              failures = 0
              last = event.id ?? last
              observer.yield(event)
            }
          } catch let error as SerialScanError where error.isRetryable {
            failures += 1
            pause = max(pause, connection.retries.pause(afterAttempt: failures, retryAfter: error.retryAfter))
          }
          try await Task.sleep(for: pause)
        }
      } catch { observer.finish(throwing: error) }
    }
    observer.onTermination = { _ in task.cancel() }
    return events
  }
}

extension Connection {
  /// The events of one connection.
  fileprivate func events(_ request: Request) -> AsyncThrowingStream<JobEvent, any Error> {
    AsyncThrowingStream { observer in
      do {
        // A session of its own, because its delegate receives the response's pieces; FoundationNetworking has no other
        // way to receive them.
        let receiver = EventReceiver(observer)
        let own = URLSession(configuration: session.configuration, delegate: receiver, delegateQueue: nil)
        let task = own.dataTask(with: try urlRequest(request))
        observer.onTermination = { _ in own.invalidateAndCancel() }
        task.resume()
      } catch { observer.finish(throwing: error) }
    }
  }
}

/// Receives a stream of events. Its session calls it on one serial queue only.
private final class EventReceiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let observer: AsyncThrowingStream<JobEvent, any Error>.Continuation
  private var lines = EventLines()
  /// The body of an error response.
  private var errorBody = Data()

  init(_ observer: AsyncThrowingStream<JobEvent, any Error>.Continuation) { self.observer = observer }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard (dataTask.response as? HTTPURLResponse)?.statusCode == 200 else { return errorBody += data }
    for event in lines.append(data) { observer.yield(event) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let response = task.response as? HTTPURLResponse
    if let error = error as? URLError {
      observer.finish(throwing: SerialScanError(error))
    } else if let response, response.statusCode != 200 {
      let retryAfter = response.value(forHTTPHeaderField: "Retry-After")
      observer.finish(
        throwing: SerialScanError(answer: errorBody, status: response.statusCode, retryAfter: retryAfter))
    } else {
      observer.finish()
    }
    session.finishTasksAndInvalidate()
  }
}

/// Splits a stream of server-sent events as this server writes them. Skips events that it can't decode.
struct EventLines {
  /// The pause before connecting again, as docs/api.md asks for.
  static let pause = Duration.seconds(2)

  private var rest = Data()
  private var fields: [String: String] = [:]

  /// Adds bytes; returns the events that they complete.
  mutating func append(_ data: Data) -> [JobEvent] {
    rest += data
    var events: [JobEvent] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest = Data(rest[end...].dropFirst())
      if line.isEmpty {
        if let event = event() { events.append(event) }
        fields = [:]
      } else if let colon = line.firstIndex(of: ":") {
        fields[String(line[..<colon])] = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
      }
    }
    return events
  }

  private func event() -> JobEvent? {
    guard let kind = fields["event"], let data = fields["data"],
      let job = try? Wire.decoder().decode(JobEvent.Job.self, from: Data(data.utf8))
    else { return nil }
    return JobEvent(kind: JobEvent.Kind(rawValue: kind), id: fields["id"], job: job)
  }
}
