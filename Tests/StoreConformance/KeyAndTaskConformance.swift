import Foundation
import JobStore
import ReaderProtocol
import Testing

/// The keys of the API, and work in the background.
public struct KeyAndTaskConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Keys are added, counted and revoked; a name is free again after that") { try await $0.keys() },
      Check("A task is done once, its progress never goes back, and it is taken up again after a restart") {
        try await $0.tasks()
      },
    ]
  }

  /// Keys are added, counted and revoked; a name is free again after that.
  func keys() async throws {
    try await stores.withStore { store, _ in
      let key = try await store.addKey(id: "0a1b", name: "phone", hash: "h", scopes: ["scan", "read"])
      #expect(try await store.keys(includingRevoked: false) == [key])
      await #expect(throws: KeyError.nameTaken("phone")) {
        try await store.addKey(id: "ffff", name: "phone", hash: "h2", scopes: [])
      }
      try await store.countKeyUses(["0a1b": 3, "unknown": 1])
      try await store.countKeyUses(["0a1b": 2])
      let used = try #require(try await store.keys(includingRevoked: false).first)
      #expect(used.useCount == 5 && used.lastUsedAt != nil && used.scopes == ["scan", "read"])
      #expect(try await store.revokeKey("phone")?.id == "0a1b")
      #expect(try await store.revokeKey("phone") == nil)
      #expect(try await store.keys(includingRevoked: false) == [])
      #expect(try await store.keys(includingRevoked: true).first?.revokedAt != nil)
      _ = try await store.addKey(id: "ffff", name: "phone", hash: "h2", scopes: [])
      #expect(try await store.revokeKey("ffff")?.name == "phone")
    }
  }

  /// A task is done once, its progress never goes back, and it is taken up again after a restart.
  func tasks() async throws {
    try await stores.withStore { store, _ in
      let task = try await store.addTask(id: "t", kind: "evaluation", parameters: "{\"dir\":\"x\"}")
      #expect(task.state == .queued && task.progress == 0)
      #expect(try await store.beginNextTask(kinds: ["sweep"]) == nil)
      #expect(try await store.beginNextTask(kinds: ["sweep", "evaluation"])?.id == "t")
      #expect(try await store.beginNextTask(kinds: ["evaluation"]) == nil)
      try await store.report(progress: 40, message: "2 of 5", ofTask: "t")
      try await store.report(progress: 20, message: "1 of 5", ofTask: "t")
      #expect(try await store.task(id: "t")?.progress == 40)
      #expect(try await store.resumeTasks() == 1)
      #expect(try await store.beginNextTask(kinds: ["evaluation"])?.parameters == "{\"dir\":\"x\"}")
      let ended = try await store.endTask(id: "t", with: .success("{}"))
      #expect(ended?.state == .completed && ended?.progress == 100 && ended?.result == "{}")
      #expect(try await store.endTask(id: "t", with: .success("{}")) == nil)
      _ = try await store.addTask(id: "u", kind: "sweep", parameters: "{}")
      _ = try await store.beginNextTask(kinds: ["sweep"])
      let why = JobError(code: .datasetNotFound, detail: "There is no such folder.")
      #expect(try await store.endTask(id: "u", with: .failure(why))?.error == why)
      #expect(try await store.pruneTasks(endedBefore: .distantPast, limit: 10) == [])
      #expect(try await store.pruneTasks(endedBefore: .distantFuture, limit: 10).map(\.id) == ["t", "u"])
    }
  }
}
