import Foundation

/// Where a shared database is. It may hold a password, which only `text` tells: descriptions, and with them logs, leave
/// out everything but scheme, host, port and database.
public struct StoreAddress: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The address as it was set, with all that is in it. Never to be logged.
  public let text: String

  private static let schemes = ["postgresql://", "postgres://"]

  /// Takes an address, also one with several hosts; nil if it is not PostgreSQL's.
  public init?(_ text: String) {
    guard Self.schemes.contains(where: text.hasPrefix), !text.contains(where: \.isWhitespace),
      text.count(where: { $0 == "[" }) == text.count(where: { $0 == "]" })
    else { return nil }
    self.text = text
  }

  /// `postgresql://host:5432/database`, or `postgresql://host1,host2:5433/database`.
  public var description: String {
    guard let scheme = Self.schemes.first(where: text.hasPrefix) else { return "postgresql" }
    return scheme + Self.withoutSecrets(text.dropFirst(scheme.count))
  }

  /// What stands behind the scheme, without the user, the password and the parameters. libpq ends the user's part at the
  /// first `@` before a `/`; whatever else stands before an `@` may be a password that was not encoded.
  private static func withoutSecrets(_ rest: Substring) -> Substring {
    var place = rest
    if let end = place.firstIndex(where: { $0 == "@" || $0 == "/" }), place[end] == "@" {
      place = place[place.index(after: end)...]
    }
    place = place.prefix { $0 != "?" }
    if let last = place.lastIndex(of: "@") { place = place[place.index(after: last)...] }
    return place
  }

  /// The same.
  public var debugDescription: String { description }
}
