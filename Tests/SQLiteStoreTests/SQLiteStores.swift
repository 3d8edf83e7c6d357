import Foundation
import JobStore
import SQLiteStore
import StoreConformance

/// Stores in folders that are deleted afterwards.
struct SQLiteStores: TestedStores {
  func withStore(
    limits: QueueLimits, _ body: @Sendable (SQLiteJobStore, any TestTime) async throws -> Void
  ) async throws {
    let clock = TestClock()
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(
        path: folder + "/store.sqlite", options: .init(limits: limits, clock: clock.storeClock()))
      try await body(store, clock)
      try store.close()
    }
  }
}

/// Stores in memory.
struct InMemoryStores: TestedStores {
  func withStore(
    limits: QueueLimits, _ body: @Sendable (InMemoryJobStore, any TestTime) async throws -> Void
  ) async throws {
    let clock = TestClock()
    try await body(InMemoryJobStore(limits: limits, clock: clock.storeClock()), clock)
  }
}

func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
  let folder = NSTemporaryDirectory() + "serialscan-store-" + UUID().uuidString
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try await body(folder)
}
