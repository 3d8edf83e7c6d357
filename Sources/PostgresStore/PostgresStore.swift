import BlobFiles
import Foundation
import JobStore
import PostgresClient
import Support

/// The store in one PostgreSQL, shared by any number of servers and workers.
///
/// Time is the database's: no machine's clock moves a lease. What changed is told to other machines by notifications
/// that follow the commits; who misses one learns of it by asking every second.
public final class PostgresStore: ChangeAnnouncing {
  /// How a store is opened.
  public struct Options: Sendable {
    /// How many jobs may wait.
    public var limits: QueueLimits
    /// Whether this opening serves or reads: it makes and migrates the tables, and beats, so that others know that its
    /// jobs are in good hands.
    public var isServer: Bool
    /// How many photos this program reads at a time, which it tells with its beats.
    public var workers = 0
    /// Its version, which it tells too.
    public var version: String?
    /// The most connections at once.
    public var connections: Int
    /// The address that is listened at: behind a pooler in transaction mode, the database itself. Nil for the same.
    public var listenAddress: String?
    /// The folder below which photos lie while they pass this machine.
    public var temporaryFolder = NSTemporaryDirectory() + "serialscan"
    /// A folder that all machines mount, for photos in place of the database's rows.
    public var photosFolder: String?
    /// Until a connection stands.
    public var connectTimeout = Duration.seconds(3)
    /// For a statement's answer.
    public var statementTimeout = Duration.seconds(10)
    /// For a connection to become free.
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

    /// Where somebody else is listened to than is asked, a pooler is asked.
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
  /// Photos as rows.
  let rows: PostgresBlobs
  /// Photos as files, where all machines mount their folder.
  let folder: BlobFolder?
  /// What the latest readings took, and until when that is new enough.
  let latestThroughput = Locked<(throughput: Throughput?, until: ContinuousClock.Instant)?>(nil)
  let waiting = WaitingCounts()
  /// Claims that may have been made though their answers were lost.
  let unansweredClaims = Locked<[UnansweredClaim]>([])
  /// Names this opening as the holder of its claims.
  let holder = UUID().uuidString.lowercased()
  private let tables: FreshCheck<Void>

  /// Opens the store and, where this is a server, brings it to the newest schema. Throws `StoreOpenError`.
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
      throw StoreOpenError.unusable(path: options.photosFolder ?? passing, reason: error.localizedDescription)
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

  /// Makes the folder of what passes, and takes away what a process that died has left there. Another process of this
  /// machine may use the folder too: what is younger than an hour may be its.
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

  /// Runs statements in one transaction, with failures as the store's callers know them.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await mapped { try await self.pool.transaction(body) }
  }

  /// Runs one statement that may be run twice without harm.
  func repeatable<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await mapped { try await self.pool.read(body) }
  }

  func mapped<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as PostgresError {
      throw StoreError.from(error)
    }
  }
}

extension StoreError {
  /// What a failure of PostgreSQL means to callers.
  static func from(_ error: PostgresError) -> any Error {
    switch error {
    case .refused(let refusal) where refusal.isDiskFull: StoreError.diskFull
    case _ where error.isOutage: StoreError.unavailable("\(error)")
    case .refused(let refusal) where refusal.isWorthAnotherTry: StoreError.unavailable("\(error)")
    case .refused(let refusal) where refusal.isOfMissingTables:
      StoreError.lost("the database lacks what a server of this version made in it: \(refusal.message)")
    // Its message may name values.
    case .refused(let refusal) where refusal.isPermanent:
      StoreError.refused("PostgreSQL refuses the values (SQLSTATE \(refusal.sqlState))")
    case .unsendable(let what): StoreError.refused("PostgreSQL does not take \(what)")
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
    try await repeatable { connection in
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
      "webhooks",
    ]
    .map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: ", ")

  /// Throws where a table is missing: an accepted photo would never be read. Looked at once a second.
  package func requireTables() async throws { try await tables.require() }

  /// See `ServerStore`. PostgreSQL keeps itself; what is left are servers that are long gone, and the bytes of photos
  /// that have been taken away.
  public func maintain() async throws {
    try await repeatable { connection in
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
