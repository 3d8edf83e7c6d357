import BlobFiles
import Foundation
import JobStore
import PostgresClient
import Support

/// A store in a PostgreSQL database, shared by any number of servers and workers.
///
/// Times come from the database, so that machines' clocks do not affect leases. Other machines are notified of changes
/// after the commits; those that miss a notification find the change by polling every second.
public final class PostgresStore: ChangeAnnouncing {
  /// Options for opening a store.
  public struct Options: Sendable {
    /// Limits on the number of waiting jobs.
    public var limits: QueueLimits
    /// Whether this instance serves or reads. If so, it creates and migrates the tables, and sends heartbeats so that
    /// others leave its jobs alone.
    public var isServer: Bool
    /// Photos this program reads at a time, reported with its heartbeats.
    public var workers = 0
    /// The program's version, reported with its heartbeats.
    public var version: String?
    /// Maximum number of connections.
    public var connections: Int
    /// The address for LISTEN: the database itself if `address` is a pooler in transaction mode. Nil to use the same
    /// address.
    public var listenAddress: String?
    /// The folder of temporary files for photos.
    public var temporaryFolder = NSTemporaryDirectory() + "serialscan"
    /// A folder mounted on all machines that stores photos instead of the database.
    public var photosFolder: String?
    /// Timeout for connecting.
    public var connectTimeout = Duration.seconds(3)
    /// Timeout for a statement's result.
    public var statementTimeout = Duration.seconds(10)
    /// Timeout for a connection to become free.
    public var acquireTimeout = Duration.seconds(5)

    /// Creates options.
    public init(
      limits: QueueLimits = .none, isServer: Bool = false, connections: Int = 8, listenAddress: String? = nil
    ) {
      self.limits = limits
      self.isServer = isServer
      self.connections = connections
      self.listenAddress = listenAddress
    }

    /// Whether the address is a pooler: it is if LISTEN uses a different one.
    func isPooled(_ address: String) -> Bool { listenAddress.map { $0 != address } ?? false }

    var times: PostgresTimes {
      var times = PostgresTimes()
      (times.connect, times.statement, times.acquire) = (connectTimeout, statementTimeout, acquireTimeout)
      return times
    }
  }

  let pool: PostgresPool
  let options: Options
  package let changes = JobChanges()
  let feed: ChangeFeed
  /// Photos in the database.
  let rows: PostgresBlobs
  /// Photos in a folder mounted on all machines.
  let folder: BlobFolder?
  /// The recent throughput, and until when it is valid.
  let latestThroughput = Locked<(throughput: Throughput?, until: ContinuousClock.Instant)?>(nil)
  let waiting = WaitingCounts()
  /// Claims that may have been made although their results were lost.
  let unansweredClaims = Locked<[UnansweredClaim]>([])
  /// Identifies this store instance as the holder of its claims.
  package let holder = UUID().uuidString.lowercased()
  private let tables: FreshCheck<Void>

  /// Opens the store and, on a server, migrates it to the newest schema. Throws `StoreOpenError`.
  public init(address: String, options: Options = Options()) throws {
    let place = PostgresAddress(address, isPooled: options.isPooled(address))
    self.options = options
    let passing = options.temporaryFolder
    do {
      let connection = try PostgresConnection(to: place, times: options.times)
      if options.isServer {
        try PostgresMigrations.apply(to: connection, named: place.masked)
        while try Self.foldTexts(in: connection) > 0 {}
      } else {
        try PostgresMigrations.requireNewest(in: connection, named: place.masked)
      }
      try Self.preparePassing(passing)
      folder = try options.photosFolder.map {
        try Self.photosFolder(at: $0, isServer: options.isServer, in: connection)
      }
    } catch let error as StoreOpenError {
      throw error
    } catch let error as PostgresError {
      throw StoreOpenError.unreachable(address: place.masked, reason: error.sentence)
    } catch {
      throw StoreOpenError.unusable(path: options.photosFolder ?? passing, reason: FileRefusal.reason(of: error))
    }
    let pool = PostgresPool(address: place, size: options.connections, times: options.times)
    self.pool = pool
    tables = FreshCheck {
      do {
        try await pool.read { _ = try $0.run(Self.tablesStatement) }
      } catch let error as PostgresError {
        throw StoreError.from(error)
      }
    }
    rows = PostgresBlobs(pool: pool, passing: BlobFolder(path: passing))
    feed = ChangeFeed(pool: pool, changes: changes, sender: holder)
    if options.isServer {
      feed.listen(at: PostgresAddress(options.listenAddress ?? address), times: options.times)
      feed.beat(as: holder, workers: options.workers, version: options.version)
    }
  }

  /// Creates the folder of temporary files and deletes those left by dead processes.
  ///
  /// Another process of this machine may use the folder too, so files younger than an hour are kept.
  private static func preparePassing(_ path: String) throws {
    let files = FileManager.default
    let incoming = URL(fileURLWithPath: path, isDirectory: true).appendingPathComponent("incoming")
    try files.createDirectory(
      at: incoming, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for file in try files.contentsOfDirectory(at: incoming, includingPropertiesForKeys: [.contentModificationDateKey])
    where file.pathExtension == "part" {
      let changed = try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
      if let changed, changed < Date(timeIntervalSinceNow: -3600) { try? files.removeItem(at: file) }
    }
  }

  /// Runs `body`, converting errors of PostgreSQL to `StoreError`.
  func mapped<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as PostgresError {
      throw StoreError.from(error)
    }
  }
}

extension StoreError {
  /// Converts a PostgreSQL error to a `StoreError`.
  static func from(_ error: PostgresError) -> any Error {
    switch error {
    case .refused(let refusal) where refusal.isDiskFull: StoreError.diskFull
    case _ where error.isOutage: StoreError.unavailable("\(error)")
    case .refused(let refusal) where refusal.isWorthAnotherTry: StoreError.unavailable("\(error)")
    case .refused(let refusal) where refusal.isOfMissingTables:
      StoreError.lost("the database lacks what a server of this version made in it: \(refusal.message)")
    // The server's message may contain values.
    case .refused(let refusal) where refusal.isPermanent:
      StoreError.refused("PostgreSQL refuses the values (SQLSTATE \(refusal.sqlState))")
    case .unsendable(let what): StoreError.refused("PostgreSQL does not accept \(what)")
    default: error
    }
  }
}

extension PostgresStore: ServerStore {
  /// See `ServerStore`.
  public var blobs: any BlobStore { folder ?? rows }

  /// See `ServerStore`.
  public func checkWritable() async throws {
    try await requireTables()
    try await repeating { connection in
      _ = try connection.run(
        """
        INSERT INTO writable_check VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET filler = excluded.filler
        """, [.bytes([UInt8](repeating: .random(in: 0...255), count: 64))])
    }
  }

  private static let tablesStatement =
    "SELECT "
    + [
      "jobs", "serials", "serial_changes", "api_keys", "tasks", "servers", "blobs", "blob_parts", "serial_counts",
      "webhooks", "devices", "device_values", "device_facets", "batches", "thumbnails",
    ]
    .map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: ", ")

  /// Throws if a table is missing, because an accepted photo would never be read. Checked once per second.
  package func requireTables() async throws { try await tables.require() }

  /// See `ServerStore`.
  public func thumbnail(ofJob id: String) async throws -> [UInt8]? {
    guard !id.utf8.contains(0) else { return nil }
    return try await repeating { connection in
      try connection.run("SELECT jpeg FROM thumbnails WHERE job_id = $1", [.text(id)], inBinary: true).first?
        .optionalBytes("jpeg")
    }
  }

  /// See `ServerStore`. PostgreSQL maintains itself; this deletes servers that have been gone for a day, and the bytes
  /// of deleted photos.
  public func maintain() async throws {
    try await repeating { connection in
      _ = try connection.run("DELETE FROM servers WHERE beat_at < store_now() - 86400000000")
    }
    try await foldTexts()
    try await purgeDeletedBlobs()
  }

  /// See `ServerStore`.
  public func close() async throws {
    feed.stop()
    let holder = holder
    if options.isServer {
      try? await pool.withConnection { _ = try $0.run("DELETE FROM servers WHERE id = $1", [.text(holder)]) }
    }
    pool.close()
  }
}
