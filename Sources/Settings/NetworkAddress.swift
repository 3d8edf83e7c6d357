import Foundation

/// An IP address as bytes: 4 for IPv4, 16 for IPv6.
public struct NetworkAddress: Sendable, Hashable {
  /// The bytes in network order.
  public let bytes: [UInt8]

  /// Parses an address without a port; nil if invalid. Converts an IPv4-mapped IPv6 address to IPv4, because a
  /// dual-stack socket reports its IPv4 clients that way. Ignores the zone of a link-local address.
  public init?(_ text: String) {
    // inet_pton stops reading at a NUL.
    guard text.utf8.count <= 100, !text.utf8.contains(0) else { return nil }
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: four) { Array($0) }
    } else if inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 {
      let all = withUnsafeBytes(of: six) { Array($0) }
      let isFour = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
      bytes = isFour ? Array(all.suffix(4)) : all
    } else {
      return nil
    }
  }

  /// Parses an address in `Forwarded` or `X-Forwarded-For`: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or
  /// `[2001:db8::1]:80`, each optionally quoted.
  public init?(forwarded text: Substring) {
    guard text.utf8.count <= 100 else { return nil }
    var text = text.trimmingCharacters(in: .whitespaces)
    if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = String(text.dropFirst().dropLast()) }
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      self.init(String(text[..<end].dropFirst()))
    } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
      self.init(String(text[..<colon]))
    } else {
      self.init(text)
    }
  }

  /// The address in its usual notation.
  public var text: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard bytes.withUnsafeBytes({ inet_ntop(family, $0.baseAddress, &buffer, socklen_t(buffer.count)) }) != nil else {
      return "unknown"
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The address that limits per client count: of an IPv6 address its /64, which one subscriber controls completely.
  public var client: String {
    guard bytes.count == 16 else { return text }
    return bytes.prefix(8).map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined() + "/64"
  }
}

/// An address prefix such as `10.0.0.0/8`. A single address is a prefix of full length.
public struct AddressPrefix: Sendable, Equatable {
  /// An address with this prefix.
  public let address: NetworkAddress
  /// The length of the prefix in bits.
  public let length: Int

  /// Parses `10.0.0.0/8`, `2001:db8::/32` or an address; nil if invalid.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = NetworkAddress(String(first)) else { return nil }
    let whole = address.bytes.count * 8
    guard let length = parts.count == 2 ? Int(parts[1]) : whole, (0...whole).contains(length) else { return nil }
    self.address = address
    self.length = length
  }

  /// Whether an address has this prefix.
  public func contains(_ other: NetworkAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let (whole, rest) = (length / 8, length % 8)
    guard other.bytes.prefix(whole) == address.bytes.prefix(whole) else { return false }
    guard rest > 0 else { return true }
    return (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
  }
}
