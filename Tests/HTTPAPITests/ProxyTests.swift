import Foundation
import Settings
import Testing

/// Covers which requests count as one client: addresses, trusted proxies, and IPv6 networks.
@Suite struct ProxyTests {
  /// Whether a request with the second headers counts as the client of one with the first.
  private func isSameClient(
    _ first: [String: String], _ second: [String: String], proxies: String = "127.0.0.0/8 10.0.0.0/8"
  ) async throws -> Bool {
    let api = try await RunningAPI {
      $0.settings.server.requestsPerMinute = 1
      $0.settings.server.trustedProxies = proxies.split(separator: " ").compactMap { AddressPrefix(String($0)) }
    }
    #expect(await api.get("/params", headers: first)?.status == 200)
    return try #require(await api.get("/params", headers: second)).status == 429
  }

  private func forwarded(_ text: String) -> [String: String] { ["X-Forwarded-For": text] }

  @Test func trustedProxyHeaderNamesTheClient() async throws {
    #expect(try await !isSameClient(forwarded("192.0.2.1"), forwarded("192.0.2.2")))
    #expect(try await isSameClient(forwarded("192.0.2.1"), forwarded("192.0.2.1:5000")))
    #expect(try await !isSameClient(["Forwarded": "for=192.0.2.1;proto=https"], ["Forwarded": "For=192.0.2.2"]))
    #expect(try await isSameClient(["Forwarded": #"for="[2001:db8::1]:80""#], forwarded("2001:db8::1")))
    #expect(try await isSameClient(forwarded("192.0.2.1, 10.1.2.3"), forwarded("192.0.2.1")), "two proxies")
  }

  @Test func ignoresForwardedHeaderOfUntrustedClients() async throws {
    #expect(try await isSameClient(forwarded("192.0.2.1"), forwarded("192.0.2.2"), proxies: ""))
    #expect(try await isSameClient(forwarded("192.0.2.1"), forwarded("192.0.2.2"), proxies: "10.0.0.0/8"))
    // The proxy appends the last address.
    #expect(try await isSameClient(forwarded("192.0.2.1, 198.51.100.7"), forwarded("192.0.2.2, 198.51.100.7")))
    #expect(try await isSameClient(forwarded("nonsense"), forwarded("more nonsense")))
    // The proxy sets one of the two headers and forwards the other.
    let spoofed = forwarded("192.0.2.1").merging(["Forwarded": "for=192.0.2.9"]) { $1 }
    #expect(try await isSameClient(spoofed, forwarded("192.0.2.1").merging(["Forwarded": "for=192.0.2.8"]) { $1 }))
  }

  @Test func countsIPv6NetworkAsOneClient() async throws {
    #expect(try await isSameClient(forwarded("2001:db8:0:1::1"), forwarded("2001:db8:0:1:ffff::2")))
    #expect(try await !isSameClient(forwarded("2001:db8:0:1::1"), forwarded("2001:db8:0:2::1")))
    #expect(try await isSameClient(forwarded("::ffff:192.0.2.1"), forwarded("192.0.2.1")))
  }

  @Test func comparesPrefixesBitwise() throws {
    let cases = [
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.0/25", "192.0.2.127", true),
      ("192.0.2.0/25", "192.0.2.128", false), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
      ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false),
      ("2001:db8::/33", "2001:db8:7fff::", true),
      ("2001:db8::/33", "2001:db8:8000::", false), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
      ("fe80::/10", "fe80::1%eth0", true),
    ]
    for (prefix, address, isInside) in cases {
      let prefix = try #require(AddressPrefix(prefix))
      #expect(prefix.contains(try #require(NetworkAddress(address))) == isInside, "\(prefix) \(address)")
    }
    for wrong in [
      "", "/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "localhost", "::1/129", "10.0.0.0/", "10.0.0.0/8/8",
    ] {
      #expect(AddressPrefix(wrong) == nil, "\(wrong)")
    }
  }
}
