import Evaluations
import Foundation
import JobStore
import Testing

/// Covers which tasks a machine begins: those whose folder it has, and after a while those whose folder no machine has, so
/// that they fail with an error.
@Suite struct TaskChoiceTests {
  private static let start = ContinuousClock.now
  private static let shared = BackgroundWork.Patience.ofReaders

  private static func task(changed: Double = 0, message: String = "Waiting") -> BackgroundTask {
    BackgroundTask(
      id: "t", kind: "evaluation", state: .queued, progress: 0, message: message,
      createdAt: Date(timeIntervalSince1970: 0), updatedAt: Date(timeIntervalSince1970: changed),
      parameters: #"{"dir":"x"}"#, result: nil, error: nil, keyID: nil)
  }

  /// The decision about a task first seen at the start, some seconds later.
  private static func deed(
    _ patience: BackgroundWork.Patience, after seconds: Int, hasFolder: Bool, hasPlace: Bool = true,
    task: BackgroundTask = task()
  ) -> TaskChoice.Decision {
    var choice = TaskChoice(patience)
    choice.look(at: [task], now: start)
    return choice.deed(for: task, hasFolder: hasFolder, hasPlace: hasPlace, now: start + .seconds(seconds))
  }

  private static func isTelling(_ decision: TaskChoice.Decision) -> Bool {
    if case .tell = decision { true } else { false }
  }

  @Test func singleMachineStartsEveryTask() {
    #expect(Self.deed(.none, after: 0, hasFolder: true) == .begin)
    // The task fails, and its error names the missing folder.
    #expect(Self.deed(.none, after: 0, hasFolder: false) == .begin)
    for hasFolder in [true, false] {
      #expect(Self.deed(.none, after: 40, hasFolder: hasFolder, hasPlace: false) == .leave)
    }
  }

  @Test func workerStartsTaskWithItsFolderImmediately() {
    #expect(Self.deed(Self.shared, after: 0, hasFolder: true) == .begin)
    for seconds in [0, 1, 60, 299] {
      let deed = Self.deed(Self.shared, after: seconds, hasFolder: false)
      #expect(deed == .leave || Self.isTelling(deed))
    }
    #expect(Self.deed(Self.shared, after: 300, hasFolder: false) == .giveUp)
    #expect(Self.deed(Self.shared, after: 300, hasFolder: false, hasPlace: false) != .giveUp)
  }

  @Test func serverWithoutWorkersWaitsForWorkers() {
    #expect(Self.deed(.ofAnswerers, after: 9, hasFolder: true) == .leave)
    #expect(Self.deed(.ofAnswerers, after: 10, hasFolder: true) == .begin)
  }

  @Test func reportsReasonForWaiting() throws {
    let busy = Self.deed(Self.shared, after: 30, hasFolder: true, hasPlace: false)
    #expect(busy == .tell("Waiting for a free place on a machine that has its folder"))
    #expect(Self.deed(Self.shared, after: 29, hasFolder: true, hasPlace: false) == .leave)
    guard case .tell(let absence) = Self.deed(Self.shared, after: 75, hasFolder: false) else {
      Issue.record("nothing is told")
      return
    }
    #expect(absence == "Waiting for a machine that reads and has its folder")
    #expect(Self.deed(Self.shared, after: 200, hasFolder: false, task: Self.task(message: absence)) == .leave)
  }

  /// While a machine reports that it has the folder, no other machine fails the task.
  @Test func busyMachineKeepsTaskWaiting() {
    var choice = TaskChoice(Self.shared)
    for minute in 0..<60 {
      let now = Self.start + .seconds(60 * minute)
      let task = Self.task(changed: Double(minute))
      choice.look(at: [task], now: now)
      #expect(choice.deed(for: task, hasFolder: false, hasPlace: true, now: now + .seconds(59)) == .leave)
    }
    let silent = Self.task(changed: 59)
    let last = Self.start + .seconds(60 * 59)
    choice.look(at: [silent], now: last + .seconds(299))
    #expect(choice.deed(for: silent, hasFolder: false, hasPlace: true, now: last + .seconds(300)) == .giveUp)
  }

  /// Observations from before a store was unreachable do not count.
  @Test func forgetsTasksNoLongerListed() {
    var choice = TaskChoice(Self.shared)
    choice.look(at: [Self.task()], now: Self.start)
    choice.look(at: [], now: Self.start + .seconds(200))
    choice.look(at: [Self.task()], now: Self.start + .seconds(301))
    #expect(
      choice.deed(for: Self.task(), hasFolder: false, hasPlace: true, now: Self.start + .seconds(302)) == .leave)
  }
}
