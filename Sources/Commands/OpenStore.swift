import ArgumentParser
import Foundation
import JobStore
import PostgresStore
import SQLiteStore
import Settings

/// Opens the store that the settings name, the one place that knows which stores there are.
///
/// - Parameters:
///   - isServer: Whether this serves or reads: such a program makes and migrates a database; others open what there is.
///   - workers: How many photos it will read at a time, for those who ask about the queue.
/// - Throws: `StoreOpenError`.
func openStore(_ settings: Settings, isServer: Bool, workers: Int = 0) throws -> any ServerStore {
  let folder = DataFolder(path: settings.data)
  let limits =
    isServer ? QueueLimits(waiting: settings.queue.maxWaiting, reserved: settings.queue.reserved) : QueueLimits.none
  if let address = settings.store.url {
    var options = PostgresStore.Options(settings.store, passing: folder.path, limits: limits, isServer: isServer)
    (options.workers, options.version) = (workers, VersionCommand.version)
    return try PostgresStore(address: address.text, options: options)
  }
  if isServer, folder.hasPhotosAlone {
    throw StoreOpenError.photosWithoutDatabase(folder: folder.photos, path: folder.database)
  }
  var options = SQLiteJobStore.Options(limits: limits, isServer: isServer)
  options.migrates = isServer
  (options.workers, options.version) = (workers, VersionCommand.version)
  return try SQLiteJobStore(path: folder.database, options: options)
}

extension PostgresStore.Options {
  /// The options that settings give.
  init(_ settings: Settings.Store, passing: String, limits: QueueLimits, isServer: Bool) {
    self.init(limits: limits, isServer: isServer, connections: settings.pool, listenAddress: settings.listenURL?.text)
    temporaryFolder = passing
    photosFolder = settings.photos
    connectTimeout = .seconds(settings.connectTimeout)
    statementTimeout = .seconds(settings.statementTimeout)
    acquireTimeout = .seconds(settings.acquireTimeout)
  }
}

extension Settings {
  /// Ends the program with a sentence where the store is one that machines share, which `command` does not know.
  func requireOwnDatabase(for command: String, instead: String) throws {
    guard let address = store.url else { return }
    throw CleanExit.failure("`serialscan \(command)` is for a data folder, and the store is \(address): \(instead)")
  }
}

extension StoreOptions {
  /// Opens the store beside a server that may be running, or ends the program with a sentence.
  func openStore() throws -> any ServerStore {
    let settings = try load()
    do {
      return try Commands.openStore(settings, isServer: false)
    } catch let error as StoreOpenError {
      throw CleanExit.failure(error.description)
    }
  }

  /// Opens the store, after making the data folder's where there is none: what saves without a server needs no server
  /// first. A store that machines share is made by a server.
  func openOrMakeStore() async throws -> any ServerStore {
    let settings = try load()
    let folder = DataFolder(path: settings.data)
    guard settings.store.url == nil, !FileManager.default.fileExists(atPath: folder.database) else {
      return try openStore()
    }
    do {
      try folder.prepare()
      try await Commands.openStore(settings, isServer: true).close()
    } catch let error as StoreOpenError {
      throw CleanExit.failure(error.description)
    } catch let error as CocoaError {
      throw CleanExit.failure("the data folder \(settings.data) can't be used: \(error.localizedDescription)")
    }
    return try openStore()
  }
}
