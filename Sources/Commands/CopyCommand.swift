import ArgumentParser
import Foundation
import JobStore
import PostgresStore
import SQLiteStore
import Settings
import Support

/// `serialscan copy`: takes a data folder's jobs, serials, keys and photos along to a store that machines share.
struct CopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Take a data folder along to a shared PostgreSQL.",
    discussion: """
      The server of the folder must not run; the folder stays as it is. The database must be empty, or hold an earlier, \
      broken-off copy of the same folder, which is then completed: nothing is doubled. At the end every row is looked for.

      Examples:
        serialscan copy --from ./data --to postgresql://db.example/serialscan
      """)

  @Option(help: "The data folder to take along.")
  var from: String

  @Option(help: "Where to: postgresql://user@host/database.")
  var to: String

  @OptionGroup var overrides: SettingOverrides

  func run() async throws {
    let settings = try overrides.load(named: [("data", from), ("store.url", to)])
    let folder = DataFolder(path: settings.data)
    do {
      guard FileManager.default.fileExists(atPath: folder.database) else {
        throw StoreOpenError.missing(path: folder.database)
      }
      // As a server: nobody changes the folder meanwhile, and an older database is brought up to date first.
      let source = try SQLiteJobStore(path: folder.database, options: .init(isServer: true))
      guard let target = try openStore(settings, isServer: true) as? PostgresStore else {
        throw ValidationError("--to wants the address of a PostgreSQL, such as postgresql://user@host/database")
      }
      let copying = StoreCopying(source: source, target: target)
      let outcome = try await copying.run { print($0) }
      try await target.close()
      try source.close()
      guard outcome.isComplete else {
        throw CleanExit.stop("not everything is there; start the same command once more")
      }
    } catch let error as StoreOpenError {
      throw CleanExit.stop(error.description)
    } catch CopyRefusal.notEmpty {
      throw CleanExit.stop("the database has rows that are not from \(folder.path); take an empty one")
    } catch let error as StoreError {
      throw CleanExit.stop("broken off: \(error). Start the same command once more: what is there is not copied again")
    }
  }
}
