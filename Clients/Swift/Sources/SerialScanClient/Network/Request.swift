import Foundation

/// A request before it has an address.
struct Request: Sendable {
  enum Method: String { case get = "GET", post = "POST", delete = "DELETE" }

  enum Body: Sendable {
    case none
    case data(Data)
    case file(URL)
  }

  var method: Method
  /// Below the base address, percent-encoded.
  var path: String
  var query: [(String, String)] = []
  var headers: [String: String] = [:]
  var body = Body.none
  /// Whether sending it twice does no harm.
  var isRepeatable = true
  /// Statuses with an answer of the expected kind.
  var acceptedStatuses: Set<Int> = [200]
  /// The deadline of one attempt, if not the usual one.
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

  /// Text as one component of a path or query.
  static func escape(_ text: String) -> String {
    let kept = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: kept) ?? ""
  }

  /// Path and query.
  var target: String {
    let pairs = query.map { "\(Self.escape($0))=\(Self.escape($1))" }
    return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
  }
}
