import EmbeddedFiles
import Hummingbird

/// `/`, `/docs` and `/openapi.json`: files that travel in the program. They hold no data, so they need no key.
struct Pages: Sendable {
  /// Scripts and styles stand in the pages themselves; nothing comes from elsewhere.
  private static let policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' blob: data:; "
    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  var endpoints: [Endpoint] {
    [
      page("/", serialscan_embedded_page(), "text/html; charset=utf-8"),
      page("/docs", serialscan_embedded_docs_page(), "text/html; charset=utf-8"),
      page("/openapi.json", serialscan_embedded_openapi(), "application/json"),
    ]
  }

  private func page(_ path: String, _ file: SerialScanEmbeddedFile, _ contentType: String) -> Endpoint {
    let body = ByteBuffer(bytes: UnsafeRawBufferPointer(start: file.bytes, count: file.size))
    return Endpoint(.get, path, scope: nil) { _, _ in
      Response(
        status: .ok,
        headers: [
          .contentType: contentType, .contentSecurityPolicy: Self.policy, .xContentTypeOptions: "nosniff",
          .cacheControl: "no-cache",
        ], body: ResponseBody(byteBuffer: body))
    }
  }
}
