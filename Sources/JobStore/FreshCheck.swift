import Locking

/// A check that is made at most once within a time, for all who ask meanwhile. A failure is not kept: the next who asks
/// checks anew.
package final class FreshCheck: Sendable {
  private struct State {
    var passedAt: ContinuousClock.Instant?
    var underWay: Task<Void, any Error>?
  }

  private let freshness: Duration
  private let check: @Sendable () async throws -> Void
  private let state = Locked(State())

  /// Creates a check whose success counts for `freshness`.
  package init(freshness: Duration = .seconds(1), _ check: @escaping @Sendable () async throws -> Void) {
    self.freshness = freshness
    self.check = check
  }

  /// Returns at once where the check has passed lately, otherwise with its outcome; who asks while it is made waits for
  /// it. Throws what the check throws.
  package func demand() async throws {
    let underWay = state.withLock { state -> Task<Void, any Error>? in
      if let passedAt = state.passedAt, .now - passedAt < freshness { return nil }
      if let underWay = state.underWay { return underWay }
      // A task of its own: it does not end with the request that asked first.
      let task = Task {
        let result = await Task { try await check() }.result
        note(result)
        try result.get()
      }
      state.underWay = task
      return task
    }
    try await underWay?.value
  }

  private func note(_ result: Result<Void, any Error>) {
    state.withLock { state in
      state.underWay = nil
      if case .success = result { state.passedAt = .now }
    }
  }
}
