import Dispatch
import Foundation
import Support

/// Calls back for SIGTERM, SIGINT and optionally SIGHUP, with the number of signals so far.
final class StopSignals {
  private let sources: [any DispatchSourceSignal]

  /// Returns once all signals are registered: until then they would be ignored, since Dispatch registers sources later.
  ///
  /// - Parameter hangups: Whether a closed terminal stops the program like SIGTERM, unless `nohup` started it. It may
  ///   send several SIGHUPs, which count as one signal.
  init(hangups: Bool = false, _ received: @escaping @Sendable (Int) -> Void) {
    let count = Locked(0)
    let registered = DispatchSemaphore(value: 0)
    sources = ([SIGTERM, SIGINT] + (hangups && !Self.ignoresHangups ? [SIGHUP] : [])).map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        let total = count.withLock { count in
          if number != SIGHUP || count == 0 { count += 1 }
          return count
        }
        if number != SIGHUP || total == 1 { received(total) }
      }
      source.setRegistrationHandler { registered.signal() }
      source.resume()
      return source
    }
    for _ in sources { registered.wait() }
  }

  private static var ignoresHangups: Bool {
    var action = sigaction()
    return sigaction(SIGHUP, nil, &action) == 0
      && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  func cancel() { sources.forEach { $0.cancel() } }
}
