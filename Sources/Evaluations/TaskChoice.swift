import Foundation
import JobStore

/// Chooses which tasks this machine claims: those whose folder is here. A task whose folder exists on no machine is
/// eventually claimed, so that it fails with a clear error.
///
/// Waiting times start when this machine first sees a task in its current state, so they do not depend on other
/// machines' clocks. A busy machine that has the folder updates the task regularly, which restarts the wait.
package struct TaskChoice {
  /// What to do about a task that can be claimed.
  package enum Decision: Equatable {
    /// Claim it.
    case begin
    /// Claim it to report that no machine has its folder.
    case giveUp
    /// Update the message that says what it waits for.
    case tell(String)
    /// Leave it to other machines, or until later.
    case leave
  }

  /// How often a busy machine reports that it has the folder. After `silence` without a report, no machine counts as
  /// having it.
  package static let reminder = Duration.seconds(30)
  private static let silence = Duration.seconds(75)
  private static let turn = "Waiting for a free place on a machine that has its folder"
  private static let absence = "Waiting for a machine that reads and has its folder"

  private let patience: BackgroundWork.Patience
  private var seen: [String: (change: Date, since: ContinuousClock.Instant)] = [:]

  /// Creates a choice that has seen no tasks.
  package init(_ patience: BackgroundWork.Patience) { self.patience = patience }

  /// Records all tasks that can be claimed, and forgets those that are no longer among them.
  package mutating func look(at tasks: [BackgroundTask], now: ContinuousClock.Instant = .now) {
    let before = seen
    seen = [:]
    for task in tasks {
      let known = before[task.id].flatMap { $0.change == task.updatedAt ? $0 : nil }
      seen[task.id] = known ?? (task.updatedAt, now)
    }
  }

  /// Decides what to do about a task.
  ///
  /// - Parameters:
  ///   - hasFolder: Whether its folder is here.
  ///   - hasPlace: Whether this machine can start another task.
  package func deed(
    for task: BackgroundTask, hasFolder: Bool, hasPlace: Bool, now: ContinuousClock.Instant = .now
  ) -> Decision {
    guard let since = seen[task.id]?.since else { return .leave }
    let waited = now - since
    if hasFolder {
      if hasPlace, waited >= patience.forReaders { return .begin }
      return patience.forFolder > .zero && waited >= Self.reminder ? .tell(Self.turn) : .leave
    }
    // On the only machine, the task itself reports best what is missing.
    if hasPlace, waited >= patience.forFolder { return patience.forFolder > .zero ? .giveUp : .begin }
    return waited >= Self.silence && task.message != Self.absence ? .tell(Self.absence) : .leave
  }
}
