import Foundation

/// Where a shared database is. It may hold a password, which only `text` tells: descriptions, and with them logs, leave
/// out everything but scheme, host, port and database.
public struct StoreAddress: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The address as it was set, with all that is in it. Never to be logged.
  public let text: String

  private static let schemes = ["postgresql://", "postgres://"]

  /// Takes an address; nil where it is none of PostgreSQL.
  public init?(_ text: String) {
    guard Self.schemes.contains(where: text.hasPrefix), URLComponents(string: text) != nil else { return nil }
    self.text = text
  }

  /// `postgresql://host:5432/database`.
  public var description: String {
    guard let url = URLComponents(string: text), let scheme = url.scheme else { return "postgresql" }
    return "\(scheme)://\(url.host ?? "")\(url.port.map { ":\($0)" } ?? "")\(url.path)"
  }

  /// The same.
  public var debugDescription: String { description }
}
