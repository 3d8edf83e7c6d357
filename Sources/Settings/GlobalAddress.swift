extension NetworkAddress {
  /// Whether the address is globally reachable: not private, loopback, link-local, shared (CGNAT), multicast, reserved
  /// or for documentation. Addresses that embed an IPv4 address (NAT64, 6to4, Teredo) don't count, because any of these
  /// may lie behind them. Source: IANA's special-purpose address registries.
  public var isGlobal: Bool {
    // The only IPv6 range allocated for global unicast is 2000::/3.
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
