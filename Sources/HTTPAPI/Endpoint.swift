import HTTPTypes
import Hummingbird

/// The scope an endpoint requires once keys exist. `docs/api.md` has the table, held against the routes.
enum Access: String, Sendable {
  /// Nobody needs a key.
  case open
  /// Any key.
  case any
  /// `scan`: sends photos and reads.
  case scan
  /// `scan` for what came with the same key, `read` for everything.
  case own
  /// Changes: `scan` for what came with the same key, `admin` for everything.
  case change
  /// `read`.
  case read
  /// `admin`, which may do everything else too.
  case admin
}

/// One method on one path, with what it takes to call it.
struct Endpoint: Sendable {
  typealias Handler = @Sendable (Request, APIContext) async throws -> Response

  var method: HTTPRequest.Method
  /// `/result/{job_id}`.
  var path: String
  var access: Access
  /// The names that its query may have; any other is 422. Nothing else says which there are.
  var parameters: [String]
  /// Whether a request makes minutes of work, so that a browser has to show that it comes from a page that may ask for it.
  var isCostly: Bool
  var handler: Handler
  /// What HEAD answers on a path with GET; its body is left out wherever it comes from.
  var head: Handler?

  /// - Parameter head: What HEAD does where GET costs much; by default the same.
  init(
    _ method: HTTPRequest.Method, _ path: String, access: Access, parameters: [String] = [], isCostly: Bool = false,
    head: Handler? = nil,
    handler: @escaping Handler
  ) {
    self.method = method
    self.path = path
    self.access = access
    self.parameters = parameters
    self.isCostly = isCostly
    self.handler = handler
    self.head = method == .get ? head ?? handler : nil
  }

  /// The methods it answers; GET brings HEAD.
  var methodNames: [String] { method == .get ? ["GET", "HEAD"] : [method.rawValue] }

  /// Whether a request's path is this one.
  func matches(path other: String) -> Bool {
    let mine = path.pieces(between: "/")
    let theirs = other.pieces(between: "/")
    return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
  }
}
