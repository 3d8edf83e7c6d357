import BlobFiles
import Foundation
import GRDB
import JobStore
import Support

/// A store in one SQLite file, in WAL mode with `synchronous = FULL`: completed changes survive a power failure.
public final class SQLiteJobStore: ChangeAnnouncing, ServerStore, Sendable {
  /// Options for opening a store.
  public struct Options: Sendable {
    /// Limits on the number of waiting jobs.
    public var limits: QueueLimits
    /// Whether this is the server. It takes a lock that only one process can hold, so that jobs held by other instances
    /// are known to be abandoned. Programs that only read leave this false.
    public var isServer: Bool
    /// The folder of photos and other files; nil for the database's folder.
    public var blobsPath: String?
    /// Whether to create a missing database with its file folders, and to migrate an older one. True for the server,
    /// false for commands run beside it.
    public var migrates = true
    /// Called before an older database is copied to a path and migrated, which takes minutes if it is large.
    public var willMigrate: @Sendable (_ copy: String) -> Void = { _ in }
    /// The store's clocks.
    public var clock: StoreClock
    /// Seconds to wait for another process's write.
    public var busyTimeout: TimeInterval
    /// Photos this program reads at a time, for `QueueStatus.machines`.
    public var workers = 0
    /// The program's version, for `QueueStatus.machines`.
    public var version: String?
    /// The schema migrations.
    package var migrations: [Migration]

    /// Creates options.
    public init(
      limits: QueueLimits = .none, isServer: Bool = false, blobsPath: String? = nil, clock: StoreClock = .system,
      busyTimeout: TimeInterval = 5
    ) {
      self.limits = limits
      self.isServer = isServer
      self.blobsPath = blobsPath
      self.clock = clock
      self.busyTimeout = busyTimeout
      self.migrations = Migration.all
    }
  }

  /// Size in bytes to which the write-ahead log is truncated after a checkpoint.
  static let walLimit = 16 << 20

  /// The database file's path.
  public let path: String
  /// The photos, annotations and reports.
  let files: BlobFolder
  package let pool: DatabasePool
  let options: Options
  let group: GroupCommit
  package let changes = JobChanges()
  let meter = ThroughputMeter()
  let ended = EndedJobs()
  /// Identifies this store instance as the holder of its claims.
  package let holder = UUID().uuidString.lowercased()
  private let lock: ServerLock?
  let room: ReservedRoom
  /// Checks that the database is still the one that was opened; nil unless this is the server.
  private let watch: DatabaseWatch?
  let freshness: FreshCheck<Void>?

  var clock: StoreClock { options.clock }

  /// Opens the database at `path`, creates it if missing, and migrates it to the newest schema.
  ///
  /// Throws `StoreOpenError`.
  public init(path: String, options: Options = Options()) throws {
    self.path = path
    self.options = options
    do {
      if options.migrates { try Self.makeFolder(of: path) } else { try StoreOpenError.requireFile(at: path) }
      lock = options.isServer ? try ServerLock(database: path) : nil
      files = try Self.files(of: path, options)
      if options.migrates { try StoreOpenError.requireWritable(path) }
      pool = try DatabasePool(path: path, configuration: Self.configuration(options))
      try pool.writeWithoutTransaction { database in
        // The pool sets NORMAL when it enables the write-ahead log, so FULL must come after it.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "PRAGMA journal_size_limit = \(Self.walLimit)")
        if options.migrates {
          try SchemaCopy.keep(of: database, before: options.migrations, path: path, willMigrate: options.willMigrate)
          try Migration.apply(options.migrations, to: database, path: path)
        } else {
          try Migration.requireNewest(of: options.migrations, in: database, path: path)
        }
      }
      group = GroupCommit(pool: pool)
      room = ReservedRoom(database: path)
      if options.isServer {
        room.keep()
        let watch = try DatabaseWatch(path: path, pool: pool, holder: holder)
        (self.watch, freshness) = (watch, FreshCheck { try await watch.check() })
      } else {
        (watch, freshness) = (nil, nil)
      }
      try recallThroughput()
    } catch {
      throw StoreOpenError.from(error, path: path)
    }
  }

  private static func files(of path: String, _ options: Options) throws -> BlobFolder {
    let folder = (path as NSString).deletingLastPathComponent
    let files = BlobFolder(path: options.blobsPath ?? (folder.isEmpty ? "." : folder))
    if options.migrates { try files.prepare(isAlone: options.isServer && options.blobsPath == nil) }
    return files
  }

  private static func makeFolder(of path: String) throws {
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
  }

  private static func configuration(_ options: Options) -> Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(options.busyTimeout)
    configuration.maximumReaderCount = 4
    configuration.label = "serialscan.store"
    configuration.prepareDatabase { database in
      // SQLite's default of 1000 pages, set explicitly because the log's size bound depends on it.
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 1000")
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  /// Closes the database; calls after it fail.
  public func close() throws {
    if watch?.isLost == true {
      // Closing the last connection would write to the file now at the path and delete the log beside it, which belong
      // to another database.
      _ = Unmanaged.passRetained(pool)
      return
    }
    // The pool closes its read-only connections last, and these can't write the log back.
    try? pool.writeWithoutTransaction(emptyLog)
    try pool.close()
  }

  /// Milliseconds that truncating the log waits for readers while writers wait for it.
  ///
  /// Longer than a read of the server, short enough to go unnoticed. Long reads of other programs, such as a backup,
  /// are not waited for.
  private static let checkpointPatience = 100

  /// Checkpoints and truncates the log unless a reader blocks this for long. Returns the log's size in bytes.
  ///
  /// Call this regularly: SQLite's automatic checkpoint can't shrink the log while there is always a reader.
  @discardableResult
  public func checkpoint() async throws -> Int {
    try await freshness?.require()
    try await mapped { try await self.pool.writeWithoutTransaction(self.emptyLog) }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  @Sendable private func emptyLog(_ database: Database) throws {
    // SQLite crashes here without a connection, while statements fail.
    guard database.sqliteConnection != nil else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
    let usual = Int(exactly: (min(max(options.busyTimeout, 0), 3600) * 1000).rounded()) ?? 5000
    // Write most pages back first, without blocking writers or waiting for readers.
    try database.checkpoint(.passive)
    try database.execute(sql: "PRAGMA busy_timeout = \(Self.checkpointPatience)")
    defer { try? database.execute(sql: "PRAGMA busy_timeout = \(usual)") }
    do {
      try database.checkpoint(.truncate)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      // A reader still uses the log's end; everything else has been written back.
    }
  }

  /// See `ServerStore`.
  public var blobs: any BlobStore { files }

  /// See `ServerStore`.
  public func thumbnail(ofJob id: String) async throws -> [UInt8]? {
    try await reading { database in
      let statement = try database.cachedStatement(sql: "SELECT jpeg FROM thumbnails WHERE job_id = ?")
      let value: DatabaseValue? = try Row.fetchOne(statement, arguments: [id])?["jpeg"]
      guard case .blob(let jpeg)? = value?.storage else { return nil }
      return [UInt8](jpeg)
    }
  }

  /// See `ServerStore`.
  public func maintain() async throws {
    try await removeGivenUpBlobs()
    if options.isServer { try await FileThreads.run { [room] in room.keep() } }
    try await checkpoint()
  }

  /// Writes two pages as a health check. Throws the `StoreError` that a new job would meet.
  public func checkWritable() async throws {
    try await watch?.check()
    try await changing { database in
      try database.execute(sql: "INSERT OR REPLACE INTO writable_check VALUES (1, randomblob(8192))")
    }
  }

  /// Writes in a separate transaction, so that no other write makes it fail.
  func alone<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await freshness?.require()
    return try await mapped { try await self.pool.write(body) }
  }

  /// Runs `body`, converting errors of SQLite to `StoreError`.
  func mapped<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      throw StoreError.from(error, path: path)
    }
  }
}
