import Foundation
import JobStore

/// Chooses which work this machine begins: what has its folder here. A task whose folder exists on no
/// machine is eventually claimed, so that it fails with a clear error.
///
/// Time is counted from when this machine saw the work unchanged, so that no other machine's clock is asked: who has the
/// folder and no free place changes it now and then.
package struct TaskChoice {
  /// What this machine does about work that may be begun.
  package enum Decision: Equatable {
    /// Begins it.
    case begin
    /// Begins it to say that nobody has its folder.
    case giveUp
    /// Tells whoever asks what it waits for.
    case tell(String)
    /// Leaves it to others, or to later.
    case leave
  }

  /// How often a machine that is busy says that it has the folder. What was not said for longer is said of nobody.
  package static let reminder = Duration.seconds(30)
  private static let silence = Duration.seconds(75)
  private static let turn = "Waiting for a free place on a machine that has its folder"
  private static let absence = "Waiting for a machine that reads and has its folder"

  private let patience: BackgroundWork.Patience
  private var seen: [String: (change: Date, since: ContinuousClock.Instant)] = [:]

  /// Nothing was seen yet.
  package init(_ patience: BackgroundWork.Patience) { self.patience = patience }

  /// Takes a look at all that may be begun. Of what is not among it nothing is remembered.
  package mutating func look(at tasks: [BackgroundTask], now: ContinuousClock.Instant = .now) {
    let before = seen
    seen = [:]
    for task in tasks {
      let known = before[task.id].flatMap { $0.change == task.updatedAt ? $0 : nil }
      seen[task.id] = known ?? (task.updatedAt, now)
    }
  }

  /// What to do about one of them.
  ///
  /// - Parameters:
  ///   - hasFolder: Whether its folder is here.
  ///   - hasPlace: Whether this machine may begin something.
  package func deed(
    for task: BackgroundTask, hasFolder: Bool, hasPlace: Bool, now: ContinuousClock.Instant = .now
  ) -> Decision {
    guard let since = seen[task.id]?.since else { return .leave }
    let waited = now - since
    if hasFolder {
      if hasPlace, waited >= patience.forReaders { return .begin }
      return patience.forFolder > .zero && waited >= Self.reminder ? .tell(Self.turn) : .leave
    }
    // Where there are no others the work itself says best what it lacks.
    if hasPlace, waited >= patience.forFolder { return patience.forFolder > .zero ? .giveUp : .begin }
    return waited >= Self.silence && task.message != Self.absence ? .tell(Self.absence) : .leave
  }
}
