import Dispatch
import Foundation
import Support

/// Calls back for SIGTERM and SIGINT, with the number of signals so far.
final class StopSignals {
  private let sources: [any DispatchSourceSignal]

  /// Returns once both signals are registered: until then they would be ignored, since Dispatch registers sources later.
  init(_ received: @escaping @Sendable (Int) -> Void) {
    let count = Locked(0)
    let registered = DispatchSemaphore(value: 0)
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        let number = count.withLock { count in
          count += 1
          return count
        }
        received(number)
      }
      source.setRegistrationHandler { registered.signal() }
      source.resume()
      return source
    }
    for _ in sources { registered.wait() }
  }

  func cancel() { sources.forEach { $0.cancel() } }
}
