import Foundation
import JobStore
import ScanModel
import Testing

/// Concurrent writers.
public struct ManyWritersConformance<Stores: TestedStores>: ConformanceGroup {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Concurrent workers claim each job exactly once") { try await $0.concurrentWorkersClaimEachJobOnce() },
      Check("Concurrent requests with one idempotency key create one job") {
        try await $0.concurrentRequestsWithOneKeyCreateOneJob()
      },
    ]
  }

  func concurrentWorkersClaimEachJobOnce() async throws {
    try await stores.withStore { store, _ in
      let jobs = (0..<200).map { _ in newJob() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for job in jobs { group.addTask { _ = try await store.enqueue(job) } }
        try await group.waitForAll()
      }
      let claimed = try await withThrowingTaskGroup(of: [String].self) { group in
        for worker in 0..<16 {
          group.addTask {
            var ids: [String] = []
            while let next = try await store.claimNext(worker: "w\(worker)", lease: 60) {
              ids.append(next.job.id)
              try await store.heartbeat(next.claim, lease: 60, progress: nil)
              try await store.finish(next.claim, with: .read(reading("C02XL0THJHCC"), save: true))
            }
            return ids
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(claimed.count == jobs.count)
      #expect(Set(claimed) == Set(jobs.map(\.id)))
      for job in jobs { #expect(try await store.job(id: job.id)?.state == .completed) }
    }
  }

  func concurrentRequestsWithOneKeyCreateOneJob() async throws {
    try await stores.withStore { store, _ in
      let answers = try await withThrowingTaskGroup(of: EnqueuedJob.self) { group in
        for _ in 0..<50 { group.addTask { try await store.enqueue(newJob(key: "k", digest: "aa")) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(answers.map(\.id)).count == 1)
      #expect(answers.count { !$0.isDuplicate } == 1)
    }
  }
}
