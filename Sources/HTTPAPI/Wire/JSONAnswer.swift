import Foundation
import Hummingbird
import WireJSON

extension Response {
  /// A JSON answer.
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
    guard let data = try? WireFormat.encode(value) else {
      return Response(status: .internalServerError)
    }
    return .json(ByteBuffer(bytes: data), status: status)
  }

  /// A JSON answer that is written already.
  static func json(_ written: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: "application/json", .contentLength: String(written.readableBytes), .cacheControl: "no-store",
      ],
      body: ResponseBody(byteBuffer: written))
  }
}
