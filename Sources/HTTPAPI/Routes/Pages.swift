import CSodium
import EmbeddedFiles
import Foundation
import HTTPTypes
import Hummingbird
import Support

/// `/`, `/docs`, `/openapi.json` and the files they load from `/page/`, which are embedded in the program. They contain
/// no data, so they need no key.
struct Pages: Sendable {
  /// One file, ready to be sent.
  private struct File: Sendable {
    var body: ByteBuffer
    var contentType: String
    var entityTag: String

    init(_ bytes: [UInt8], named name: String) {
      body = ByteBuffer(bytes: bytes)
      contentType = Pages.contentType(of: name)
      entityTag = Pages.entityTag(bytes)
    }
  }

  /// The content security policy: scripts, styles and images only from this server, and none inline.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
    + "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    + "frame-ancestors 'none'"

  /// The value of `If-None-Match` that matches any version.
  private static let anyTag = "*"

  private let files: [String: File]

  init() {
    let embedded = (0..<serialscan_embedded_page_count()).map { serialscan_embedded_page($0) }
    files = Dictionary(
      embedded.map { file in
        let name = String(cString: file.name)
        return (name, File(Array(UnsafeRawBufferPointer(start: file.bytes, count: file.size)), named: name))
      }
    ) { $1 }
  }

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/", "OpenThePage", "Open the page", "Drop a photo, see its serial.", topic: .operation, access: .open,
        answers: [.content(.text("text/html"))]
      ) { request, _ in try answer(request, "index.html") },
      Endpoint(
        .get, "/docs", "OpenThisDescription", "Open the API documentation", "This description, for people.",
        topic: .operation, access: .open, answers: [.content(.text("text/html"))]
      ) { request, _ in try answer(request, "docs.html") },
      Endpoint(
        .get, "/page/{name}", "FetchAFileOfThePage", "Get a file of the page",
        "What the page at `/` loads. With `ETag`; a matching `If-None-Match` returns 304.", topic: .operation,
        access: .open,
        parameters: [Self.name, Self.retry],
        answers: [WireAnswer(contents: Self.mediaTypes.map(WireContent.text))], errors: [.notFound]
      ) { request, context in try answer(request, context.parameters.require("name")) },
    ]
  }

  private static let name = Parameter<String>.path("name", "The file.")
  private static let retry = Parameter<String?>(
    "retry", "Any text: another address of the same file, for browsers that remember that a module could not be loaded."
  ) { _ in
    Schema(["type": "string"])
  } parse: {
    $0
  }

  /// Media types without parameters, as in the API description.
  private static let mediaTypes = [
    "text/css", "text/javascript", "text/html", "application/json", "image/svg+xml", "image/png",
    "application/manifest+json",
  ]

  /// Returns the endpoint of `/openapi.json`, which describes the other endpoints and itself.
  func description(of others: [Endpoint], version: String) -> Endpoint {
    var endpoint = Endpoint(
      .get, "/openapi.json", "FetchThisDescription", "Get this description", "For programs.", topic: .operation,
      access: .open, answers: [.json(AnyObjectOfJSON.self)]
    ) { _, _ in throw APIError.notFound }
    let described = others + [endpoint]
    // Made for the first request: it takes half as long as the rest of the start.
    let made = Locked<File?>(nil)
    endpoint.handler = { request, _ in
      let file = made.withLock { made in
        let file =
          made ?? File(Array(InterfaceDocument(described, version: version).text.utf8), named: "openapi.json")
        made = file
        return file
      }
      return answer(request, file, name: "openapi.json")
    }
    endpoint.head = endpoint.handler
    return endpoint
  }

  private func answer(_ request: Request, _ name: String) throws -> Response {
    guard let file = files[name] else { throw APIError.notFound }
    return answer(request, file, name: name)
  }

  private func answer(_ request: Request, _ file: File, name: String) -> Response {
    var headers: HTTPFields = [
      .contentType: file.contentType, .contentSecurityPolicy: Self.policy,
      .cacheControl: "no-cache", .eTag: file.entityTag,
    ]
    if let permissions = HTTPField.Name("Permissions-Policy") {
      headers[permissions] = "camera=(self), microphone=(), geolocation=()"
    }
    if let referrer = HTTPField.Name("Referrer-Policy") { headers[referrer] = "no-referrer" }
    // Lets the service worker control the whole site although its file is below `/page/`.
    if name == "sw.js", let scope = HTTPField.Name("Service-Worker-Allowed") { headers[scope] = "/" }
    // A proxy that compresses makes the tag weak; weak tags count here (RFC 9110, 13.1.2).
    let known = request.headers[.ifNoneMatch]?.pieces(between: ",").map(\.trimmed) ?? []
    guard !known.contains(where: { [file.entityTag, "W/" + file.entityTag, Self.anyTag].contains($0) }) else {
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

  /// Returns the entity tag: the BLAKE2b hash of the content.
  private static func entityTag(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 16)
    crypto_generichash(&digest, digest.count, bytes, UInt64(clamping: bytes.count), nil, 0)
    return "\"" + digest.map { String(format: "%02x", $0) }.joined() + "\""
  }
}
