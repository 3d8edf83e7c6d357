import ArgumentParser
import Foundation
import JobStore
import PostgresStore
import SQLiteStore
import Settings
import Support

/// `serialscan copy`: copies a data folder's jobs, serials, keys and photos into a shared store.
struct CopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy a data folder into PostgreSQL.",
    discussion: """
      Stop the folder's server first; the folder is not changed. The database must be empty or contain an interrupted \
      copy of the same folder, which is then completed without duplicates. At the end, every row is verified.

      Examples:
        serialscan copy --from ./data --to postgresql://db.example/serialscan
      """)

  @Option(help: "The data folder to copy.", transform: notEmpty)
  var from: String

  @Option(help: "The destination: postgresql://user@host/database.", transform: notEmpty)
  var to: String

  @OptionGroup var overrides: SettingOverrides

  func run() async throws {
    let settings = try overrides.load(
      named: [("data", from), ("store.url", to)], as: ["data": "--from", "store.url": "--to"])
    let folder = DataFolder(path: settings.data)
    do {
      try StoreOpenError.requireFile(at: folder.database)
      // Open as a server does, so that no other process changes the folder meanwhile and an older database is migrated
      // first.
      let source = try SQLiteJobStore(path: folder.database, options: .init(isServer: true))
      guard let target = try openStore(settings, isServer: true) as? PostgresStore else {
        throw ValidationError("--to must be a PostgreSQL address, such as postgresql://user@host/database")
      }
      let copying = StoreCopying(source: source, target: target)
      let outcome = try await copying.run { try StandardOutput.shared.print($0) }
      try await target.close()
      try source.close()
      guard outcome.isComplete else {
        throw CleanExit.failure("the copy is incomplete; run the same command again")
      }
    } catch StoreOpenError.missing(let path) {
      throw CleanExit.failure("there is no database at \(path). Name the data folder of a server with --from")
    } catch let error as StoreOpenError {
      throw CleanExit.failure(error.description)
    } catch CopyRefusal.notEmpty {
      throw CleanExit.failure("the database has rows that are not from \(folder.path); use an empty one")
    } catch let error as StoreError {
      throw CleanExit.failure("interrupted: \(error). Run the same command again; it continues where it stopped")
    }
  }
}
