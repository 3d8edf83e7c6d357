import Foundation

/// A request without a base URL.
struct Request: Sendable {
  enum Method: String { case get = "GET", post = "POST", patch = "PATCH", delete = "DELETE" }

  enum Body: Sendable {
    case none
    case data(Data)
    case file(URL)
  }

  var method: Method
  /// The path below the base URL, percent-encoded.
  var path: String
  var query: [(String, String)] = []
  var headers: [String: String] = [:]
  var body = Body.none
  /// Whether sending it twice is harmless.
  var isRepeatable = true
  /// HTTP statuses whose responses have the expected type.
  var acceptedStatuses: Set<Int> = [200]
  /// The deadline of one attempt; nil for the default.
  var step: Duration?

  init(_ method: Method, _ path: String) {
    self.method = method
    self.path = path
  }

  init(_ method: Method, _ path: String, json: some Encodable, isRepeatable: Bool) throws {
    self.init(method, path)
    headers["Content-Type"] = "application/json"
    body = .data(try Wire.encoder().encode(json))
    self.isRepeatable = isRepeatable
  }

  /// Percent-encodes text as one component of a path or query.
  static func escape(_ text: String) -> String {
    let kept = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: kept) ?? ""
  }

  /// The path with the query.
  var target: String {
    let pairs = query.map { "\(Self.escape($0))=\(Self.escape($1))" }
    return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
  }
}
