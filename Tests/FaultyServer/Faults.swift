import Foundation
import Support

/// The faults that occur when the program reaches its fault points.
///
/// `SERIALSCAN_FAULT=claimed:3:server,photoHanded:1:suspend` kills the server the third time it reaches
/// `claimed`, and suspends its readers the first time one has been given a photo. Each fault occurs once, and is logged to
/// standard error before (`fault: claimed server`).
struct Faults: Sendable {
  /// The effect of a fault.
  enum Action: String {
    /// Kills the server; its readers notice that and exit.
    case server
    /// Kills the readers; the server continues.
    case reader
    /// Kills both.
    case both
    /// Suspends the server in the middle of the call.
    case stop
    /// Suspends the readers.
    case suspend
  }

  private struct Fault {
    var point: String
    var timesLeft: Int
    var action: Action
  }

  private static let variable = "SERIALSCAN_FAULT"

  private let faults: Locked<[Fault]>

  /// Enables the faults in the environment, and removes the variable, so that the program neither sees it nor warns of it.
  static func armFromEnvironment() {
    guard let text = ProcessInfo.processInfo.environment[variable] else { return }
    unsetenv(variable)
    let faults = text.split(separator: ",").map { Self.fault(String($0)) }
    let armed = Faults(faults: Locked(faults))
    FaultPoint.arm { armed.reach($0.rawValue) }
    WatchPoint.arm { armed.reach($0.rawValue) }
  }

  private static func fault(_ text: String) -> Fault {
    let parts = text.split(separator: ":").map(String.init)
    guard parts.count == 3, let point = parts.first.flatMap(Self.point), let times = Int(parts[1]), times > 0,
      let action = Action(rawValue: parts[2])
    else {
      say("fault: \(text) is none; POINT:TIMES:server|reader|both|stop|suspend is asked for\n")
      exit(64)
    }
    return Fault(point: point, timesLeft: times, action: action)
  }

  private static func point(_ name: String) -> String? {
    FaultPoint(rawValue: name)?.rawValue ?? WatchPoint(rawValue: name)?.rawValue
  }

  private func reach(_ point: String) {
    let due = faults.withLock { faults -> [Action] in
      for index in faults.indices where faults[index].point == point { faults[index].timesLeft -= 1 }
      return faults.filter { $0.point == point && $0.timesLeft == 0 }.map(\.action)
    }
    for action in due {
      Self.say("fault: \(point) \(action.rawValue)\n")
      Self.commit(action)
    }
  }

  private static func commit(_ action: Action) {
    switch action {
    case .server: kill(getpid(), SIGKILL)
    case .reader: readers().forEach { kill($0, SIGKILL) }
    case .both:
      readers().forEach { kill($0, SIGKILL) }
      kill(getpid(), SIGKILL)
    case .stop: kill(getpid(), SIGSTOP)
    case .suspend: readers().forEach { kill($0, SIGSTOP) }
    }
  }

  /// The process ids of all children.
  private static func readers() -> [pid_t] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.flatMap { thread -> [pid_t] in
      let text = (try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { pid_t($0) }
    }
  }

  /// Writes unbuffered: the process may end with the next statement.
  private static func say(_ line: String) {
    _ = Array(line.utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }
}
