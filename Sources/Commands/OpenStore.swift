import Foundation
import JobStore
import SQLiteStore
import Settings

/// Opens the store that the settings name, the one place that knows which stores there are.
///
/// - Parameter isServer: Whether this is the server, which alone makes and migrates a database; other programs open what
///   there is.
/// - Throws: `StoreOpenError`.
func openStore(_ settings: Settings, isServer: Bool) throws -> any ServerStore {
  if let address = settings.store.url {
    throw StoreOpenError.unusable(path: "\(address)", reason: "this version keeps its data in a folder alone")
  }
  let folder = DataFolder(path: settings.data)
  let limits =
    isServer ? QueueLimits(waiting: settings.queue.maxWaiting, reserved: settings.queue.reserved) : QueueLimits.none
  if isServer, folder.hasPhotosAlone {
    throw StoreOpenError.photosWithoutDatabase(folder: folder.photos, path: folder.database)
  }
  var options = SQLiteJobStore.Options(limits: limits, isServer: isServer)
  options.migrates = isServer
  return try SQLiteJobStore(path: folder.database, options: options)
}
