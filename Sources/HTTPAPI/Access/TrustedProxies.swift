import HTTPTypes
import Settings
import Support

/// The proxies trusted to report the client's address.
struct TrustedProxies: Sendable {
  let prefixes: [AddressPrefix]

  /// Returns the client's address: the connection's or, if that is a trusted proxy's, the last address in `Forwarded`
  /// (RFC 7239) or `X-Forwarded-For` that is not a trusted proxy. Addresses before it may have been written by the
  /// client.
  ///
  /// A proxy writes one of the two headers and passes the other on unchanged. If both are present and differ, both are
  /// ignored.
  func client(of peer: String?, _ headers: HTTPFields) -> NetworkAddress? {
    guard let peer = peer.flatMap(NetworkAddress.init) else { return nil }
    guard isTrusted(peer) else { return peer }
    let modern = HTTPField.Name("Forwarded").flatMap { headers[$0] }.map(Self.hops(ofForwarded:))
    let common = HTTPField.Name("X-Forwarded-For").flatMap { headers[$0] }.map { text in
      text.pieces(between: ",").map(NetworkAddress.init(forwarded:))
    }
    switch (modern.map { client($0, peer) }, common.map { client($0, peer) }) {
    case (let one?, let other?): return one == other ? one : peer
    case (let one?, nil), (nil, let one?): return one
    case (nil, nil): return peer
    }
  }

  /// Returns the last hop that is not a trusted proxy. If a hop hides its client's address, the hops before it are
  /// unknown.
  private func client(_ hops: [NetworkAddress?], _ peer: NetworkAddress) -> NetworkAddress {
    var client = peer
    for hop in hops.reversed() {
      guard let hop else { break }
      client = hop
      guard isTrusted(hop) else { break }
    }
    return client
  }

  private func isTrusted(_ address: NetworkAddress) -> Bool { prefixes.contains { $0.contains(address) } }

  /// Returns the `for` of each element; nil for an element that hides it (`for=_secret`) or lacks it.
  private static func hops(ofForwarded text: String) -> [NetworkAddress?] {
    text.pieces(between: ",").map { element in
      let pairs = element.pieces(between: ";").map(\.trimmed)
      return pairs.first { $0.lowercased().hasPrefix("for=") }.flatMap { NetworkAddress(forwarded: $0.dropFirst(4)) }
    }
  }
}
