import BlobFiles
import Foundation
import GRDB
import JobStore

/// The store in one SQLite file, in WAL mode with `synchronous = FULL`: what a call has changed survives a power cut
/// once the call has returned.
public final class SQLiteJobStore: ChangeAnnouncing, ServerStore, Sendable {
  /// How a store is opened.
  public struct Options: Sendable {
    /// How many jobs may wait.
    public var limits: QueueLimits
    /// Whether this is the server: it takes the lock that only one process can hold, so that every job held by
    /// another opening of the database is known to be abandoned. Programs that only look leave it false.
    public var isServer: Bool
    /// The folder of photos and other files; nil for the folder of the database.
    public var blobsPath: String?
    /// Whether a database that is missing is made, with the folders of its files, and an older one brought to the newest
    /// schema. The server does both; a command beside it does neither.
    public var migrates = true
    /// The clocks.
    public var clock: StoreClock
    /// Seconds to wait for another process that writes.
    public var busyTimeout: TimeInterval
    /// How many photos this program reads at a time, for `QueueStatus.machines`.
    public var workers = 0
    /// Its version, for the same.
    public var version: String?
    /// The steps of the schema.
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

  /// Bytes to which the write-ahead log is cut after it has been written back.
  static let walLimit = 16 << 20

  /// The database file.
  public let path: String
  /// The photos, pictures and reports.
  let files: BlobFolder
  package let pool: DatabasePool
  let options: Options
  let group: GroupCommit
  package let changes = JobChanges()
  let meter = ThroughputMeter()
  let ended = EndedJobs()
  /// Names this opening of the store as the holder of its claims.
  let holder = UUID().uuidString.lowercased()
  private let lock: ServerLock?
  let room: ReservedRoom
  /// Whether the database is still the one that was opened; nil where this is no server.
  private let watch: DatabaseWatch?
  private let freshness: FreshCheck<Void>?

  var clock: StoreClock { options.clock }

  /// Opens the database at `path`, makes it where it is missing, and brings it to the newest schema.
  /// Throws `StoreOpenError`.
  public init(path: String, options: Options = Options()) throws {
    self.path = path
    self.options = options
    do {
      if options.migrates { try Self.makeFolder(of: path) } else { try Self.require(path) }
      lock = options.isServer ? try ServerLock(database: path) : nil
      files = try Self.files(of: path, options)
      pool = try DatabasePool(path: path, configuration: Self.configuration(options))
      try pool.writeWithoutTransaction { database in
        // The pool sets NORMAL when it turns the write-ahead log on: FULL has to come after it.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "PRAGMA journal_size_limit = \(Self.walLimit)")
        if options.migrates {
          try SchemaCopy.keep(of: database, before: options.migrations, path: path)
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
    } catch let error as StoreOpenError {
      throw error
    } catch let error as DatabaseError {
      throw StoreOpenError.unusable(path: path, reason: error.sentence)
    } catch {
      throw StoreOpenError.unusable(path: path, reason: error.localizedDescription)
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

  private static func require(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { throw StoreOpenError.missing(path: path) }
  }

  private static func configuration(_ options: Options) -> Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(options.busyTimeout)
    configuration.maximumReaderCount = 4
    configuration.label = "serialscan.store"
    configuration.prepareDatabase { database in
      // 1000 pages is SQLite's own default, written down because the bound on the log rests on it.
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 1000")
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  /// Closes the database; calls after it fail.
  public func close() throws {
    if watch?.isLost == true {
      // The last connection's end would write to the file at the path, and delete the log beside it: another's by now.
      _ = Unmanaged.passRetained(pool)
      return
    }
    try pool.close()
  }

  /// Milliseconds that emptying the log waits for readers, while writers wait for it: longer than a read of the server,
  /// shorter than anybody notices. A program that reads for long, such as a backup, is not waited for.
  private static let checkpointPatience = 100

  /// Writes the log back into the database and empties it, where no reader is in the way for long. To be called now and
  /// then: the automatic way back can't shrink the log while there is always some reader. Returns the log's size in bytes.
  @discardableResult
  public func checkpoint() async throws -> Int {
    let usual = Int(exactly: (min(max(options.busyTimeout, 0), 3600) * 1000).rounded()) ?? 5000
    try await freshness?.require()
    try await mapped {
      try await self.pool.writeWithoutTransaction { database in
        // The bulk first, which keeps nobody from writing and waits for nobody.
        try database.checkpoint(.passive)
        try database.execute(sql: "PRAGMA busy_timeout = \(Self.checkpointPatience)")
        defer { try? database.execute(sql: "PRAGMA busy_timeout = \(usual)") }
        do {
          try database.checkpoint(.truncate)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
          // A reader holds the log's end; what could be written back has been.
        }
      }
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// See `ServerStore`.
  public var blobs: any BlobStore { files }

  /// See `ServerStore`.
  public func maintain() async throws {
    try await removeGivenUpBlobs()
    if options.isServer { try await FileThreads.run { [room] in room.keep() } }
    try await checkpoint()
  }

  /// Writes two pages, for a health check: throws the `StoreError` that a new job would meet.
  public func checkWritable() async throws {
    try await watch?.check()
    try await write { database in
      try database.execute(sql: "INSERT OR REPLACE INTO writable_check VALUES (1, randomblob(8192))")
    }
  }

  func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await freshness?.require()
    return try await mapped { try await self.group.write(body) }
  }

  /// Writes in a transaction of its own, so that no other write fails it.
  func alone<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await freshness?.require()
    return try await mapped { try await self.pool.write(body) }
  }

  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await freshness?.require()
    return try await mapped { try await self.pool.read(body) }
  }

  private func mapped<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      throw StoreError.from(error, path: path)
    }
  }
}
