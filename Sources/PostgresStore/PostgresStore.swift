import Foundation
import JobStore
import PostgresClient

/// The store in one PostgreSQL, shared by any number of servers and workers.
///
/// Time is the database's: no machine's clock moves a lease. What changed is told to other machines by notifications
/// that follow the commits; who misses one learns of it by asking every second.
///
/// It keeps neither photos and pictures nor work in the background yet, and no command opens it: photos are dropped.
public final class PostgresStore: ChangeAnnouncing {
  /// How a store is opened.
  public struct Options: Sendable {
    /// How many jobs may wait.
    public var limits: QueueLimits
    /// Whether this opening serves or reads: it beats, so that others know that its jobs are in good hands.
    public var isServer: Bool
    /// The most connections at once.
    public var connections: Int
    /// The address that is listened at: behind a pooler in transaction mode, the database itself. Nil for the same.
    public var listenAddress: String?

    /// Creates options.
    public init(
      limits: QueueLimits = .none, isServer: Bool = false, connections: Int = 8, listenAddress: String? = nil
    ) {
      self.limits = limits
      self.isServer = isServer
      self.connections = connections
      self.listenAddress = listenAddress
    }
  }

  let pool: PostgresPool
  let options: Options
  package let changes = JobChanges()
  let meter = ThroughputMeter()
  let feed: ChangeFeed
  /// Names this opening as the holder of its claims.
  let holder = UUID().uuidString.lowercased()

  /// Opens the store and, where this is a server or `migrating` is true, brings it to the newest schema.
  /// Throws `StoreOpenError`.
  public init(address: String, options: Options = Options()) throws {
    let place = PostgresAddress(address)
    self.options = options
    do {
      let connection = try PostgresConnection(to: place)
      if options.isServer { try PostgresMigrations.apply(to: connection, named: place.masked) }
    } catch let error as PostgresError {
      throw StoreOpenError.unusable(path: place.masked, reason: "\(error)")
    }
    pool = PostgresPool(address: place, size: options.connections)
    feed = ChangeFeed(pool: pool, changes: changes, sender: holder)
    if options.isServer {
      feed.listen(at: PostgresAddress(options.listenAddress ?? address))
      feed.beat(as: holder)
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
    default: error
    }
  }
}

extension PostgresStore {
  /// See `ServerStore`.
  public func checkWritable() async throws {
    try await repeatable { connection in
      _ = try connection.run(
        """
        INSERT INTO writable_check VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET filler = excluded.filler
        """, [.bytes([UInt8](repeating: .random(in: 0...255), count: 64))])
    }
  }

  /// See `ServerStore`. PostgreSQL keeps itself; what is left are servers that are long gone.
  public func maintain() async throws {
    try await repeatable { connection in
      _ = try connection.run("DELETE FROM servers WHERE beat_at < store_now() - 86400000000")
    }
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
