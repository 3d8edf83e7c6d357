import CSodium
import EmbeddedFiles
import Foundation
import HTTPTypes
import Hummingbird

/// `/`, `/docs`, `/openapi.json` and what they load from `/page/`: files that travel in the program. They hold no data, so
/// they need no key.
struct Pages: Sendable {
  /// One file, ready to be sent.
  private struct File: Sendable {
    var body: ByteBuffer
    var contentType: String
    var entityTag: String
  }

  /// Scripts, styles and pictures come from here alone, and none stands in a page or in an element.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
    + "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    + "frame-ancestors 'none'"

  /// Of `If-None-Match`: whatever there is.
  private static let anyTag = "*"

  private let files: [String: File]

  init() {
    let embedded = (0..<serialscan_embedded_page_count()).map { serialscan_embedded_page($0) }
    files = Dictionary(
      embedded.map { file in
        let name = String(cString: file.name)
        let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.size)
        return (
          name,
          File(
            body: ByteBuffer(bytes: bytes), contentType: Self.contentType(of: name), entityTag: Self.entityTag(bytes))
        )
      }
    ) { $1 }
  }

  var endpoints: [Endpoint] {
    [
      Endpoint(.get, "/", access: .open) { request, _ in try answer(request, "index.html") },
      Endpoint(.get, "/docs", access: .open) { request, _ in try answer(request, "docs.html") },
      Endpoint(.get, "/openapi.json", access: .open) { request, _ in try answer(request, "openapi.json") },
      // `retry` makes another address of a file: browsers remember that a module could not be loaded.
      Endpoint(.get, "/page/{name}", access: .open, parameters: ["retry"]) { request, context in
        try answer(request, context.parameters.require("name"))
      },
    ]
  }

  private func answer(_ request: Request, _ name: String) throws -> Response {
    guard let file = files[name] else { throw APIError.notFound }
    var headers: HTTPFields = [
      .contentType: file.contentType, .contentSecurityPolicy: Self.policy,
      .cacheControl: "no-cache", .eTag: file.entityTag,
    ]
    if let permissions = HTTPField.Name("Permissions-Policy") {
      headers[permissions] = "camera=(self), microphone=(), geolocation=()"
    }
    if let referrer = HTTPField.Name("Referrer-Policy") { headers[referrer] = "no-referrer" }
    // A worker may look after the whole site though its file lies below `/page/`.
    if name == "sw.js", let scope = HTTPField.Name("Service-Worker-Allowed") { headers[scope] = "/" }
    let known =
      request.headers[.ifNoneMatch]?.pieces(between: ",").map(\.trimmed) ?? []
    guard !known.contains(where: { $0 == file.entityTag || $0 == Self.anyTag }) else {
      return Response(status: .notModified, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.body))
  }

  private static func contentType(of name: String) -> String {
    switch name.pieces(between: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "json": "application/json"
    case "webmanifest": "application/manifest+json"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    default: "application/octet-stream"
    }
  }

  /// BLAKE2b of the content.
  private static func entityTag(_ bytes: UnsafeRawBufferPointer) -> String {
    var digest = [UInt8](repeating: 0, count: 16)
    crypto_generichash(
      &digest, digest.count, bytes.bindMemory(to: UInt8.self).baseAddress, UInt64(clamping: bytes.count), nil, 0)
    return "\"" + digest.map { String(format: "%02x", $0) }.joined() + "\""
  }
}
