import Foundation
import JobStore
import PostgresClient

extension PostgresStore {
  /// A database's contents and capabilities, for diagnosing an installation.
  public struct Contents: Sendable, Equatable {
    /// PostgreSQL's version, such as `15.8`.
    public var serverVersion: String
    /// Number of jobs.
    public var jobs: Int
    /// Number of saved serials.
    public var serials: Int
    /// The database's current time.
    public var now: Date
    /// Whether notifications from one connection reach another.
    public var listens: Bool
  }

  /// Inspects a database of this version without changing it. Throws `StoreOpenError`.
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

  /// Whether a notification arrives. A pooler that assigns a server connection to each transaction drops LISTEN with
  /// the transaction.
  private static func hears(
    _ listener: PostgresConnection, from sender: PostgresConnection
  ) throws(PostgresError) -> Bool {
    let channel = "serialscan_check"
    try listener.run("LISTEN \(channel)")
    try sender.run("SELECT pg_notify($1, '')", [.text(channel)])
    return try listener.notifications(waiting: .seconds(2)).contains { $0.channel == channel }
  }
}
