import Foundation

/// The address of a webhook receiver, such as `https://hooks.example.com/serials?token=...`.
///
/// Programs parse unusual URLs differently, so only plain ones are valid: printable ASCII without a fragment, and a
/// numeric host only in the usual notation of an IP address.
public struct WebhookURL: Sendable, Equatable {
  /// The maximum number of characters.
  public static let longest = 1000

  /// The URL as given.
  public let text: String
  /// Whether the scheme is HTTPS rather than HTTP.
  public let isSecure: Bool
  /// The host in lower case; an IPv6 address has no brackets.
  public let host: String
  /// The port; 443 or 80 if the URL has none.
  public let port: Int
  /// The user info including its `@`; empty if the URL has none.
  let userinfo: String
  /// The text after the port.
  let path: String

  /// Parses a URL; nil if invalid.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.longest,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"#<>\\^`{|}".utf8.contains($0) })
    else { return nil }
    self.text = text
    let lower = text.prefix(8).lowercased()
    guard lower.hasPrefix("https://") || lower.hasPrefix("http://") else { return nil }
    isSecure = lower.hasPrefix("https://")
    let rest = text.dropFirst(isSecure ? 8 : 7)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    path = String(rest.dropFirst(authority.count))
    let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2, let place = parts.last else { return nil }
    userinfo = String(authority.dropLast(place.count))
    let isBracketed = place.hasPrefix("[")
    let pieces = place.dropFirst(isBracketed ? 1 : 0).split(
      separator: isBracketed ? "]" : ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = pieces.first.map({ $0.lowercased() }) else { return nil }
    if isBracketed {
      guard pieces.count == 2, name.contains(":"), !name.contains("%"), let address = NetworkAddress(name) else {
        return nil
      }
      host = address.text
    } else {
      guard Self.isName(name) || NetworkAddress(name)?.text == name else { return nil }
      host = name
    }
    var written = pieces.count == 2 ? pieces.last ?? "" : ""
    if isBracketed, !written.isEmpty {
      guard written.hasPrefix(":") else { return nil }
      written = written.dropFirst()
    }
    guard !place.hasSuffix(":") else { return nil }
    guard !written.isEmpty else {
      port = isSecure ? 443 : 80
      return
    }
    guard written.utf8.count <= 5, written.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(written),
      (1...65_535).contains(number)
    else { return nil }
    port = number
  }

  /// The URL up to its path, as it is spelled: scheme, user info, host and port.
  public var beginning: String { String(text.dropLast(path.count)) }

  /// The URL as shown to whoever supplied it: with `***` in place of a password.
  public var shown: String {
    guard let colon = userinfo.firstIndex(of: ":") else { return text }
    let scheme = isSecure ? "https://" : "http://"
    return text.prefix(scheme.count) + userinfo[...colon] + "***@" + text.dropFirst(scheme.count + userinfo.count)
  }

  /// Scheme, host and port, which contain no secret.
  public var origin: String {
    let isDefault = port == (isSecure ? 443 : 80)
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(isSecure ? "https" : "http")://\(name)\(isDefault ? "" : ":\(port)")"
  }

  /// Whether a name consists of letters, digits, hyphens and dots, and its last label is not a number: `getaddrinfo`
  /// parses a numeric name as an address.
  private static func isName(_ name: String) -> Bool {
    guard name.utf8.count <= 253 else { return false }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard
      labels.allSatisfy({ label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains($0) }
      }), let last = labels.last
    else { return false }
    return !last.utf8.allSatisfy { (0x30...0x39).contains($0) } && !last.hasPrefix("0x")
  }
}

/// The rules for webhook addresses: `webhooks.allow`.
public struct WebhookRules: Sendable, Equatable {
  /// The reasons for which an address is rejected.
  public enum Refusal: Error, Equatable, Sendable {
    /// No host is allowed, so webhooks are off.
    case off
    /// The URL is invalid; see `WebhookURL`.
    case malformed
    /// The URL uses HTTP, which is not allowed for this host.
    case insecure
    /// Scheme, host and port (the value) are not allowed.
    case notAllowed(String)
  }

  private let places: [WebhookURL]
  private let networks: [AddressPrefix]

  /// Whether any host is allowed.
  public var isOn: Bool { !places.isEmpty }

  /// Parses a list of hosts (`hooks.example.com`, `hooks.example.com:8443` or `http://192.168.1.5:9000`) and networks
  /// (`10.0.0.0/8`); nil if an entry is neither.
  public init?(_ words: [String]) {
    var (places, networks): ([WebhookURL], [AddressPrefix]) = ([], [])
    for word in words {
      if word.contains("/"), let network = AddressPrefix(word) {
        networks.append(network)
        continue
      }
      guard let place = WebhookURL(word.contains("://") ? word : "https://" + word), place.userinfo.isEmpty,
        place.path.isEmpty || place.path == "/"
      else { return nil }
      places.append(place)
      // A host given as an address also allows connections to that address.
      if let named = AddressPrefix(place.host) { networks.append(named) }
    }
    (self.places, self.networks) = (places, networks)
  }

  /// Parses an address and checks it against the rules.
  public func url(_ text: String) throws(Refusal) -> WebhookURL {
    guard isOn else { throw .off }
    guard let url = WebhookURL(text) else { throw .malformed }
    if places.contains(where: { $0.origin == url.origin }) { return url }
    throw url.isSecure ? .notAllowed(url.origin) : .insecure
  }

  /// Whether a connection to this address is allowed: it is public, or the operator listed it.
  public func admits(_ address: NetworkAddress) -> Bool {
    address.isGlobal || networks.contains { $0.contains(address) }
  }
}

/// A secret that signs webhooks: `whsec_` and base64, as defined by Standard Webhooks, or any text.
public struct WebhookSecret: Sendable, Equatable {
  /// The minimum length of a key in bytes.
  public static let fewestBytes = 24

  /// The key of the HMAC.
  public let bytes: [UInt8]

  /// Parses a secret; nil if it is shorter than `fewestBytes` or if invalid base64 follows `whsec_`.
  public init?(_ text: String) {
    let prefix = "whsec_"
    if text.hasPrefix(prefix) {
      guard let data = Data(base64Encoded: String(text.dropFirst(prefix.count))) else { return nil }
      bytes = [UInt8](data)
    } else {
      bytes = Array(text.utf8)
    }
    guard bytes.count >= Self.fewestBytes else { return nil }
  }
}
