import HTTPTypes
import Hummingbird
import JobStore
import PictureHeader

/// The scope an endpoint requires once keys exist. `docs/api.md` has the table, made from the routes.
enum Access: String, Sendable, CaseIterable {
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

/// One method on one path, with what it takes to call it and what it answers: what a request is checked against, and what
/// `/openapi.json` and the tables of `docs/api.md` are made from.
struct Endpoint: Sendable {
  typealias Handler = @Sendable (Request, APIContext) async throws -> Response

  /// What an endpoint belongs to, as the description groups them.
  enum Topic: String, CaseIterable {
    case photos
    case tracking
    case serials
    case jobs
    case settings
    case evaluation
    case operation
  }

  var method: HTTPRequest.Method
  /// `/result/{job_id}`.
  var path: String
  /// Its name in generated clients, as `ListJobs`.
  var name: String
  /// What it does, in a few words.
  var summary: String
  /// The rest of what is to be said of it.
  var about: String
  var topic: Topic
  var access: Access
  /// What a request may have beside its body. Any other query parameter is 422, and so is a value that these may not have.
  var parameters: [any DeclaredParameter]
  /// The bodies that it takes; none where it takes none.
  var bodies: [WireContent]
  /// What it answers where nothing is wrong.
  var answers: [WireAnswer]
  /// The errors of its own, beside those that every endpoint with its access, body and parameters has.
  var errors: [ErrorCode]
  /// Whether a request makes minutes of work, so that a browser has to show that it comes from a page that may ask for it.
  var isCostly: Bool
  var handler: Handler
  /// What HEAD answers on a path with GET; its body is left out wherever it comes from.
  var head: Handler?

  /// - Parameter head: What HEAD does where GET costs much; by default the same.
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

  /// `GET /health`.
  var title: String { "\(method.rawValue) \(path)" }

  /// The methods it answers; GET brings HEAD.
  var methodNames: [String] { method == .get ? ["GET", "HEAD"] : [method.rawValue] }

  /// Whether a request's path is this one.
  func matches(path other: String) -> Bool {
    let mine = path.pieces(between: "/")
    let theirs = other.pieces(between: "/")
    return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
  }

  /// Throws 422 for a query or a header that it does not take.
  func check(_ request: Request) throws {
    try Query.check(request, allowed: parameters.filter { $0.place == .query }.map(\.name))
    let query = Query(request)
    for parameter in parameters where parameter.place != .path { try parameter.check(query) }
  }

  /// Every error that it may answer.
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

/// What a body is: its media type and the schema of its content.
struct WireContent: Sendable {
  var mediaType: String
  var schema: @Sendable (SchemaBook) -> Schema
  /// The errors of a request whose body is not that.
  var errors: [ErrorCode] = []

  /// JSON of a type.
  static func json<Value: WireType>(_ type: Value.Type) -> WireContent {
    WireContent(mediaType: "application/json", schema: { type.schema(in: $0) }, errors: [.invalidJSON])
  }

  /// A form whose parts are a type's members.
  static func form<Value: WireType>(_ type: Value.Type) -> WireContent {
    WireContent(
      mediaType: "multipart/form-data", schema: { type.schema(in: $0) },
      errors: [.missingBoundary, .malformedMultipart, .partHeadersTooLarge])
  }

  /// The form with a photo.
  static let photo = form(Intake.Form.self)

  /// Text.
  static func text(_ mediaType: String) -> WireContent {
    WireContent(mediaType: mediaType) { _ in Schema(["type": "string"]) }
  }

  /// Bytes.
  static func file(_ mediaType: String) -> WireContent {
    WireContent(mediaType: mediaType) { _ in Schema(["type": "string", "format": "binary"]) }
  }
}

/// One way in which an endpoint answers where nothing is wrong.
struct WireAnswer: Sendable {
  var status = 200
  var about = "OK"
  var contents: [WireContent] = []
  /// Whether it is a page of a list, with `Link`.
  var isPage = false

  /// JSON of a type.
  static func json<Value: WireType>(
    _ type: Value.Type, status: Int = 200, _ about: String = "OK", isPage: Bool = false
  ) -> WireAnswer {
    WireAnswer(status: status, about: about, contents: [.json(type)], isPage: isPage)
  }

  /// Other content, as one of several media types.
  static func content(_ contents: WireContent..., about: String = "OK") -> WireAnswer {
    WireAnswer(about: about, contents: contents)
  }

  /// The pictures that are taken as photos, as they came.
  static let photo = WireAnswer(contents: PictureHeader.Format.allCases.map { .file($0.mediaType) })
}
