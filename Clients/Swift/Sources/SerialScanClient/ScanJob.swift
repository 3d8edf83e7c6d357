import Foundation

/// A photo that the server has stored, and the way to its result.
public struct ScanJob: Sendable, Identifiable {
  /// Seconds for which a request waits for the end. Below 60, when a phone gives up on a silent connection.
  private static let longPoll = 25.0
  /// The same while progress is observed, so that it moves.
  private static let shortPoll = 2.0

  /// The job's id, with which ``SerialScanClient/job(id:)`` returns to it.
  public let id: String
  /// What the server answered when it stored the photo; nil for a job returned to by its id.
  public let response: ScanResponse?
  let connection: Connection

  /// Waits until the photo is read. A photo without a serial is a result too: its status is `failed`, and
  /// ``JobResult/errorCode`` says why.
  ///
  /// Waits as long as the task runs; each long poll is retried as ``RetryPolicy`` says. Cancelling the task cancels the job if it still
  /// waits in the queue, unless it was returned to by its id.
  public func result() async throws -> JobResult {
    try await cancellingJob {
      while true {
        let result = try await status(wait: Self.longPoll)
        if result.status.isEnd { return result }
      }
    }
  }

  /// The job as it stands now.
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

  /// What an observer has seen.
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
      // Whoever returns to a job, such as an outbox's, only stops looking at it.
      guard response != nil else { throw CancellationError() }
      // A task of its own: this one's requests would be cancelled at once.
      await Task.detached { try? await withDeadline(.seconds(5)) { try await cancelIfWaiting() } }.value
      throw CancellationError()
    }
  }

  /// Deletes the job if it still waits. Throws ``ErrorCode/forbidden`` if the server does not permit that to the key; the job then
  /// continues.
  public func cancelIfWaiting() async throws {
    guard try await status(wait: 0).status == .queued else { return }
    try await connection.send(Request(.delete, "jobs/\(Request.escape(id))"))
  }
}
