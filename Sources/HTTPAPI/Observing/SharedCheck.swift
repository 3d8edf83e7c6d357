/// A check that costs something, made once for all who ask within a time.
actor SharedCheck<Outcome: Sendable> {
  private let freshness: Duration
  private let check: @Sendable () async -> Outcome
  private var latest: (outcome: Outcome, at: ContinuousClock.Instant)?
  private var underWay: Task<Outcome, Never>?

  init(freshness: Duration, _ check: @escaping @Sendable () async -> Outcome) {
    self.freshness = freshness
    self.check = check
  }

  /// What the check found, no older than `freshness`. Who asks while it is made waits for it with the others.
  func outcome() async -> Outcome {
    if let latest, latest.at.duration(to: .now) < freshness { return latest.outcome }
    if let underWay { return await underWay.value }
    // A task of its own: it is not cancelled with the request that asked first.
    let task = Task { await check() }
    underWay = task
    let outcome = await task.value
    latest = (outcome, .now)
    underWay = nil
    return outcome
  }
}
