import Support

/// An expensive check whose result all callers share for a short time.
///
/// Failures are not cached: the next caller runs the check again.
package final class FreshCheck<Outcome: Sendable>: Sendable {
  private struct State {
    var latest: (outcome: Outcome, at: ContinuousClock.Instant)?
    var underWay: Task<Outcome, any Error>?
  }

  private enum Found {
    case outcome(Outcome)
    case task(Task<Outcome, any Error>)
  }

  private let freshness: Duration
  private let check: @Sendable () async throws -> Outcome
  private let state = Locked(State())

  /// Creates a check whose result is valid for `freshness`.
  package init(freshness: Duration = .seconds(1), _ check: @escaping @Sendable () async throws -> Outcome) {
    self.freshness = freshness
    self.check = check
  }

  /// Returns the check's result, no older than `freshness`; waits if a check is already running.
  ///
  /// Throws what the check throws.
  package func outcome() async throws -> Outcome {
    let found = state.withLock { state -> Found in
      if let latest = state.latest, .now - latest.at < freshness { return .outcome(latest.outcome) }
      if let underWay = state.underWay { return .task(underWay) }
      // An unstructured task, so that cancelling the first caller does not cancel the check.
      let task = Task {
        let result = await Task { try await check() }.result
        note(result)
        return try result.get()
      }
      state.underWay = task
      return .task(task)
    }
    switch found {
    case .outcome(let outcome): return outcome
    case .task(let task): return try await task.value
    }
  }

  private func note(_ result: Result<Outcome, any Error>) {
    state.withLock { state in
      state.underWay = nil
      if case .success(let outcome) = result { state.latest = (outcome, .now) }
    }
  }
}

extension FreshCheck where Outcome == Void {
  /// Returns if the check passes or has passed recently. Throws what the check throws.
  package func require() async throws { try await outcome() }
}
