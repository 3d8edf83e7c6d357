import Foundation
import Testing

/// Covers requests that other sites make through a visitor's browser to a server without keys: they are rejected. Other
/// programs, and browsers on this server's own page, are not affected.
@Suite struct BrowserTests {
  private static let browser = [
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"
  ]

  /// The status of a request with these headers instead of the usual `Host`.
  private func status(
    _ api: RunningAPI, host: String, _ headers: [String: String], _ method: String = "GET", _ path: String = "/history"
  ) async -> Int? {
    let connection = Connection(port: api.port)
    let lines = headers.map { "\($0): \($1)\r\n" }.joined()
    await connection.send("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(lines)Content-Length: 0\r\n\r\n")
    let reply = await connection.reply()
    if reply?.status == 403 { #expect(reply?.errorCode == "ORIGIN_REFUSED") }
    return reply?.status
  }

  @Test func browserChecksDoNotAffectOtherClients() async throws {
    let api = try await RunningAPI()
    for host in ["serialscan:8000", "anything.example", "localhost", "[::1]:8000", "x"] {
      #expect(await status(api, host: host, [:]) == 200, "\(host)")
      for agent in ["curl/8.5", "SerialApp/2 CFNetwork/1490 Darwin/23", "Mozilla/5.0 (Linux) PowerShell/7.4"] {
        #expect(await status(api, host: host, ["User-Agent": agent, "Accept-Language": "en"]) == 200, "\(agent)")
      }
    }
  }

  @Test func servesBrowsersOnlyUnderOwnNames() async throws {
    let api = try await RunningAPI { $0.settings.server.hosts = ["Scanner.example"] }
    let machine = ProcessInfo.processInfo.hostName
    for host in [
      "localhost:8000", "LOCALHOST", "127.0.0.1:8000", "192.168.1.7:8000", "[fe80::1]:8000", "scanner.example:8000",
      "a.localhost", "\(machine):8000", "\(machine.prefix { $0 != "." }).local:8000", "localhost.",
    ] {
      #expect(await status(api, host: host, Self.browser) == 200, "\(host)")
      #expect(await status(api, host: host, ["Origin": "http://\(host)"]) == 200, "\(host)")
    }
    // A foreign name that resolves to this server, whose page then counts as same-site.
    for host in ["rebound.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "evil.local", "1.2.3"] {
      #expect(await status(api, host: host, Self.browser) == 403, "\(host)")
      #expect(await status(api, host: host, ["Origin": "http://\(host)"]) == 403, "\(host)")
      #expect(await status(api, host: host, ["Sec-Fetch-Site": "same-origin"], "GET", "/export") == 403, "\(host)")
    }
  }

  @Test func rejectsRequestsFromOtherSites() async throws {
    let api = try await RunningAPI { $0.settings.server.corsOrigins = ["https://friend.example"] }
    let host = "localhost:8000"
    for origin in ["http://evil.example", "https://evil.example", "null", "http://localhost:9000", "http://localhost"] {
      #expect(await status(api, host: host, ["Origin": origin], "POST", "/scan") == 403, "\(origin)")
      #expect(await status(api, host: host, ["Origin": origin, "Sec-Fetch-Site": "cross-site"]) == 403, "\(origin)")
    }
    for site in ["cross-site", "same-site"] {
      #expect(await status(api, host: host, ["Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"]) == 403, "\(site)")
    }
    let embedded = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"]
    #expect(await status(api, host: host, embedded) == 403)
    // Requests from its own page, followed links and allowed sites still work.
    #expect(await status(api, host: host, ["Sec-Fetch-Site": "same-origin", "Origin": "https://outer.example"]) == 200)
    #expect(await status(api, host: host, ["Sec-Fetch-Site": "none"]) == 200)
    let visit = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"]
    #expect(await status(api, host: host, visit) == 200)
    #expect(await status(api, host: host, visit, "DELETE", "/jobs/x") == 403)
    #expect(await status(api, host: host, ["Origin": "https://friend.example", "Sec-Fetch-Site": "cross-site"]) == 200)
  }

  @Test func keyBypassesBrowserChecks() async throws {
    let api = try await RunningAPI()
    let key = try await api.addKey([.read])
    let headers = ["Authorization": "Bearer \(key)", "Origin": "https://evil.example"]
    #expect(await status(api, host: "any.example", headers) == 200)
    #expect(await status(api, host: "any.example", ["Origin": "https://evil.example"]) == 401)
    for path in ["/", "/docs", "/health"] {
      #expect(await status(api, host: "any.example", Self.browser, "GET", path) == 200, "\(path) contains no data")
    }
  }
}
