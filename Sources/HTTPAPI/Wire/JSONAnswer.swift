import Foundation
import Hummingbird

/// How values go over the wire: RFC 3339 times in UTC to the second, which every client's parser takes, and slashes as
/// they are.
enum WireFormat {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(value)
  }
}

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

/// A value that is written as `null` where it is missing, instead of being left out.
@propertyWrapper
struct ExplicitNull<Value: Encodable & Sendable>: Encodable, Sendable {
  var wrappedValue: Value?

  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
  }
}
