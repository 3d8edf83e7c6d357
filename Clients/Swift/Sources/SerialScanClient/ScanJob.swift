import Foundation

/// A photo stored by the server, and access to its result.
public struct ScanJob: Sendable, Identifiable {
  /// Seconds of a long poll. Less than 60, after which a phone abandons a silent connection.
  private static let longPoll = 25.0
  /// Seconds of a long poll while progress is observed, so that it updates.
  private static let shortPoll = 2.0

  /// The job's id. Pass it to ``SerialScanClient/job(id:)`` to access the job later.
  public let id: String
  /// The server's response when it stored the photo; nil for a job accessed by its id.
  public let response: ScanResponse?
  let connection: Connection

  /// Waits until the photo is read. A photo without a serial is a result too: its status is `failed`, and
  /// ``JobResult/errorCode`` says why.
  ///
  /// Waits as long as the task runs, and retries each long poll according to ``RetryPolicy``. Cancelling the task
  /// cancels the job if it is still queued, unless the job was accessed by its id.
  public func result() async throws -> JobResult {
    try await cancellingJob {
      while true {
        let result = try await status(wait: Self.longPoll)
        if result.status.isEnd { return result }
      }
    }
  }

  /// Returns the job's current state.
  public func status() async throws -> JobResult { try await status(wait: 0) }

  /// The job's states as they change; the last one is its end. Iterate in one task.
  ///
  /// Cancelling that task cancels the job as in ``result()``; leaving the loop does not.
  public var progress: AsyncThrowingStream<JobResult, any Error> {
    let observation = Observation()
    return AsyncThrowingStream {
      try await cancellingJob { try await observation.next { try await status(wait: $0) } }
    }
  }

  /// The states that an observer has received.
  private actor Observation {
    private var last: JobResult?

    func next(_ ask: @Sendable (Double) async throws -> JobResult) async throws -> JobResult? {
      if let last, last.status.isEnd { return nil }
      while true {
        let result = try await ask(last == nil ? 0 : shortPoll)
        guard last.map({ ($0.status, $0.progress) != (result.status, result.progress) }) ?? true else { continue }
        last = result
        return result
      }
    }
  }

  private func status(wait: Double) async throws -> JobResult {
    var request = Request(.get, "result/\(Request.escape(id))")
    if wait > 0 { request.query = [("wait", String(wait))] }
    return try await connection.json(request)
  }

  private func cancellingJob<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
    do { return try await work() } catch  where error is CancellationError || Task.isCancelled {
      // A job accessed by its id, such as an outbox's, is not cancelled.
      guard response != nil else { throw CancellationError() }
      // A detached task, because this task is cancelled and its requests would fail immediately.
      await Task.detached { try? await withDeadline(.seconds(5)) { try await cancelIfWaiting() } }.value
      throw CancellationError()
    }
  }

  /// Deletes the job if it still waits. Throws ``ErrorCode/forbidden`` if the key does not permit that; the job then
  /// continues.
  public func cancelIfWaiting() async throws {
    guard try await status(wait: 0).status == .queued else { return }
    try await connection.send(Request(.delete, "jobs/\(Request.escape(id))"))
  }
}
