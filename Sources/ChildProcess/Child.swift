import CChildProcess
import Foundation

/// A running child process and its pipes. Used by one thread only.
struct Child {
  /// How a child ended.
  enum Ending: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
    case unknown
  }

  /// The result of waiting for a child.
  struct Wakening {
    var canWrite = false
    var canRead = false
    var wasWoken = false
  }

  private let child: child_ends

  /// The child's process id.
  var processID: Int32 { child.pid }

  /// Starts a child. Throws a `POSIXError`.
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

  /// Increases the child's niceness, so that it runs after other processes.
  func lowerPriority(by niceness: Int32) {
    guard niceness > 0 else { return }
    setpriority(
      Int32(PRIO_PROCESS.rawValue), id_t(clamping: child.pid), getpriority(Int32(PRIO_PROCESS.rawValue), 0) + niceness)
  }

  /// Waits until the child writes, can be written to (if requested), the wake descriptor is readable, or the time is
  /// over.
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

  /// Writes as many bytes as the pipe takes. Returns their number; nil if the child no longer reads.
  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let written = bytes.withUnsafeBytes { Glibc.write(child.requests, $0.baseAddress, $0.count) }
    if written >= 0 { return written }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// Reads the child's answers; `ended` if it has closed its end of the pipe.
  func readAnswers() -> (bytes: [UInt8], ended: Bool) { drain(child.answers) }

  /// Reads the child's standard error output.
  func readErrors() -> [UInt8] { drain(child.errors).bytes }

  /// The child's resident memory in bytes; 0 if it is gone.
  func residentBytes() -> UInt64 {
    guard let text = try? String(contentsOfFile: "/proc/\(child.pid)/statm", encoding: .utf8) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { UInt64($0) } ?? 0
    return pages * UInt64(clamping: sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Seconds of CPU time that the child has used; 0 if it is gone.
  func processorSeconds() -> Double {
    guard let text = try? String(contentsOfFile: "/proc/\(child.pid)/stat", encoding: .utf8) else { return 0 }
    // The name in parentheses may contain any character; after it, user and system time are the 12th and 13th fields.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Kills the child and all processes it started, waits for it and closes the pipes.
  ///
  /// The signal always precedes the wait, because a child that has closed its pipes may still run.
  ///
  /// - Returns: How it ended, and the seconds of CPU time it had used.
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

  /// Whether the child has ended, checked without reaping it.
  func hasEnded() -> Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(clamping: child.pid), &information, WEXITED | WNOHANG | WNOWAIT) != 0
      || information.si_signo != 0
  }

  /// Waits briefly for a child that is exiting, so that its own exit status is reported and not our signal.
  func waitForEnd(seconds: Double) {
    let end = ContinuousClock.now + .seconds(seconds)
    while !hasEnded(), ContinuousClock.now < end { usleep(2000) }
  }

  private func drain(_ descriptor: Int32) -> (bytes: [UInt8], ended: Bool) {
    var bytes: [UInt8] = []
    let hasEnded = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { chunk in
      // Bounded, so that a child that never stops writing does not keep the thread from its deadline.
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
