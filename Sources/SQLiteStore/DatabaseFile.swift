import BlobFiles
import Foundation
import GRDB
import JobStore

/// A store's database as a file: copied and looked at, also while a server writes to it. Nothing is made or migrated.
public struct DatabaseFile: Sendable {
  /// What a database holds, in numbers.
  public struct Contents: Sendable, Equatable {
    /// Its newest migration.
    public var migration: Int
    /// Jobs.
    public var jobs: Int
    /// Saved serials.
    public var serials: Int
    /// When the latest job was accepted; nil where there is none.
    public var latest: Date?
  }

  /// The newest migration that this program knows.
  public static let newestMigration = Migration.all.map(\.number).max() ?? 0

  /// The file.
  public let path: String

  /// Names a file.
  public init(path: String) { self.path = path }

  /// Writes a consistent copy to `destination`, whole or not at all; it is on the disk when this returns. Throws
  /// `StoreOpenError`.
  public func copy(to destination: String) throws {
    try opened { try DatabaseCopy.write($0, to: destination) }
  }

  /// What it holds. Throws `StoreOpenError`, also where it is no database of this program or of a newer version.
  public func contents() throws -> Contents {
    try opened { database in
      let migration = try Migration.newest(in: database)
      guard migration > 0 else {
        throw StoreOpenError.unusable(path: path, reason: "it is no database of SerialScan")
      }
      guard migration <= Self.newestMigration else {
        throw StoreOpenError.newerDatabase(path: path, found: migration, known: Self.newestMigration)
      }
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT (SELECT count(*) FROM jobs) AS jobs, (SELECT count(*) FROM serials) AS serials,
            (SELECT created_at FROM jobs ORDER BY seq DESC LIMIT 1) AS latest
          """)
      let latest: Int64? = row?["latest"]
      return Contents(
        migration: migration, jobs: row?["jobs"] ?? 0, serials: row?["serials"] ?? 0,
        latest: latest.map(Date.init(microseconds:)))
    }
  }

  /// What SQLite finds damaged, a sentence each; empty where everything is whole. Reads the whole file.
  public func damages() throws -> [String] {
    try opened { database in
      texts(of: try Row.fetchAll(database, sql: "PRAGMA integrity_check"), "integrity_check").filter { $0 != "ok" }
    }
  }

  /// The photos that jobs still have, by their files below the data folder. What is no name of a file is left out.
  public func photos() throws -> [String] {
    try opened { database in
      texts(of: try Row.fetchAll(database, sql: "SELECT photo FROM jobs WHERE photo_pruned = 0"), "photo")
        .compactMap { BlobFolder.place(of: BlobName(.photo, $0)) }
    }
  }

  private func opened<Value>(_ body: (Database) throws -> Value) throws -> Value {
    guard FileManager.default.fileExists(atPath: path) else { throw StoreOpenError.missing(path: path) }
    do {
      var configuration = Configuration()
      configuration.busyMode = .timeout(30)
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction(body)
    } catch let error as StoreOpenError {
      throw error
    } catch let error as DatabaseError {
      throw StoreOpenError.unusable(path: path, reason: error.sentence)
    } catch {
      throw StoreOpenError.unusable(path: path, reason: error.localizedDescription)
    }
  }
}
