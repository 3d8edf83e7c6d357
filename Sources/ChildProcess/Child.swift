import CChildProcess
import Foundation

/// A running child process and the pipes to it. Used by one thread only.
struct Child {
  /// What became of a child.
  enum Ending: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
    case unknown
  }

  /// What waiting for a child brought.
  struct Wakening {
    var canWrite = false
    var canRead = false
    var wasWoken = false
  }

  private let child: child_ends

  /// The child's process id.
  var processID: Int32 { child.pid }

  /// Starts a child; throws a `POSIXError`.
  init(_ configuration: ChildConfiguration) throws {
    var limits = child_limits(
      address_space: configuration.addressSpaceLimit,
      processor_seconds: UInt64(clamping: configuration.processorLimit ?? 0), open_files: 256)
    var child = child_ends()
    let variables = configuration.childEnvironment.map { "\($0.key)=\($0.value)" }
    let error = withCStrings(["serialscan"] + configuration.arguments) { arguments in
      withCStrings(variables) { environment in
        child_spawn(configuration.executable, arguments, environment, &limits, &child)
      }
    }
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    self.child = child
  }

  /// Lets the child run after others, by so much more than this process.
  func lowerPriority(by niceness: Int32) {
    guard niceness > 0 else { return }
    setpriority(
      Int32(PRIO_PROCESS.rawValue), id_t(clamping: child.pid), getpriority(Int32(PRIO_PROCESS.rawValue), 0) + niceness)
  }

  /// Waits until the child says something, can be written to (if asked), the wake descriptor is readable or the
  /// time is over.
  func wait(seconds: Double, wake: Int32, forWriting: Bool) -> Wakening {
    var polled = [
      pollfd(fd: child.answers, events: Int16(POLLIN), revents: 0),
      pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      pollfd(fd: forWriting ? child.requests : -1, events: Int16(POLLOUT), revents: 0),
    ]
    let milliseconds = Int32(exactly: min(max(seconds * 1000, 0), 3_600_000).rounded(.up)) ?? 0
    guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return Wakening() }
    return Wakening(
      canWrite: polled[3].revents != 0, canRead: polled[0].revents != 0 || polled[1].revents != 0,
      wasWoken: polled[2].revents != 0)
  }

  /// Writes as much as the pipe takes; returns how many bytes, or nil where the child no longer reads.
  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let written = bytes.withUnsafeBytes { Glibc.write(child.requests, $0.baseAddress, $0.count) }
    if written >= 0 { return written }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// What the child has answered; `ended` where it has closed its end.
  func readAnswers() -> (bytes: [UInt8], ended: Bool) { drain(child.answers) }

  /// What the child has printed to its standard error.
  func readErrors() -> [UInt8] { drain(child.errors).bytes }

  /// Bytes of memory the child holds, or 0 where it is gone.
  func residentBytes() -> UInt64 {
    guard let text = try? String(contentsOfFile: "/proc/\(child.pid)/statm", encoding: .utf8) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { UInt64($0) } ?? 0
    return pages * UInt64(clamping: sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Seconds of processor time that the child has used so far, or 0 where it is gone.
  func processorSeconds() -> Double {
    guard let text = try? String(contentsOfFile: "/proc/\(child.pid)/stat", encoding: .utf8) else { return 0 }
    // The name in parentheses may hold anything; behind it user and system time are the 12th and 13th field.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Kills the child with all it started, whatever it is doing, waits for it and closes the pipes.
  ///
  /// The signal comes before the wait in every case: a child that closed its pipes may still run.
  ///
  /// - Returns: How it ended, and the seconds of processor time that it had used.
  consuming func end() -> (ending: Ending, processorSeconds: Double) {
    kill(-child.pid, SIGKILL)
    kill(child.pid, SIGKILL)
    var status: Int32 = 0
    var usage = rusage()
    var waited: pid_t
    repeat { waited = wait4(child.pid, &status, 0, &usage) } while waited < 0 && errno == EINTR
    close(child.requests)
    close(child.answers)
    close(child.errors)
    guard waited == child.pid else { return (.unknown, 0) }
    let used = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    let signal = status & 0x7f
    return (signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal), used)
  }

  /// Whether the child has ended, seen without taking its status.
  func hasEnded() -> Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(clamping: child.pid), &information, WEXITED | WNOHANG | WNOWAIT) != 0
      || information.si_signo != 0
  }

  /// Waits a moment for a child that is ending by itself, so that its own ending is seen and not our signal.
  func waitForEnd(seconds: Double) {
    let end = ContinuousClock.now + .seconds(seconds)
    while !hasEnded(), ContinuousClock.now < end { usleep(2000) }
  }

  private func drain(_ descriptor: Int32) -> (bytes: [UInt8], ended: Bool) {
    var bytes: [UInt8] = []
    let hasEnded = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { chunk in
      // Bounded, so that a child that never stops talking does not keep the thread from its deadline.
      for _ in 0..<16 {
        let count = Glibc.read(descriptor, chunk.baseAddress, chunk.count)
        if count > 0 {
          bytes.append(contentsOf: chunk.prefix(count))
        } else if count == 0 {
          return true
        } else if errno != EINTR {
          return errno != EAGAIN
        }
      }
      return false
    }
    return (bytes, hasEnded)
  }
}

/// Calls a function with a null-terminated array of C strings.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = strings.map { strdup($0) }
  pointers.append(nil)
  defer { pointers.forEach { free($0) } }
  return pointers.withUnsafeBufferPointer { buffer in
    buffer.baseAddress.map(body) ?? body([nil])
  }
}
