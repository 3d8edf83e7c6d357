import Foundation

/// Time limits of requests. Time during which the device sleeps counts.
public struct Deadlines: Sendable {
  /// Limit of a request without a photo, and of a long poll.
  public var step: Duration
  /// Limit of one attempt to send a photo.
  public var upload: Duration
  /// Limit of all attempts of a request including the pauses.
  public var whole: Duration

  /// Creates deadlines.
  public init(step: Duration = .seconds(45), upload: Duration = .seconds(120), whole: Duration = .seconds(300)) {
    self.step = step
    self.upload = upload
    self.whole = whole
  }
}

/// Runs `work`. Cancels it and throws ``ErrorCode/deadlineExceeded`` if it takes longer than `limit`.
func withDeadline<Value: Sendable>(
  _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await work() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw SerialScanError.deadlineExceeded
    }
    defer { group.cancelAll() }
    guard let value = try await group.next() else { throw CancellationError() }
    return value
  }
}
