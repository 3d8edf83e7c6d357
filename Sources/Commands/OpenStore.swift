import ArgumentParser
import Foundation
import JobStore
import Logging
import PostgresStore
import SQLiteStore
import Settings
import Support

/// Opens the store that the settings name. The only function that depends on the kinds of store.
///
/// - Parameters:
///   - isServer: Whether the program serves HTTP or runs workers. Such a program creates and migrates databases; others
///     open existing ones.
///   - workers: The number of photos that it reads concurrently, reported in the queue's status.
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
  options.willMigrate = { copy in
    Logger(label: "serialscan").notice(
      "the database is of an older version and is migrated; this can take minutes", metadata: ["copy": "\(copy)"])
  }
  (options.workers, options.version) = (workers, VersionCommand.version)
  return try SQLiteJobStore(path: folder.database, options: options)
}

extension PostgresStore.Options {
  /// Creates the options from the settings.
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
  /// Ends the program with a message if the store is shared, which `command` does not support.
  func requireOwnDatabase(for command: String, instead: String) throws {
    guard let address = store.url else { return }
    throw CleanExit.failure("`serialscan \(command)` works on a data folder, but the store is \(address): \(instead)")
  }
}

extension StoreOptions {
  /// Opens the store while `body` changes it, also while a server runs, and closes it: then the database's file is complete
  /// without the log beside it. Ends the program with a message if the store can't be opened.
  ///
  /// - Parameter makesMissing: Whether to create a missing database or the tables of a shared store.
  func changeStore<Value>(
    makesMissing: Bool = false, _ body: (any ServerStore) async throws -> Value
  ) async throws -> Value {
    let store = try await makesMissing ? openOrMakeStore(makesShared: true) : openStore()
    let result: Result<Value, any Error>
    do { result = .success(try await body(store)) } catch { result = .failure(error) }
    try? await store.close()
    return try result.get()
  }

  /// Opens the store, also while a server runs; ends the program with a message if that fails.
  func openStore() throws -> any ServerStore {
    let settings = try load()
    do {
      return try Commands.openStore(settings, isServer: false)
    } catch let error as StoreOpenError {
      throw CleanExit.failure(error.description)
    }
  }

  /// Opens the store. Creates a missing database as a server does, so that saving needs no server first.
  ///
  /// - Parameter makesShared: Whether to create the tables of a shared store too.
  func openOrMakeStore(makesShared: Bool = false) async throws -> any ServerStore {
    let settings = try load()
    do {
      return try Commands.openStore(settings, isServer: false)
    } catch StoreOpenError.missing(let path) where settings.store.url == nil || makesShared {
      do {
        try DataFolder(path: settings.data).prepare()
        try await Commands.openStore(settings, isServer: true).close()
      } catch let error as StoreOpenError {
        throw CleanExit.failure(error.description)
      }
      StandardError.shared.write("serialscan: created the database \(printable(path))\n")
      return try openStore()
    } catch let error as StoreOpenError {
      throw CleanExit.failure(error.description)
    }
  }
}
