extension NetworkAddress {
  /// Whether hosts on the public internet have such an address: not private, loopback, link-local, shared (CGNAT), multicast,
  /// reserved or for documentation, and none that embeds an IPv4 address (NAT64, 6to4, Teredo), behind which each of these
  /// may lie. After the special-purpose address registries of IANA.
  public var isGlobal: Bool {
    // Of IPv6 only 2000::/3 is given out as global unicast.
    if bytes.count == 16, let first = bytes.first, first & 0xE0 != 0x20 { return false }
    return !Self.special.contains { $0.contains(self) }
  }

  private static let special = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
    "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  ].compactMap(AddressPrefix.init)
}
