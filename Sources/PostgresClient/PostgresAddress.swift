import Foundation

/// Where a database is: a connection string as libpq takes it, `postgresql://user@host/database?sslmode=require` or
/// `host=... dbname=...`. What it leaves out comes from libpq's own variables (`PGPASSWORD`, `PGSSLMODE`, ...) and from
/// `~/.pgpass`.
package struct PostgresAddress: Sendable, Equatable {
  /// The connection string, with its password if it has one. Never to be logged.
  package let connectionString: String
  /// Whether a pooler in transaction mode stands there, which deals out another of the server's connections to each
  /// transaction: nothing may be kept in a session.
  package let isPooled: Bool

  /// Creates an address.
  package init(_ connectionString: String, isPooled: Bool = false) {
    self.connectionString = connectionString
    self.isPooled = isPooled
  }

  /// The address without its password and other parameters, for a log: `postgresql://host:5432/database`. libpq ends the
  /// user's part at the first `@` before a `/`; whatever else stands before an `@` may be a password that was not encoded.
  package var masked: String {
    guard let scheme = ["postgresql://", "postgres://"].first(where: connectionString.hasPrefix) else {
      return "postgresql"
    }
    var place = connectionString.dropFirst(scheme.count)
    if let end = place.firstIndex(where: { $0 == "@" || $0 == "/" }), place[end] == "@" {
      place = place[place.index(after: end)...]
    }
    place = place.prefix { $0 != "?" }
    if let last = place.lastIndex(of: "@") { place = place[place.index(after: last)...] }
    return scheme + place
  }
}

/// How long is waited for what, and how connections are kept.
package struct PostgresTimes: Sendable, Equatable {
  /// Until a connection stands, for each of the address's hosts.
  package var connect = Duration.seconds(5)
  /// For the answer to one statement.
  package var statement = Duration.seconds(30)
  /// For a file of statements, which may rebuild a large table.
  package var script = Duration.seconds(3600)
  /// For a connection of the pool to become free.
  package var acquire = Duration.seconds(10)

  /// The defaults of `config/serialscan.yaml`.
  package init() {}
}
