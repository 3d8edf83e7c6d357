import Foundation

/// A value that is only reached under its lock.
///
/// `NSLock` in place of `Synchronization.Mutex`: on Linux the latter waits on a futex that thread sanitizer does not
/// know, so that it reports correct code and a real race could hide among its reports.
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  /// Puts a value behind a lock.
  package init(_ value: sending Value) {
    self.value = value
  }

  /// Runs `body` while nobody else reaches the value. Not reentrant.
  package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
