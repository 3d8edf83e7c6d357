import Dispatch
import Foundation
import Synchronization

/// Calls back for SIGTERM and SIGINT, with the number of signals so far.
final class StopSignals {
  private let sources: [any DispatchSourceSignal]

  init(_ received: @escaping @Sendable (Int) -> Void) {
    let counter = SignalCount()
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { received(counter.next()) }
      source.resume()
      return source
    }
  }

  func cancel() { sources.forEach { $0.cancel() } }

  private final class SignalCount: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }
}
