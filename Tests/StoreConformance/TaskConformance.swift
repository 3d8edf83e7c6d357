import Foundation
import JobStore
import Testing

/// Background tasks.
public struct TaskConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: TaskStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("A task is done once, by the holder of its token") { try await $0.onlyClaimHolderEndsTask() },
      Check("A task whose lease expired restarts, a limited number of times") {
        try await $0.restartsExpiredTaskLimitedTimes()
      },
      Check("Any waiting task can be claimed, by one worker, and reports why it waits") {
        try await $0.oneWorkerClaimsEachWaitingTask()
      },
      Check("Cancelling a task ends it and invalidates its claim") { try await $0.cancellingTaskInvalidatesItsClaim() },
      Check("Tasks are listed newest first, each once, and deleted after their time") {
        try await $0.listsTasksNewestFirst()
      },
      Check("A task is rejected while too many are pending") { try await $0.rejectsTooManyPendingTasks() },
      Check("A task has the key that requested it, and is listed by it") { try await $0.listsTasksByKey() },
    ]
  }

  func onlyClaimHolderEndsTask() async throws {
    try await stores.withStore { store, _ in
      let task = try await store.addTask(
        NewTask(id: "t", kind: "evaluation", parameters: "{\"dir\":\"x\"}", keyID: "0a1b"), limit: .max)
      #expect(task.state == .queued && task.progress == 0 && task.keyID == "0a1b")
      #expect(try await begin(in: store, kinds: ["sweep"], worker: "w", lease: 10) == nil)
      #expect(try await begin(in: store, kinds: [], worker: "w", lease: 10) == nil)
      let claimed = try #require(
        try await begin(in: store, kinds: ["sweep", "evaluation"], worker: "w", lease: 10))
      #expect(claimed.task.id == "t" && claimed.task.parameters == "{\"dir\":\"x\"}")
      #expect(try await begin(in: store, kinds: ["evaluation"], worker: "v", lease: 10) == nil)
      try await store.heartbeat(claimed.claim, lease: 10, progress: 40, message: "2 of 5")
      try await store.heartbeat(claimed.claim, lease: 10, progress: 20, message: nil)
      let halfway = try #require(try await store.task(id: "t"))
      #expect(halfway.progress == 40 && halfway.message == "2 of 5")
      let other = TaskClaim(taskID: "t", token: "guessed")
      await #expect(throws: StoreError.claimLost(jobID: "t")) { try await store.endTask(other, with: .success("{}")) }
      let ended = try await store.endTask(claimed.claim, with: .success("{}"))
      #expect(ended.state == .completed && ended.progress == 100 && ended.result == "{}")
      await #expect(throws: StoreError.claimLost(jobID: "t")) {
        try await store.endTask(claimed.claim, with: .success("{}"))
      }
    }
  }

  func restartsExpiredTaskLimitedTimes() async throws {
    try await stores.withStore { store, time in
      _ = try await store.addTask(newTask("t"), limit: .max)
      let slow = try #require(try await begin(in: store, kinds: ["sweep"], worker: "slow", lease: 10))
      try await time.pass(9)
      try await store.heartbeat(slow.claim, lease: 10, progress: nil, message: nil)
      try await time.pass(9)
      #expect(try await begin(in: store, kinds: ["sweep"], worker: "quick", lease: 10) == nil)
      try await time.pass(1)
      let quick = try #require(try await begin(in: store, kinds: ["sweep"], worker: "quick", lease: 10))
      let lost = StoreError.claimLost(jobID: "t")
      await #expect(throws: lost) {
        try await store.heartbeat(slow.claim, lease: 10, progress: nil, message: nil)
      }
      await #expect(throws: lost) { try await store.giveBackTask(slow.claim) }
      await #expect(throws: lost) { try await store.endTask(slow.claim, with: .success("{}")) }
      // A returned task waits again, and the attempt does not count.
      try await store.giveBackTask(quick.claim)
      #expect(try await store.task(id: "t")?.state == .queued)
      for _ in 0..<4 {
        #expect(try await begin(in: store, kinds: ["sweep"], worker: "w", lease: 10) != nil)
        try await time.pass(11)
      }
      #expect(try await begin(in: store, kinds: ["sweep"], worker: "w", lease: 10) == nil)
      let task = try #require(try await store.task(id: "t"))
      #expect(task.state == .failed && task.error?.code == .cancelled)
    }
  }

  func oneWorkerClaimsEachWaitingTask() async throws {
    try await stores.withStore { store, time in
      for id in ["a", "b", "c"] { _ = try await store.addTask(newTask(id), limit: .max) }
      func waiting() async throws -> [String] { try await store.tasksToBegin(kinds: ["sweep"]).map(\.id) }
      #expect(try await waiting() == ["a", "b", "c"])
      let second = try #require(try await store.beginTask(id: "b", worker: "w", lease: 10))
      #expect(second.task.id == "b" && second.task.state == .processing)
      #expect(try await waiting() == ["a", "c"])
      #expect(try await store.beginTask(id: "b", worker: "v", lease: 10) == nil)
      #expect(try await store.beginTask(id: "none", worker: "v", lease: 10) == nil)
      // One of many concurrent claims succeeds.
      let claims = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<8 {
          group.addTask { try await store.beginTask(id: "c", worker: "\(number)", lease: 10) != nil }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(claims == 1)
      let before = try #require(try await store.task(id: "a"))
      try await store.updateWaitingMessage(id: "a", message: "Waiting for a folder")
      let updated = try #require(try await store.task(id: "a"))
      #expect(updated.message == "Waiting for a folder" && updated.state == .queued)
      #expect(updated.updatedAt > before.updatedAt)
      // A running task sends heartbeats, until its lease runs out.
      try await store.updateWaitingMessage(id: "b", message: "Waiting for a folder")
      #expect(try await store.task(id: "b")?.message == "Begun")
      try await time.pass(11)
      #expect(try await waiting() == ["a", "b", "c"])
      try await store.updateWaitingMessage(id: "b", message: "Waiting for a folder")
      #expect(try await store.task(id: "b")?.message == "Waiting for a folder")
    }
  }

  func cancellingTaskInvalidatesItsClaim() async throws {
    try await stores.withStore { store, _ in
      let why = JobError(code: .cancelled, detail: "Cancelled.")
      for id in ["a", "b"] { _ = try await store.addTask(newTask(id), limit: .max) }
      let claimed = try #require(try await begin(in: store, kinds: ["sweep"], worker: "w", lease: 10))
      for id in ["a", "b"] {
        let task = try await store.cancelTask(id: id, because: why)
        #expect(task?.state == .failed && task?.error == why && task?.progress == 100)
      }
      await #expect(throws: StoreError.claimLost(jobID: "a")) {
        try await store.heartbeat(claimed.claim, lease: 10, progress: nil, message: nil)
      }
      #expect(try await begin(in: store, kinds: ["sweep"], worker: "w", lease: 10) == nil)
      #expect(try await store.cancelTask(id: "none", because: why) == nil)
      // A task that has ended does not change.
      #expect(try await store.cancelTask(id: "a", because: JobError(code: .internalError, detail: "x"))?.error == why)
    }
  }

  func listsTasksNewestFirst() async throws {
    try await stores.withStore { store, _ in
      let ids = (0..<7).map { "task-\($0)" }
      for id in ids { _ = try await store.addTask(newTask(id), limit: .max) }
      let claimed = try #require(try await begin(in: store, kinds: ["sweep"], worker: "w", lease: 10))
      let why = JobError(code: .datasetNotFound, detail: "There is no such folder.")
      #expect(try await store.endTask(claimed.claim, with: .failure(why)).error == why)
      for (state, expected) in [(nil, ids), (.failed, [ids[0]]), (.queued, Array(ids.dropFirst()))]
        as [(Job.State?, [String])]
      {
        var listed: [String] = []
        var cursor: String?
        repeat {
          let page = try await store.tasks(TaskFilter(state: state), limit: 3, cursor: cursor)
          listed += page.items.map(\.id)
          cursor = page.nextCursor
        } while cursor != nil
        #expect(listed == expected.reversed())
      }
      await #expect(throws: InvalidCursor()) { try await store.tasks(TaskFilter(), limit: 3, cursor: "nonsense") }
      #expect(try await store.pruneTasks(endedBefore: .distantPast, limit: 10) == 0)
      #expect(try await store.pruneTasks(endedBefore: .distantFuture, limit: 10) == 1)
      #expect(try await store.task(id: ids[0]) == nil)
    }
  }

  func rejectsTooManyPendingTasks() async throws {
    try await stores.withStore { store, _ in
      for id in ["a", "b"] { _ = try await store.addTask(newTask(id), limit: 2) }
      let claimed = try #require(try await begin(in: store, kinds: ["sweep"], worker: "w", lease: 10))
      await #expect(throws: StoreError.queueFull(waiting: 2)) { try await store.addTask(newTask("c"), limit: 2) }
      #expect(try await store.task(id: "c") == nil)
      try await store.endTask(claimed.claim, with: .success("{}"))
      #expect(try await store.addTask(newTask("c"), limit: 2).state == .queued)
    }
  }

  func listsTasksByKey() async throws {
    try await stores.withStore { store, _ in
      for (id, key) in [("a", "one"), ("b", "two"), ("c", "one"), ("d", nil)] {
        _ = try await store.addTask(newTask(id, keyID: key), limit: .max)
      }
      #expect(try await store.task(id: "b")?.keyID == "two")
      #expect(try await store.task(id: "d")?.keyID == nil)
      let listed = try await store.tasks(TaskFilter(state: .queued, keyID: "one"), limit: 10, cursor: nil).items
      #expect(listed.map(\.id) == ["c", "a"])
      #expect(try await store.tasks(TaskFilter(keyID: "none"), limit: 10, cursor: nil).items == [])
    }
  }
}

/// Claims the oldest waiting task of these kinds, as a single machine does.
private func begin(
  in store: some TaskStore, kinds: [String], worker: String, lease: TimeInterval
) async throws -> ClaimedTask? {
  guard let next = try await store.tasksToBegin(kinds: kinds).first else { return nil }
  return try await store.beginTask(id: next.id, worker: worker, lease: lease)
}

private func newTask(_ id: String, keyID: String? = nil) -> NewTask {
  NewTask(id: id, kind: "sweep", parameters: "{}", keyID: keyID)
}
