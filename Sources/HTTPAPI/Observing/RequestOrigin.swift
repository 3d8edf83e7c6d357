import Foundation
import HTTPTypes

/// The ids of a request that identify it, and what it causes, in the logs of all systems involved.
struct RequestOrigin: Sendable, Equatable {
  /// The client's own `X-Request-ID` if it is short and plain, otherwise a new one.
  var requestID: String
  /// The id of the request's trace: 32 hexadecimal digits of a `traceparent` (W3C Trace Context, level 1).
  var traceID: String?
}

extension RequestOrigin {
  /// Takes the client's ids if they are well-formed.
  init(_ headers: HTTPFields) {
    let own = HTTPField.Name("X-Request-ID").flatMap { headers[$0] }.flatMap { Self.isModest($0) ? $0 : nil }
    requestID = own ?? UUID().uuidString.lowercased()
    traceID = HTTPField.Name("traceparent").flatMap { headers[$0] }.flatMap(Self.traceID)
  }

  private static func isModest(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count) && id.utf8.allSatisfy { isLetterOrDigit($0) || "-._".utf8.contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// Returns the trace id in `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`: version, trace, parent, flags.
  /// Later versions may append fields. All-zero ids are invalid.
  private static func traceID(_ text: String) -> String? {
    let parts = text.pieces(between: "-", omittingEmpty: false)
    guard parts.count >= 4, parts[..<4].map(\.utf8.count) == [2, 32, 16, 2], parts[0] != "ff",
      parts[0] != "00" || parts.count == 4,
      parts[..<4].allSatisfy({ $0.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) } }),
      parts[1].utf8.contains(where: { $0 != 0x30 }), parts[2].utf8.contains(where: { $0 != 0x30 })
    else { return nil }
    return String(parts[1])
  }
}
