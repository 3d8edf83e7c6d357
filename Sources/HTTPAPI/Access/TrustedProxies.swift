import HTTPTypes
import Settings

/// The proxies whose word is taken for where a request comes from.
struct TrustedProxies: Sendable {
  let prefixes: [AddressPrefix]

  /// The client's address: the connection's, or where that is a trusted proxy's, the last one in `Forwarded` (RFC 7239)
  /// or `X-Forwarded-For` that is no trusted proxy itself; what a client wrote there stands before it.
  ///
  /// A proxy writes one of the two and passes the other on as the client sent it. Where both are there and differ,
  /// neither is believed.
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

  /// The last hop that is no trusted proxy. Behind one that does not tell its client's address, nobody is known.
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

  /// The `for` of each element; nil where it is hidden (`for=_secret`) or missing.
  private static func hops(ofForwarded text: String) -> [NetworkAddress?] {
    text.pieces(between: ",").map { element in
      let pairs = element.pieces(between: ";").map(\.trimmed)
      return pairs.first { $0.lowercased().hasPrefix("for=") }.flatMap { NetworkAddress(forwarded: $0.dropFirst(4)) }
    }
  }
}
