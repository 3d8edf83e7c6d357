import Foundation
import HTTPTypes
import Hummingbird
import Support

extension Response {
  /// A JSON answer.
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
  /// Bytes of a link that every client takes in a header; the body has its cursor in any case. Longer ones come of damaged
  /// rows alone.
  private static let longestLink = 4096

  /// The answer with `Link: <...>; rel="next"` (RFC 8288): the same question with the cursor of the next page.
  func linked(to cursor: String?, of request: Request) -> Response {
    guard let cursor, let name = HTTPField.Name("Link") else { return self }
    // With a cursor there is no offset.
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

  /// What stands for itself in a query within a header.
  private static let plain = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()*+,;=:@/?%".utf8)

  /// Bytes as they may stand in a URL within a header: what is escaped already stays.
  private static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return plain.contains(byte) ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + digits
    }.joined()
  }
}
