import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Support

/// The query and the headers of a request, read through its endpoint's parameters. An invalid value results in 422 with
/// the parameter's name.
struct Query {
  private let values: [String: String]
  private let headers: HTTPFields

  /// Parses the query as form encoding: `+` is a space.
  init(_ request: Request) {
    values = Dictionary(Self.pairs(request).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    headers = request.headers
  }

  /// Creates a query of texts that are not from a request.
  init(_ texts: [String: String]) {
    values = texts
    headers = HTTPFields()
  }

  /// The maximum number of parameters; their total length is limited like a header's.
  private static let mostParameters = 100

  /// Throws 422 for a value that is not UTF-8 or contains NUL (which ends text in other programs), for too many
  /// parameters, for a repeated one, and for an unknown one, with a suggestion if its name is similar to a known one.
  static func check(_ request: Request, allowed: [String]) throws {
    guard request.uri.query?.utf8.count(where: { $0 == UInt8(ascii: "&") }) ?? 0 < mostParameters else {
      throw APIError(.invalidParameter, "The query has more than \(mostParameters) parameters.")
    }
    var names = Set<String>()
    for (name, value) in pairs(request) {
      guard let value, !value.utf8.contains(0) else {
        throw APIError.invalidParameter(name.shown, "must be UTF-8 text without NUL characters")
      }
      guard !name.isEmpty else {
        throw APIError(.invalidParameter, "A parameter of the query has no name before its `=`.")
      }
      guard allowed.contains(name) else { throw APIError.unknownParameter(name, allowed: allowed) }
      guard names.insert(name).inserted else { throw APIError.repeatedParameter(name) }
    }
  }

  /// Returns the parameters in order; an invalid value is nil.
  private static func pairs(_ request: Request) -> [(name: String, value: String?)] {
    (request.uri.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { pair in
      let written = pair.prefix { $0 != UInt8(ascii: "=") }
      // Works on bytes: client-sent text is never walked by `Character`.
      let value = pair.dropFirst(written.count + 1).map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
      return (
        String(decoding: written, as: UTF8.self).removingPercentEncoding ?? String(decoding: written, as: UTF8.self),
        String(decoding: value, as: UTF8.self).removingPercentEncoding
      )
    }
  }

  /// Returns the value of a parameter, or its default if it is missing. Throws 422 if it is invalid.
  subscript<Value>(_ parameter: Parameter<Value>) -> Value {
    get throws {
      try parameter.value(
        of: parameter.place == .header ? HTTPField.Name(parameter.name).flatMap { headers[$0] } : values[parameter.name]
      )
    }
  }
}

extension APIError {
  /// Returns the error for an unknown parameter.
  fileprivate static func unknownParameter(_ name: String, allowed: [String]) -> APIError {
    let advice = Spelling.advice(for: name, among: allowed)
    let all = allowed.isEmpty ? "none" : allowed.map { "`\($0)`" }.joined(separator: ", ")
    return APIError(
      .invalidParameter, "There is no parameter `\(name.shown)`.\(advice) This route takes \(all).")
  }
}
