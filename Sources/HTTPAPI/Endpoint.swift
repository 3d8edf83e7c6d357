import HTTPTypes
import Hummingbird
import JobStore
import PictureHeader

/// The scope an endpoint requires once keys exist. The table in `docs/api.md` is generated from the routes.
enum Access: String, Sendable, CaseIterable {
  /// No key needed.
  case open
  /// Any key.
  case any
  /// `scan`: sends photos and reads.
  case scan
  /// `scan` for jobs and serials of the same key, `read` for all.
  case own
  /// Changes: `scan` for jobs and serials of the same key, `admin` for all.
  case change
  /// `read`.
  case read
  /// `admin`, which includes all other scopes.
  case admin
}

/// One method on one path, with its access, parameters, bodies and responses. Requests are validated against it, and
/// `/openapi.json` and the tables of `docs/api.md` are generated from it.
struct Endpoint: Sendable {
  typealias Handler = @Sendable (Request, APIContext) async throws -> Response

  /// The groups of endpoints in the API description.
  enum Topic: String, CaseIterable {
    case photos
    case tracking
    case serials
    case jobs
    case batches
    case settings
    case evaluation
    case operation
  }

  var method: HTTPRequest.Method
  /// The path, such as `/result/{job_id}`.
  var path: String
  /// The name in generated clients, such as `ListJobs`.
  var name: String
  /// A short summary.
  var summary: String
  /// The description after the summary.
  var about: String
  var topic: Topic
  var access: Access
  /// The parameters besides the body. Any other query parameter is rejected with 422, as is an invalid value.
  var parameters: [any DeclaredParameter]
  /// The accepted bodies; empty if the endpoint accepts none.
  var bodies: [WireContent]
  /// The responses to successful requests.
  var answers: [WireAnswer]
  /// The endpoint's own errors, besides those implied by its access, body and parameters.
  var errors: [ErrorCode]
  /// Whether a request causes minutes of work, so that a browser must reveal that an allowed page sent it.
  var isCostly: Bool
  var handler: Handler
  /// Handles HEAD on a path with GET; the body is removed in any case.
  var head: Handler?

  /// Creates an endpoint.
  ///
  /// - Parameter head: Handles HEAD if GET is costly; by default GET's handler does.
  init(
    _ method: HTTPRequest.Method, _ path: String, _ name: String, _ summary: String, _ about: String, topic: Topic,
    access: Access, parameters: [any DeclaredParameter] = [], bodies: [WireContent] = [], answers: [WireAnswer],
    errors: [ErrorCode] = [], isCostly: Bool = false, head: Handler? = nil, handler: @escaping Handler
  ) {
    self.method = method
    self.path = path
    self.name = name
    self.summary = summary
    self.about = about
    self.topic = topic
    self.access = access
    self.parameters = parameters
    self.bodies = bodies
    self.answers = answers
    self.errors = errors
    self.isCostly = isCostly
    self.handler = handler
    self.head = method == .get ? head ?? handler : nil
  }

  /// The method and path, such as `GET /health`.
  var title: String { "\(method.rawValue) \(path)" }

  /// Whether it returns pages of a list, whose statements end when the client disconnects.
  var isList: Bool { answers.contains(where: \.isPage) }

  /// The supported methods; GET implies HEAD.
  var methodNames: [String] { method == .get ? ["GET", "HEAD"] : [method.rawValue] }

  /// Whether a request's path matches.
  func matches(path other: String) -> Bool {
    let mine = path.pieces(between: "/")
    let theirs = other.pieces(between: "/")
    return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
  }

  /// Throws 422 for a parameter or value that the endpoint does not accept.
  func check(_ request: Request) throws {
    try Query.check(request, allowed: parameters.filter { $0.place == .query }.map(\.name))
    let query = Query(request)
    for parameter in parameters where parameter.place != .path { try parameter.check(query) }
  }

  /// Every error that the endpoint may return.
  var allErrors: [ErrorCode] {
    var all: Set<ErrorCode> = [
      .badRequest, .requestTimeout, .unsupportedMediaType, .invalidParameter, .headersTooLarge, .internalError,
      .storageUnavailable, .serverStopping,
    ]
    if access != .open { all.formUnion([.unauthorized, .forbidden, .originRefused, .rateLimited]) }
    if !bodies.isEmpty { all.insert(.bodyTooLarge) }
    for body in bodies { all.formUnion(body.errors) }
    all.formUnion(errors)
    return ErrorCode.allCases.filter(all.contains)
  }
}

/// A kind of body: its media type and the schema of its content.
struct WireContent: Sendable {
  var mediaType: String
  var schema: @Sendable (SchemaBook) -> Schema
  /// The errors for a request whose body is invalid.
  var errors: [ErrorCode] = []

  /// Returns a JSON body of a type.
  static func json<Value: WireType>(_ type: Value.Type) -> WireContent {
    WireContent(mediaType: "application/json", schema: { type.schema(in: $0) }, errors: [.invalidJSON])
  }

  /// Returns a form whose parts are the type's members.
  static func form<Value: WireType>(_ type: Value.Type) -> WireContent {
    WireContent(
      mediaType: "multipart/form-data", schema: { type.schema(in: $0) },
      errors: [.missingBoundary, .malformedMultipart, .partHeadersTooLarge])
  }

  /// The form with a photo.
  static let photo = form(Intake.Form.self)

  /// Returns a text body.
  static func text(_ mediaType: String) -> WireContent {
    WireContent(mediaType: mediaType) { _ in Schema(["type": "string"]) }
  }

  /// Returns a binary body.
  static func file(_ mediaType: String) -> WireContent {
    WireContent(mediaType: mediaType) { _ in Schema(["type": "string", "format": "binary"]) }
  }
}

/// One kind of successful response of an endpoint.
struct WireAnswer: Sendable {
  var status = 200
  var about = "OK"
  var contents: [WireContent] = []
  /// Whether the response is a page of a list, with `Link`.
  var isPage = false

  /// Returns a JSON response of a type.
  static func json<Value: WireType>(
    _ type: Value.Type, status: Int = 200, _ about: String = "OK", isPage: Bool = false
  ) -> WireAnswer {
    WireAnswer(status: status, about: about, contents: [.json(type)], isPage: isPage)
  }

  /// Returns a response with one of several media types.
  static func content(_ contents: WireContent..., about: String = "OK") -> WireAnswer {
    WireAnswer(about: about, contents: contents)
  }

  /// A photo as uploaded, in any supported format.
  static let photo = WireAnswer(contents: PictureHeader.Format.allCases.map { .file($0.mediaType) })
}
