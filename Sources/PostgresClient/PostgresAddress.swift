import Foundation

/// A database's connection string in libpq's format: `postgresql://user@host/database?sslmode=require` or `host=...
/// dbname=...`.
///
/// Missing values come from libpq's environment variables (`PGPASSWORD`, `PGSSLMODE`, ...) and from `~/.pgpass`.
package struct PostgresAddress: Sendable, Equatable {
  /// The connection string, including its password if it has one. Never log it.
  package let connectionString: String
  /// Whether the address is a pooler in transaction mode, which assigns a server connection to each transaction, so
  /// that session state is lost.
  package let isPooled: Bool

  /// Creates an address.
  package init(_ connectionString: String, isPooled: Bool = false) {
    self.connectionString = connectionString
    self.isPooled = isPooled
  }

  /// The address without password and other parameters, for logs: `postgresql://host:5432/database`.
  ///
  /// libpq ends the user part at the first `@` before a `/`. Any other text before an `@` may be an unencoded password.
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

/// Timeouts of connections and statements.
package struct PostgresTimes: Sendable, Equatable {
  /// Timeout for connecting to each host of the address.
  package var connect = Duration.seconds(5)
  /// Timeout for the result of one statement.
  package var statement = Duration.seconds(30)
  /// Timeout for a file of statements, which may rebuild a large table.
  package var script = Duration.seconds(3600)
  /// Timeout for a pooled connection to become free.
  package var acquire = Duration.seconds(10)

  /// Creates the defaults of `config/serialscan.yaml`.
  package init() {}
}
