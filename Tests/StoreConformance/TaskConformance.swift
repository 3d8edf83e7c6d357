import Foundation
import JobStore
import Testing

/// Work in the background.
public struct TaskConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: TaskStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("A task is done once, by whoever holds its token") { try await $0.tasks() },
      Check("A task whose lease ran out is restarted by another, and not for ever") { try await $0.taskLeases() },
      Check("Any task that may be begun is, by one alone, and tells what it waits for") { try await $0.chosenTasks() },
      Check("A task that is cancelled ends, and who does it has lost it") { try await $0.cancelledTasks() },
      Check("Tasks are listed latest first, each once, and go past their time") { try await $0.taskLists() },
      Check("A further task is refused while too many have not ended") { try await $0.boundedTasks() },
      Check("A task knows the key that asked for it, and is listed by it") { try await $0.tasksOfAKey() },
    ]
  }

  /// A task is done once, by whoever holds its token, and its progress never goes back.
  func tasks() async throws {
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

  /// A task whose lease ran out is restarted by another, and not for ever.
  func taskLeases() async throws {
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
      // Given back, it waits at once, and the beginning does not count.
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

  /// Whoever looks for work sees all that may be begun and takes what it can do, in any order; what it waits for is told.
  func chosenTasks() async throws {
    try await stores.withStore { store, time in
      for id in ["a", "b", "c"] { _ = try await store.addTask(newTask(id), limit: .max) }
      func waiting() async throws -> [String] { try await store.tasksToBegin(kinds: ["sweep"]).map(\.id) }
      #expect(try await waiting() == ["a", "b", "c"])
      let second = try #require(try await store.beginTask(id: "b", worker: "w", lease: 10))
      #expect(second.task.id == "b" && second.task.state == .processing)
      #expect(try await waiting() == ["a", "c"])
      #expect(try await store.beginTask(id: "b", worker: "v", lease: 10) == nil)
      #expect(try await store.beginTask(id: "none", worker: "v", lease: 10) == nil)
      // Of many that want the same, one has it.
      let claims = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<8 {
          group.addTask { try await store.beginTask(id: "c", worker: "\(number)", lease: 10) != nil }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(claims == 1)
      let before = try #require(try await store.task(id: "a"))
      try await store.updateWaitingMessage(id: "a", message: "Waiting for a folder")
      let told = try #require(try await store.task(id: "a"))
      #expect(told.message == "Waiting for a folder" && told.state == .queued && told.updatedAt > before.updatedAt)
      // A running task sends heartbeats, until its lease runs out.
      try await store.updateWaitingMessage(id: "b", message: "Waiting for a folder")
      #expect(try await store.task(id: "b")?.message == "Begun")
      try await time.pass(11)
      #expect(try await waiting() == ["a", "b", "c"])
      try await store.updateWaitingMessage(id: "b", message: "Waiting for a folder")
      #expect(try await store.task(id: "b")?.message == "Waiting for a folder")
    }
  }

  /// A task that is cancelled ends, whether it waits or is being done, and who does it has lost it.
  func cancelledTasks() async throws {
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
      // What has ended stays as it is.
      #expect(try await store.cancelTask(id: "a", because: JobError(code: .internalError, detail: "x"))?.error == why)
    }
  }

  /// Tasks are listed latest first, of all states or one, each once by cursor, and go past their time.
  func taskLists() async throws {
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

  /// Further tasks are refused while too many have not ended.
  func boundedTasks() async throws {
    try await stores.withStore { store, _ in
      for id in ["a", "b"] { _ = try await store.addTask(newTask(id), limit: 2) }
      let claimed = try #require(try await begin(in: store, kinds: ["sweep"], worker: "w", lease: 10))
      await #expect(throws: StoreError.queueFull(waiting: 2)) { try await store.addTask(newTask("c"), limit: 2) }
      #expect(try await store.task(id: "c") == nil)
      try await store.endTask(claimed.claim, with: .success("{}"))
      #expect(try await store.addTask(newTask("c"), limit: 2).state == .queued)
    }
  }

  /// Tasks know the key that asked for them, and are listed by it.
  func tasksOfAKey() async throws {
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

/// Claims the oldest work that may be begun, as one machine alone would.
private func begin(
  in store: some TaskStore, kinds: [String], worker: String, lease: TimeInterval
) async throws -> ClaimedTask? {
  guard let next = try await store.tasksToBegin(kinds: kinds).first else { return nil }
  return try await store.beginTask(id: next.id, worker: worker, lease: lease)
}

private func newTask(_ id: String, keyID: String? = nil) -> NewTask {
  NewTask(id: id, kind: "sweep", parameters: "{}", keyID: keyID)
}
