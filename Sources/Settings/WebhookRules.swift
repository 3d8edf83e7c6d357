import Foundation

/// An address that the ends of jobs may be sent to, `https://hooks.example.com/serials?token=...`.
///
/// Programs differ in how they read unusual URLs, so only plain ones are taken: printable ASCII without a fragment, and
/// numeric hosts only as IP addresses are written.
public struct WebhookURL: Sendable, Equatable {
  /// The most characters.
  public static let longest = 1000

  /// As it was given.
  public let text: String
  /// Whether it is HTTPS, not HTTP.
  public let isSecure: Bool
  /// The host in lower case; of an IPv6 address the address without brackets.
  public let host: String
  /// The port, 443 or 80 where the URL has none.
  public let port: Int
  /// What stands before the host, with its `@`; empty where there is nothing.
  let userinfo: String
  /// What follows the port.
  let path: String

  /// Reads a URL; nil if invalid.
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

  /// Scheme, host and port alone, which hold no secret.
  public var origin: String {
    let isDefault = port == (isSecure ? 443 : 80)
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(isSecure ? "https" : "http")://\(name)\(isDefault ? "" : ":\(port)")"
  }

  /// Letters, digits, hyphens and dots, the last part no number: what `getaddrinfo` takes for a number is an address.
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

/// Where the ends of jobs may be sent: `webhooks.allow`.
public struct WebhookRules: Sendable, Equatable {
  /// Why an address is refused.
  public enum Refusal: Error, Equatable, Sendable {
    /// No host is allowed.
    case off
    /// It is no URL that is taken; see `WebhookURL`.
    case malformed
    /// It is HTTP, and not allowed so.
    case insecure
    /// Its scheme, host and port are not allowed; they are given.
    case notAllowed(String)
  }

  private let places: [WebhookURL]
  private let networks: [AddressPrefix]

  /// Whether anything may be sent.
  public var isOn: Bool { !places.isEmpty }

  /// Takes hosts as `hooks.example.com`, `hooks.example.com:8443` or `http://192.168.1.5:9000`, and networks as `10.0.0.0/8`,
  /// each of them a word; nil where one is neither.
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
      // A host that is named by its address may be where that is.
      if let named = AddressPrefix(place.host) { networks.append(named) }
    }
    (self.places, self.networks) = (places, networks)
  }

  /// Reads an address and checks it against what is allowed.
  public func url(_ text: String) throws(Refusal) -> WebhookURL {
    guard isOn else { throw .off }
    guard let url = WebhookURL(text) else { throw .malformed }
    if places.contains(where: { $0.origin == url.origin }) { return url }
    throw url.isSecure ? .notAllowed(url.origin) : .insecure
  }

  /// Whether a connection to this address may be made: it is public, or the operator has named it.
  public func admits(_ address: NetworkAddress) -> Bool {
    address.isGlobal || networks.contains { $0.contains(address) }
  }
}

/// What webhooks are signed with: `whsec_` and base64, as Standard Webhooks has it, or any text.
public struct WebhookSecret: Sendable, Equatable {
  /// The fewest bytes of a key.
  public static let fewestBytes = 24

  /// The key of the HMAC.
  public let bytes: [UInt8]

  /// Takes a secret; nil where it is shorter than `fewestBytes`, or no base64 follows `whsec_`.
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
