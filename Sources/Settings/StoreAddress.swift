import Foundation

/// The address of a shared database. It may contain a password, which only `text` includes: descriptions, and therefore
/// logs, contain only scheme, host, port and database.
public struct StoreAddress: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The complete address as set, secrets included. Never log it.
  public let text: String

  private static let schemes = ["postgresql://", "postgres://"]

  /// Parses an address, which may list several hosts; nil if it is not a PostgreSQL address.
  public init?(_ text: String) {
    guard Self.schemes.contains(where: text.hasPrefix), !text.contains(where: \.isWhitespace),
      text.count(where: { $0 == "[" }) == text.count(where: { $0 == "]" })
    else { return nil }
    self.text = text
  }

  /// The address without secrets: `postgresql://host:5432/database`, or `postgresql://host1,host2:5433/database`.
  public var description: String {
    guard let scheme = Self.schemes.first(where: text.hasPrefix) else { return "postgresql" }
    return scheme + Self.withoutSecrets(text.dropFirst(scheme.count))
  }

  /// Removes the user, the password and the parameters from the text after the scheme. libpq ends the user part at the
  /// first `@` before a `/`; text before any further `@` may be part of an unencoded password.
  private static func withoutSecrets(_ rest: Substring) -> Substring {
    var place = rest
    if let end = place.firstIndex(where: { $0 == "@" || $0 == "/" }), place[end] == "@" {
      place = place[place.index(after: end)...]
    }
    place = place.prefix { $0 != "?" }
    if let last = place.lastIndex(of: "@") { place = place[place.index(after: last)...] }
    return place
  }

  /// The same as `description`.
  public var debugDescription: String { description }
}
