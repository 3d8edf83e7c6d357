import Foundation

/// A value protected by a lock.
///
/// Uses `NSLock` instead of `Synchronization.Mutex`: on Linux, the latter waits on a futex unknown to thread sanitizer,
/// which then reports correct code, and real races could hide among those reports.
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  /// Protects a value.
  package init(_ value: sending Value) {
    self.value = value
  }

  /// Runs `body` with exclusive access to the value. Not reentrant.
  package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
