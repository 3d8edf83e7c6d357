import Settings
import Testing

/// Allowed addresses of webhooks, and invalid settings.
@Suite struct WebhookRulesTests {
  @Test(arguments: [
    ("93.184.216.34", true), ("8.8.8.8", true), ("172.15.0.1", true), ("172.32.0.1", true), ("100.63.255.255", true),
    ("100.128.0.1", true), ("192.0.1.1", true), ("11.0.0.1", true), ("223.255.255.255", true),
    ("2606:4700:4700::1111", true), ("2a00:1450:4001::1", true), ("2001:4860:4860::8888", true),
    ("0.0.0.0", false), ("0.1.2.3", false), ("10.0.0.1", false), ("100.64.0.1", false), ("100.127.255.255", false),
    ("127.0.0.1", false), ("127.255.255.255", false), ("169.254.169.254", false), ("172.16.0.1", false),
    ("172.31.255.255", false), ("192.0.0.1", false), ("192.0.2.1", false), ("192.88.99.1", false),
    ("192.168.0.1", false), ("198.18.0.1", false), ("198.19.255.255", false), ("198.51.100.1", false),
    ("203.0.113.1", false), ("224.0.0.1", false), ("239.255.255.255", false), ("240.0.0.1", false),
    ("255.255.255.255", false),
    ("::", false), ("::1", false), ("::127.0.0.1", false), ("::ffff:10.0.0.1", false), ("::ffff:127.0.0.1", false),
    ("::ffff:8.8.8.8", true), ("64:ff9b::8.8.8.8", false), ("64:ff9b::10.0.0.1", false), ("64:ff9b:1::1", false),
    ("100::1", false), ("2001::1", false), ("2001:1::1", false), ("2001:db8::1", false), ("2002:7f00:1::1", false),
    ("3fff::1", false), ("fc00::1", false), ("fd12:3456::1", false), ("fe80::1", false), ("fec0::1", false),
    ("ff02::1", false), ("4000::1", false),
  ])
  func allowsOnlyPublicAddresses(text: String, isPublic: Bool) throws {
    let address = try #require(NetworkAddress(text))
    #expect(address.isGlobal == isPublic)
    #expect(try #require(WebhookRules(["hooks.example.com"])).admits(address) == isPublic)
  }

  @Test func allowsNamedAddressesAndNetworks() throws {
    let rules = try #require(WebhookRules(["http://192.168.1.5:9000", "hooks.internal", "fd00::/8", "10.1.0.0/16"]))
    for text in ["192.168.1.5", "fd12::1", "10.1.2.3", "8.8.8.8"] {
      #expect(rules.admits(try #require(NetworkAddress(text))), "\(text)")
    }
    for text in ["192.168.1.6", "127.0.0.1", "10.2.0.1", "fc00::1"] {
      #expect(!rules.admits(try #require(NetworkAddress(text))), "\(text)")
    }
    #expect(WebhookRules(["10.0.0.0/8"])?.isOn == false, "a network does not allow a host name")
  }

  @Test func allowsOnlyNamedHosts() throws {
    let rules = try #require(
      WebhookRules(["hooks.example.com", "Other.example.com:8443", "http://192.168.1.5:9000", "https://[2001:db8::1]"]))
    for text in [
      "https://hooks.example.com", "https://HOOKS.example.com:443/a/b?c=d", "HTTPS://user:pass@hooks.example.com/",
      "https://other.example.com:8443/x", "http://192.168.1.5:9000/x", "https://[2001:DB8::1]/x",
      "https://hooks.example.com?x=1",
    ] {
      #expect(throws: Never.self, "\(text)") { try rules.url(text) }
    }
    let refused: [(String, WebhookRules.Refusal)] = [
      ("https://example.com/", .notAllowed("https://example.com")),
      ("https://hooks.example.com:444/", .notAllowed("https://hooks.example.com:444")),
      ("https://hooks.example.com.evil.com/", .notAllowed("https://hooks.example.com.evil.com")),
      ("https://hooks.example.com@evil.com/", .notAllowed("https://evil.com")),
      ("https://192.168.1.5:9000/", .notAllowed("https://192.168.1.5:9000")),
      ("http://hooks.example.com/", .insecure), ("http://192.168.1.5/", .insecure), ("http://127.0.0.1/", .insecure),
    ]
    for (text, refusal) in refused { #expect(throws: refusal, "\(text)") { try rules.url(text) } }
    #expect(throws: WebhookRules.Refusal.off) { try #require(WebhookRules([])).url("https://hooks.example.com") }
  }

  @Test(arguments: [
    "", "x", "hooks.example.com", "ftp://hooks.example.com", "file:///etc/passwd", "gopher://hooks.example.com",
    "https://", "https:///x", "https://:443", "https://hooks.example.com:", "https://hooks.example.com:0",
    "https://hooks.example.com:65536", "https://hooks.example.com:+443", "https://hooks.example.com:4a3",
    "https://a@b@hooks.example.com", "https://hooks.example.com\\@evil.com", "https://hooks.example.com#x",
    "https://hooks.example.com/a b", "https://hooks.example.com/\u{7f}", "https://hooks.example.com/\r\nX: y",
    "https://hööks.example.com", "https://hooks..example.com", "https://-hooks.example.com",
    "https://hooks.example.com.",
    "https://0x7f000001", "https://2130706433", "https://127.1", "https://0177.0.0.1", "https://1.2.3.4.5",
    "https://[::1", "https://[::1]x", "https://[::1%25eth0]", "https://[1.2.3.4]",
    "https://hooks.example.com%2eevil.com",
    "https://" + String(repeating: "a", count: 1000),
  ])
  func rejectsUnusualURLs(text: String) throws {
    let rules = try #require(WebhookRules(["hooks.example.com"]))
    #expect(throws: WebhookRules.Refusal.malformed) { try rules.url(text) }
  }

  @Test(arguments: [
    ("https://me:hush@a.test/serials?token=x", "https://me:***@a.test/serials?token=x"),
    ("HTTP://:hu:sh@a.test:8080", "HTTP://:***@a.test:8080"), ("https://me:@[::1]/", "https://me:***@[::1]/"),
    ("https://me@a.test/a:b@c", "https://me@a.test/a:b@c"), ("https://a.test", "https://a.test"),
  ])
  func showsNoPassword(text: String, shown: String) throws {
    let url = try #require(WebhookURL(text))
    #expect(url.shown == shown && url.text == text)
  }

  @Test(arguments: [
    ("webhooks.allow", "not a host/path"), ("webhooks.allow", "https://user@hooks.example.com"),
    ("webhooks.allow", "127.1"), ("webhooks.secret", "short"), ("webhooks.secret", "whsec_!!!!"),
    ("webhooks.default", "https://other.example.com/x"), ("webhooks.timeout", "0"),
  ])
  func checksWebhookSettings(key: String, value: String) throws {
    let good = [
      "webhooks.allow": "hooks.example.com", "webhooks.secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      "webhooks.default": "https://user:hush@hooks.example.com/hush",
    ]
    func load(_ values: [String: String]) throws -> Settings {
      try Settings.load(file: nil, environment: [:], flags: values.map { ($0.key, $0.value, "--set") })
    }
    let settings = try load(good)
    #expect(settings.webhooks.rules.isOn && settings.webhooks.secrets.count == 1)
    #expect(settings.webhooks.defaultURL?.text.hasSuffix("/hush") == true)
    let origins = try Settings.origins(
      file: nil, environment: [:], flags: good.map { (key: $0.key, text: $0.value, flag: "--set") })
    #expect(!"\(origins)".contains("hush") && !"\(origins)".contains("MfKQ"))
    let unsigned = #expect(throws: SettingsError.self) { try load(["webhooks.allow": "hooks.example.com"]) }
    #expect(unsigned?.description.hasPrefix("--set: webhooks.allow: webhooks.secret must be set") == true)
    let error = #expect(throws: SettingsError.self) { try load(good.merging([key: value]) { $1 }) }
    #expect(error?.key == key)
    if key != "webhooks.allow", key != "webhooks.timeout" { #expect(error?.problem.contains("short") == false) }
  }

  @Test func webhooksAreOffByDefault() throws {
    let settings = try Settings.load(file: nil, environment: [:])
    #expect(!settings.webhooks.rules.isOn && settings.webhooks.defaultURL == nil)
  }
}
