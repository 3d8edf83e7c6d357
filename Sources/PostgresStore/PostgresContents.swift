import Foundation
import JobStore
import PostgresClient

extension PostgresStore {
  /// What a database holds and can do, for who looks over an installation.
  public struct Contents: Sendable, Equatable {
    /// PostgreSQL's version, such as `15.8`.
    public var serverVersion: String
    /// Jobs.
    public var jobs: Int
    /// Saved serials.
    public var serials: Int
    /// The database's time.
    public var now: Date
    /// Whether what one connection notifies is heard by another that listens.
    public var listens: Bool
  }

  /// Looks at a database of this version; changes nothing. Throws `StoreOpenError`.
  public static func contents(of address: String, listeningAt listenAddress: String? = nil) throws -> Contents {
    let place = PostgresAddress(address, isPooled: Options(listenAddress: listenAddress).isPooled(address))
    do {
      let connection = try PostgresConnection(to: place)
      try PostgresMigrations.requireNewest(in: connection, named: place.masked)
      let listens = try hears(PostgresConnection(to: PostgresAddress(listenAddress ?? address)), from: connection)
      let row = try connection.run(
        """
        SELECT current_setting('server_version') AS version, (SELECT count(*) FROM jobs) AS jobs,
          (SELECT count(*) FROM serials) AS serials, store_now() AS now
        """
      ).first
      return Contents(
        serverVersion: try row?.text("version") ?? "", jobs: try row?.count("jobs") ?? 0,
        serials: try row?.count("serials") ?? 0, now: Date(microseconds: try row?.integer("now") ?? 0), listens: listens
      )
    } catch let error as PostgresError {
      throw StoreOpenError.unreachable(address: place.masked, reason: error.sentence)
    }
  }

  /// Whether a notification comes through. A pooler that deals out another server connection to each transaction drops
  /// the listening with the transaction.
  private static func hears(
    _ listener: PostgresConnection, from sender: PostgresConnection
  ) throws(PostgresError) -> Bool {
    let channel = "serialscan_check"
    try listener.run("LISTEN \(channel)")
    try sender.run("SELECT pg_notify($1, '')", [.text(channel)])
    return try listener.notifications(waiting: .seconds(2)).contains { $0.channel == channel }
  }
}
