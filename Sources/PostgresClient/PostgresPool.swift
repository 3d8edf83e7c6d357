import Foundation

/// A bounded number of connections, each with a thread of its own: libpq's calls block, and the threads of Swift's
/// concurrency must not.
package final class PostgresPool: @unchecked Sendable {
  /// A piece of work that waits for a connection.
  private struct Work {
    let deadline: ContinuousClock.Instant
    /// Runs it, or fails it with the error. Returns whether the connection may be used again.
    let run: (Result<PostgresConnection, PostgresError>) -> Void
  }

  /// The longest pause between attempts to reach a database that is gone: work resumes soon after its return.
  private static let longestPause = Duration.seconds(1)

  private let address: PostgresAddress
  private let times: PostgresTimes
  private let condition = NSCondition()
  // Guarded by the condition's lock.
  /// The longest wait last.
  private var waiting: [Work] = []
  private var isClosed = false
  /// Until when the database is taken for gone, and why: work fails at once instead of waiting for its connection.
  private var outage: (until: ContinuousClock.Instant, why: PostgresError)?
  private var failures = 0

  /// Makes a pool; nothing is connected before the first work.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - size: The most connections at once, at least 1.
  ///   - times: How long is waited for what.
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

  /// Ends the connections when their work is done; work that waits fails with `PostgresError.closed`.
  package func close() {
    condition.lock()
    isClosed = true
    let left = waiting
    waiting = []
    condition.broadcast()
    condition.unlock()
    for work in left { work.run(.failure(.closed)) }
  }

  /// Runs `body` with a connection, on the connection's thread; urgent work goes before all that waits. Throws what
  /// `body` throws, and `PostgresError` where no connection was to be had.
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

  /// Runs `body` in a transaction, again where the server undid it for a reason that passes, or where the connection
  /// broke before the commit was sent. See `PostgresConnection.transaction`.
  package func transaction<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await again { try await self.withConnection { try $0.transaction(body) } }
  }

  /// Runs one statement that only reads, again under the same conditions.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await again { try await self.withConnection(body) }
  }

  private static let mostTries = 4

  private func again<Value>(_ work: () async throws -> Value) async throws -> Value {
    var tries = 1
    while true {
      do {
        return try await work()
      } catch let error as PostgresError where error.isWorthAnotherTry && tries < Self.mostTries {
        // Those that met in a deadlock should not meet again.
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
    condition.signal()
    condition.unlock()
  }

  /// The next work in time; nil once the pool is closed.
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

  /// A thread's life: it ends when the pool is closed.
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

  /// Takes the database for gone for a while, longer with each failure in a row.
  private func note(_ error: PostgresError) {
    condition.lock()
    failures = min(failures + 1, 10)
    let pause = min(Self.longestPause, .milliseconds(50 << failures))
    outage = (.now + pause, error)
    condition.unlock()
  }
}
