import Foundation
import HTTPTypes
import Settings

/// Protects a server without keys from other sites' web pages.
///
/// A page can make its visitor's browser send requests to addresses that only the browser can reach: with forms and
/// images of another site, or with a host name that suddenly resolves to this server (DNS rebinding), which puts the
/// page in the same origin. Clients that are not browsers (apps, curl, other containers) are let through.
struct BrowserRequests: Sendable {
  private let hosts: Set<String>
  private let origins: Set<String>

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - hosts: Names by which browsers may call the server, besides this machine's own.
  ///   - origins: Sites whose pages may call the server; `*` for all.
  ///   - machine: This machine's name.
  init(hosts: [String], origins: [String], machine: String = ProcessInfo.processInfo.hostName) {
    let short = machine.pieces(between: ".").first.map(String.init) ?? machine
    let own = [machine, short, "\(short).local", "localhost"]
    self.hosts = Set((own + hosts).map { $0.lowercased() })
    self.origins = Set(origins)
  }

  /// Throws 403 if a browser sent the request for a page that is not allowed to.
  ///
  /// - Parameter isCostly: Whether the request causes minutes of work. Then a browser that does not reveal the
  ///   requesting page is rejected too: a page can suppress that information with `<img referrerpolicy="no-referrer">`
  ///   over plain HTTP.
  func check(method: HTTPRequest.Method, authority: String?, _ headers: HTTPFields, isCostly: Bool = false) throws {
    guard isBrowser(headers) else { return }
    let host = authority ?? ""
    guard isKnown(name: Self.name(ofAuthority: host)) else { throw APIError.hostRefused(host) }
    let origin = headers[.origin]
    if let origin, allowsAll || origins.contains(origin) { return }
    if let isFromElsewhere = isFromElsewhere(origin, host: host, headers) {
      guard isFromElsewhere, isCostly || !isVisit(method, origin, headers) else { return }
    } else {
      guard isCostly else { return }
    }
    throw APIError.originRefused(origin)
  }

  private var allowsAll: Bool { origins.contains(Self.all) }
  private static let all = "*"

  /// Whether a browser sent the request, according to `Origin`, `Referer`, `Sec-Fetch-Site` or `User-Agent`. Over plain
  /// HTTP, and for a page of the same site, only `User-Agent` may identify it. Pages can't suppress that header.
  private func isBrowser(_ headers: HTTPFields) -> Bool {
    if headers[.origin] != nil || headers[.referer] != nil || Self.fetch("Site", headers) != nil { return true }
    // Other programs call themselves Mozilla too; browsers also name their engine.
    let agent = headers[.userAgent] ?? ""
    return agent.hasPrefix("Mozilla/5.0") && (agent.contains("AppleWebKit/") || agent.contains("Gecko/"))
  }

  private func isKnown(name: String) -> Bool {
    NetworkAddress(name) != nil || name.hasSuffix(".localhost") || hosts.contains(name)
  }

  /// Whether a page of another site sent the request; nil if the browser does not reveal the page.
  private func isFromElsewhere(_ origin: String?, host: String, _ headers: HTTPFields) -> Bool? {
    // A proxy may have changed the host, so `Sec-Fetch-Site` takes precedence.
    if let site = Self.fetch("Site", headers) { return site != "same-origin" && site != "none" }
    if let origin {
      let parts = origin.lowercased().pieces(between: "/", omittingEmpty: false)
      return parts.count != 3 || parts[2] != host.lowercased()
    }
    // `http://host:8000/page`: the text between the second and the third slash.
    guard let referer = headers[.referer] else { return nil }
    let parts = referer.lowercased().pieces(between: "/", omittingEmpty: false)
    return parts.count < 3 || parts[2] != host.lowercased()
  }

  /// Whether the request is a top-level navigation, whose response only the user sees.
  private func isVisit(_ method: HTTPRequest.Method, _ origin: String?, _ headers: HTTPFields) -> Bool {
    method == .get && origin == nil && Self.fetch("Mode", headers) == "navigate"
      && Self.fetch("Dest", headers) == "document"
  }

  private static func fetch(_ name: String, _ headers: HTTPFields) -> String? {
    HTTPField.Name("Sec-Fetch-\(name)").flatMap { headers[$0] }
  }

  /// Returns the host name: `localhost` for `LOCALHOST:8000`, `::1` for `[::1]:8000`.
  private static func name(ofAuthority text: String) -> String {
    let text = text.lowercased()
    if text.hasPrefix("["), let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) {
      return String(text[..<end].utf8.dropFirst()) ?? ""
    }
    let name = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    return String(Substring(name.last == UInt8(ascii: ".") ? name.dropLast() : name))
  }
}

extension APIError {
  fileprivate static func hostRefused(_ host: String) -> APIError {
    APIError(
      .originRefused,
      "A browser asked for `\(host.shown(most: 80))`, which is not known as a name of this server. Use its address, or add the "
        + "name to `server.hosts` in the settings.")
  }

  fileprivate static func originRefused(_ origin: String?) -> APIError {
    APIError(
      .originRefused,
      "A page of another site (\(origin.map { "`\($0.shown(most: 80))`" } ?? "not named")) may not use this server. Add the site "
        + "to `server.cors_origins` in the settings, or send a key.")
  }
}
