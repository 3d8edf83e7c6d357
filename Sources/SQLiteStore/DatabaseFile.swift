import BlobFiles
import Foundation
import GRDB
import JobStore

/// A store's database file, for copying and inspecting it even while a server writes to it. Never creates or migrates
/// it.
public struct DatabaseFile: Sendable {
  /// Statistics of a database's contents.
  public struct Contents: Sendable, Equatable {
    /// Its newest migration.
    public var migration: Int
    /// Number of jobs.
    public var jobs: Int
    /// Number of saved serials.
    public var serials: Int
    /// When the latest job was accepted; nil without jobs.
    public var latest: Date?
  }

  /// The newest migration known to this program.
  public static let newestMigration = Migration.all.map(\.number).max() ?? 0

  /// The file's path.
  public let path: String

  /// Creates a reference to a file.
  public init(path: String) { self.path = path }

  /// Writes a consistent copy to `destination`, completely or not at all; it is durable when this returns.
  ///
  /// Throws `StoreOpenError` if the database can't be read, and Foundation's errors if the copy can't be written.
  public func copy(to destination: String) throws {
    let outcome = try opened { database in
      Result { try DatabaseCopy.write(database, at: path, to: destination) }
    }
    do {
      try outcome.get()
    } catch let error as DatabaseError {
      // Nothing is written to the database itself.
      throw error.resultCode.primaryResultCode == .SQLITE_FULL
        ? POSIXError(.ENOSPC) : StoreOpenError.from(error, path: path)
    }
  }

  /// Returns statistics of the contents. Throws `StoreOpenError`, also if the file is not a database of this program or
  /// was written by a newer version.
  public func contents() throws -> Contents {
    try opened { database in
      let migration = try Migration.newest(in: database)
      guard migration > 0 else {
        throw StoreOpenError.unusable(path: path, reason: "it is not a SerialScan database")
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

  /// Reads the whole file. Throws `StoreOpenError`, with the first of what SQLite finds damaged.
  public func requireIntact() throws {
    let damages = try opened { database in
      texts(of: try Row.fetchAll(database, sql: "PRAGMA integrity_check"), "integrity_check").filter { $0 != "ok" }
    }
    guard damages.isEmpty else {
      throw StoreOpenError.damaged(path: path, reason: damages.prefix(3).joined(separator: "; "))
    }
  }

  /// Lists the paths of the photos that jobs still have, relative to the data folder. Skips invalid file names.
  public func photos() throws -> [String] {
    try opened { database in
      texts(of: try Row.fetchAll(database, sql: "SELECT photo FROM jobs WHERE photo_pruned = 0"), "photo")
        .compactMap { BlobFolder.place(of: BlobName(.photo, $0)) }
    }
  }

  private func opened<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try StoreOpenError.requireFile(at: path)
    do {
      let copy = try copyOfUnreadable()
      defer { if let copy { try? FileManager.default.removeItem(at: copy.deletingLastPathComponent()) } }
      let path = copy?.path ?? path
      var configuration = Configuration()
      configuration.busyMode = .timeout(30)
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction(body)
    } catch {
      throw StoreOpenError.from(error, path: path)
    }
  }

  /// Copies the file and its log to a temporary folder if it is on a read-only disk without the shared-memory file that
  /// SQLite needs and can't create there; nil otherwise. Nobody can change the file meanwhile.
  private func copyOfUnreadable() throws -> URL? {
    let files = FileManager.default
    guard access(path, W_OK) != 0, errno == EROFS, !files.fileExists(atPath: path + "-shm") else { return nil }
    let folder = files.temporaryDirectory.appendingPathComponent("serialscan-\(UUID())", isDirectory: true)
    try files.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let copy = folder.appendingPathComponent("serialscan.sqlite")
    do {
      for part in ["", "-wal"] where files.fileExists(atPath: path + part) {
        try files.copyItem(atPath: path + part, toPath: copy.path + part)
      }
    } catch {
      try? files.removeItem(at: folder)
      throw error
    }
    return copy
  }
}
