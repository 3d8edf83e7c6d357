import Foundation
import Support

/// A bounded number of connections, each with its own thread, because libpq's calls block and the threads of Swift
/// concurrency must not.
package final class PostgresPool: @unchecked Sendable {
  /// A unit of work waiting for a connection.
  private struct Work {
    let deadline: ContinuousClock.Instant
    /// Runs it, or fails it with the error. Returns whether the connection is still usable.
    let run: (Result<PostgresConnection, PostgresError>) -> Void
  }

  /// The longest pause between attempts to reach an unavailable database, short so that work resumes soon after its
  /// return.
  private static let longestPause = Duration.seconds(1)

  private let address: PostgresAddress
  private let times: PostgresTimes
  private let condition = NSCondition()
  // Guarded by the condition's lock.
  /// Waiting work, the longest wait last.
  private var waiting: [Work] = []
  private var isClosed = false
  /// Until when the database is considered unavailable, and why. Meanwhile work fails immediately instead of waiting.
  private var outage: (until: ContinuousClock.Instant, why: PostgresError)?
  private var failures = 0
  /// Whether `failOverdue` is going to run.
  private var isAlarmSet = false

  /// Creates a pool; connects only when there is work.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - size: Maximum number of connections, at least 1.
  ///   - times: The timeouts.
  package init(address: PostgresAddress, size: Int, times: PostgresTimes = PostgresTimes()) {
    self.address = address
    self.times = times
    for number in 0..<max(1, size) {
      let thread = Thread { self.serve() }
      thread.name = "postgres-\(number)"
      thread.stackSize = 1 << 20
      thread.start()
    }
  }

  /// Closes the connections when their work is done. Waiting work fails with `PostgresError.closed`.
  package func close() {
    condition.lock()
    isClosed = true
    let left = waiting
    waiting = []
    condition.broadcast()
    condition.unlock()
    for work in left { work.run(.failure(.closed)) }
  }

  /// Runs `body` with a connection on its thread; urgent work goes before all waiting work.
  ///
  /// Throws what `body` throws, or `PostgresError` if no connection is available.
  package func withConnection<Value: Sendable>(
    isUrgent: Bool = false, _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let work = Work(deadline: .now + times.acquire) { connection in
        continuation.resume(with: Result { try body(connection.get()) })
      }
      add(work, isUrgent: isUrgent)
    }
  }

  /// Runs `body` in a transaction. Retries if the server undid it for a transient reason, or the connection broke
  /// before the commit was sent.
  ///
  /// See `PostgresConnection.transaction`.
  package func transaction<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await again { try await self.withConnection { try $0.transaction(body) } }
  }

  /// Runs one read-only statement, with the same retries. The statement ends when the task is cancelled.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await again {
      let reading = Locked<(connection: PostgresConnection?, isCancelled: Bool)>((nil, false))
      return try await withTaskCancellationHandler {
        try await self.withConnection { connection in
          try reading.withLock {
            guard !$0.isCancelled else { throw CancellationError() }
            $0.connection = connection
          }
          defer { reading.withLock { $0.connection = nil } }
          return try body(connection)
        }
      } onCancel: {
        reading.withLock {
          $0.isCancelled = true
          $0.connection?.hangUp()
        }
      }
    }
  }

  private static let mostTries = 4

  private func again<Value>(_ work: () async throws -> Value) async throws -> Value {
    var tries = 1
    while true {
      do {
        return try await work()
      } catch let error as PostgresError where error.isWorthAnotherTry && tries < Self.mostTries {
        // A random delay keeps transactions from deadlocking again.
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...10) * tries))
        tries += 1
      }
    }
  }

  // MARK: The queue

  private func add(_ work: Work, isUrgent: Bool) {
    condition.lock()
    if isClosed {
      condition.unlock()
      return work.run(.failure(.closed))
    }
    if let outage, outage.until > .now {
      condition.unlock()
      return work.run(.failure(outage.why))
    }
    waiting.insert(work, at: isUrgent ? waiting.endIndex : waiting.startIndex)
    let wasAlarmSet = isAlarmSet
    isAlarmSet = true
    condition.signal()
    condition.unlock()
    if !wasAlarmSet { setAlarm(at: work.deadline) }
  }

  private func setAlarm(at deadline: ContinuousClock.Instant) {
    let seconds = max(0, (deadline - .now) / .seconds(1))
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in self?.failOverdue() }
  }

  /// Fails the work that has waited too long, which no thread does while all of them wait for the database.
  private func failOverdue() {
    condition.lock()
    let now = ContinuousClock.now
    let overdue = waiting.filter { $0.deadline <= now }
    waiting.removeAll { $0.deadline <= now }
    let next = waiting.map(\.deadline).min()
    isAlarmSet = next != nil
    condition.unlock()
    for work in overdue { work.run(.failure(.poolExhausted)) }
    if let next { setAlarm(at: next) }
  }

  /// Returns the next work that has not timed out; nil once the pool is closed.
  private func next() -> Work? {
    while true {
      condition.lock()
      while waiting.isEmpty && !isClosed { condition.wait() }
      if isClosed {
        condition.unlock()
        return nil
      }
      let work = waiting.popLast()
      condition.unlock()
      guard let work else { continue }
      if work.deadline > .now { return work }
      work.run(.failure(.poolExhausted))
    }
  }

  /// Runs work on a thread until the pool is closed.
  private func serve() {
    var connection: PostgresConnection?
    while let work = next() {
      if let held = connection, !held.isUsable { connection = nil }
      do throws(PostgresError) {
        let ready: PostgresConnection
        if let connection { ready = connection } else { ready = try connect() }
        connection = ready
        work.run(.success(ready))
      } catch {
        work.run(.failure(error))
      }
    }
  }

  private func connect() throws(PostgresError) -> PostgresConnection {
    do throws(PostgresError) {
      let connection = try PostgresConnection(to: address, times: times)
      noteReached()
      return connection
    } catch {
      note(error)
      throw error
    }
  }

  private func noteReached() {
    condition.lock()
    outage = nil
    failures = 0
    condition.unlock()
  }

  /// Marks the database as unavailable for a while, longer with each consecutive failure.
  private func note(_ error: PostgresError) {
    condition.lock()
    failures = min(failures + 1, 10)
    let pause = min(Self.longestPause, .milliseconds(50 << failures))
    outage = (.now + pause, error)
    condition.unlock()
  }
}
