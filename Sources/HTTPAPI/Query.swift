import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore

/// The query and the headers of a request, read by its endpoint's parameters: what is wrong is 422 and names the parameter.
struct Query {
  private let values: [String: String]
  private let headers: HTTPFields

  /// Takes the query as forms write it: `+` is a blank. Of a parameter given twice the first counts.
  init(_ request: Request) {
    values = Dictionary(Self.pairs(request).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    headers = request.headers
  }

  /// The most parameters of a request; the length of all is bounded as a header's is.
  private static let mostParameters = 100

  /// Throws 422 where a value is no text: bytes that are no UTF-8, or a NUL, at which other programs' texts end; where
  /// there are too many; and for a parameter that is not among those allowed, with the one that was perhaps meant.
  static func check(_ request: Request, allowed: [String]) throws {
    guard request.uri.query?.utf8.count(where: { $0 == UInt8(ascii: "&") }) ?? 0 < mostParameters else {
      throw APIError(.invalidParameter, "The query has more than \(mostParameters) parameters.")
    }
    for (name, value) in pairs(request) {
      guard let value, !value.utf8.contains(0) else {
        throw APIError.invalidParameter(name.shown, "must be UTF-8 text without NUL characters")
      }
      guard allowed.contains(name) else { throw APIError.unknownParameter(name, allowed: allowed) }
    }
  }

  /// The parameters in their order; a value is nil where it is no text.
  private static func pairs(_ request: Request) -> [(name: String, value: String?)] {
    (request.uri.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { pair in
      let written = pair.prefix { $0 != UInt8(ascii: "=") }
      // Of bytes: nothing that a client writes is walked character by character.
      let value = pair.dropFirst(written.count + 1).map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
      return (
        String(decoding: written, as: UTF8.self).removingPercentEncoding ?? String(decoding: written, as: UTF8.self),
        String(decoding: value, as: UTF8.self).removingPercentEncoding
      )
    }
  }

  /// The value of a parameter, or what stands for it where it is left out. Throws 422 where it is another than it may be.
  subscript<Value>(_ parameter: Parameter<Value>) -> Value {
    get throws {
      try parameter.value(
        of: parameter.place == .header ? HTTPField.Name(parameter.name).flatMap { headers[$0] } : values[parameter.name]
      )
    }
  }
}

extension APIError {
  /// A parameter that a route does not have.
  fileprivate static func unknownParameter(_ name: String, allowed: [String]) -> APIError {
    let nearest = Spelling.nearest(to: name, among: allowed).map { " Did you mean `\($0)`?" } ?? ""
    let all = allowed.isEmpty ? "none" : allowed.map { "`\($0)`" }.joined(separator: ", ")
    return APIError(
      .invalidParameter, "There is no parameter `\(name.shown)`.\(nearest) This route takes \(all).")
  }
}
