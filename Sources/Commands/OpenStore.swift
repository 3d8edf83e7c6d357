import Foundation
import JobStore
import SQLiteStore
import Settings

/// Opens the store that the settings name, the one place that knows which stores there are.
///
/// - Parameter isServer: Whether this is the server; programs that only look leave it false.
/// - Throws: `StoreOpenError`.
func openStore(_ settings: Settings, isServer: Bool) throws -> any ServerStore {
  let folder = URL(fileURLWithPath: settings.data, isDirectory: true)
  let limits =
    isServer ? QueueLimits(waiting: settings.queue.maxWaiting, reserved: settings.queue.reserved) : QueueLimits.none
  return try SQLiteJobStore(
    path: folder.appendingPathComponent("serialscan.sqlite").path, options: .init(limits: limits, isServer: isServer))
}
