import JobStore
import PostgresStore
import StoreConformance
import TestCluster
import Testing

/// Queue positions of uploads, estimated without a query for each.
@Suite struct WaitingCountsTests {
  private static let start = ContinuousClock.now

  private static func moment(_ milliseconds: Int) -> ContinuousClock.Instant {
    start + .milliseconds(milliseconds)
  }

  @Test func countIsUnknownBeforeFirstQuery() {
    #expect(WaitingCounts().take(priority: 0, most: 10_000) == nil)
  }

  @Test func countsOwnChangesByPriority() {
    let counts = WaitingCounts()
    counts.renew(priority: 0, total: 7, ahead: 7, now: Self.moment(0))
    counts.renew(priority: 10, total: 8, ahead: 0, now: Self.moment(1))
    func ahead(_ priority: Int) -> Int? { counts.take(priority: priority, most: 10_000, now: Self.moment(50)) }
    #expect(ahead(0) == 9)
    #expect(ahead(10) == 1)
    #expect(ahead(10) == 2)
    #expect(ahead(0) == 12)
    counts.change(by: -1, priority: 0)
    #expect(ahead(0) == 12)
    #expect(ahead(10) == 3)
    counts.forget()
    #expect(ahead(0) == nil)
  }

  @Test func oneUploadRecountsWhileOthersContinue() {
    let counts = WaitingCounts()
    counts.renew(priority: 0, total: 3, ahead: 3, now: Self.moment(0))
    func ahead(_ milliseconds: Int) -> Int? { counts.take(priority: 0, most: 10_000, now: Self.moment(milliseconds)) }
    #expect(ahead(99) == 4)
    #expect(ahead(100) == nil)
    #expect(ahead(101) == 5)
    counts.renew(priority: 0, total: 40, ahead: 40, now: Self.moment(102))
    #expect(ahead(103) == 41)
    #expect(ahead(1102) == nil, "the last count is more than a second old")
    #expect(ahead(1103) == nil)
  }

  @Test(arguments: [(10_000, 8_999), (1_000, 743)]) func alwaysRecountsNearlyFullQueue(most: Int64, last: Int) {
    let counts = WaitingCounts()
    counts.renew(priority: 0, total: last - 1, ahead: 0, now: Self.moment(0))
    #expect(counts.take(priority: 0, most: most, now: Self.moment(1)) == 1)
    #expect(counts.take(priority: 0, most: most, now: Self.moment(1)) == nil)
  }

  @Test func extremeCountsDoNotOverflow() {
    let counts = WaitingCounts()
    counts.renew(priority: 0, total: .max, ahead: .max, now: Self.moment(0))
    #expect(counts.take(priority: 0, most: .max, now: Self.moment(1)) == nil)
    counts.renew(priority: 0, total: 5, ahead: 5, now: Self.moment(2))
    #expect(counts.take(priority: 0, most: .max, now: Self.moment(3)) == 6)
  }

  /// The next count includes what other machines stored, and the last place is given out once.
  @Test(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) func machinesShareOneQueueLimit() async throws
  {
    try await withFreshDatabase { address in
      let options = PostgresStore.Options(limits: .init(waiting: 300, reserved: 0), isServer: true, connections: 2)
      let (one, other) = (
        try PostgresStore(address: address, options: options), try PostgresStore(address: address, options: options)
      )
      for place in 1...40 { #expect(try await one.enqueue(newJob()).queuePosition == place) }
      for place in 41...300 { #expect(try await other.enqueue(newJob()).queuePosition == place) }
      await #expect(throws: StoreError.queueFull(waiting: 300)) { try await other.enqueue(newJob()) }
      try await Task.sleep(for: .milliseconds(150))
      for _ in 0..<3 {
        await #expect(throws: StoreError.queueFull(waiting: 300)) { try await one.enqueue(newJob()) }
      }
      _ = try await other.claimNext(worker: "w", lease: 10)
      #expect(try await one.enqueue(newJob()).queuePosition == 300)
      try await one.close()
      try await other.close()
    }
  }
}
