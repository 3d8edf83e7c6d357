import Foundation
import HTTPTypes
import Hummingbird
import Support

extension Response {
  /// Returns a JSON response.
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
    guard let data = try? WireFormat.encode(value) else {
      return Response(status: .internalServerError)
    }
    return .json(ByteBuffer(bytes: data), status: status)
  }

  /// Wraps an already encoded JSON body.
  static func json(_ written: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: "application/json", .contentLength: String(written.readableBytes), .cacheControl: "no-store",
      ],
      body: ResponseBody(byteBuffer: written))
  }
  /// The maximum length in bytes of a link, so that every client accepts the header; the body contains the cursor in
  /// any case. Only damaged rows cause longer links.
  private static let longestLink = 4096

  /// Returns the response with `Link: <...>; rel="next"` (RFC 8288): the same request with the next page's cursor.
  func linked(to cursor: String?, of request: Request) -> Response {
    guard let cursor, let name = HTTPField.Name("Link") else { return self }
    // The cursor replaces the offset.
    let kept = (request.uri.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map(Self.escaped).filter {
      !["cursor", "offset"].contains($0.pieces(between: "=", omittingEmpty: false)[0])
    }
    let query = (kept + ["cursor=\(Self.escaped(Array(cursor.utf8)))"]).joined(separator: "&")
    var response = self
    let link = "<\(request.uri.path)?\(query)>; rel=\"next\""
    guard link.utf8.count <= Self.longestLink else { return response }
    response.headers[name] = link
    return response
  }

  /// The bytes that need no escaping in a query within a header.
  private static let plain = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()*+,;=:@/?%".utf8)

  /// Escapes bytes for a URL within a header; keeps existing escapes.
  private static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return plain.contains(byte) ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + digits
    }.joined()
  }
}
