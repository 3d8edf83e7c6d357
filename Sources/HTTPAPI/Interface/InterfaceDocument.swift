import JobStore

/// The API description served at `/openapi.json` (OpenAPI 3.1), generated from the endpoints.
struct InterfaceDocument {
  /// The document as JSON.
  let text: String
  /// The problems in the declarations; a test requires it to be empty.
  let problems: [String]

  init(_ endpoints: [Endpoint], version: String) {
    let book = SchemaBook()
    let paths = Self.paths(endpoints, book)
    let document: JSONTree = [
      "openapi": "3.1.0",
      "info": [
        "title": "SerialScan", "version": .text(version), "summary": "Reads Apple serial numbers from photos.",
        "description": .text(Self.about), "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
      ],
      "servers": [["url": "/"]],
      "tags": .array(Endpoint.Topic.allCases.map { ["name": .text($0.rawValue), "description": .text($0.about)] }),
      "paths": paths,
      "components": [
        "schemas": .object(book.schemas.map { JSONTree.Member(name: $0.name, value: $0.schema.tree) }),
        "headers": .object(Self.headers.map { JSONTree.Member(name: $0.component, value: $0.tree) }),
        "securitySchemes": [
          "key": [
            "type": "http", "scheme": "bearer",
            "description": "`serialscan keys add NAME` creates a key. As long as no key exists, the server is open.",
          ]
        ],
      ],
    ]
    text = document.text
    problems = book.problems + Self.problems(of: endpoints)
  }

  private static let about =
    "Send a photo to /scan and poll /result for the serial, or send it to /process-serial and wait. Times are RFC 3339 in UTC, "
    + "confidence is a probability from 0 to 1. Every error has `detail`, `error_code` and `status_code`; a method that a path "
    + "does not have is 405 `METHOD_NOT_ALLOWED` with Allow. HEAD works wherever GET does."

  /// A response header.
  private struct Header {
    var name: String
    var about: String
    var type = "integer"

    var component: String { name.pieces(between: "-").joined() }
    var tree: JSONTree { ["description": .text(about), "schema": ["type": .text(type)]] }
    var reference: JSONTree.Member {
      JSONTree.Member(name: name, value: ["$ref": .text("#/components/headers/\(component)")])
    }
  }

  private static let retryAfter = Header(name: "Retry-After", about: "Seconds after which to try again.")
  private static let link = Header(
    name: "Link", about: "The next page, `<...>; rel=\"next\"`; absent at the end of the list.", type: "string")
  private static let rate = [
    Header(
      name: "RateLimit-Limit",
      about: "Requests per minute for this key, or for this address without a key. Absent if there is no limit."),
    Header(name: "RateLimit-Remaining", about: "Requests that may be sent at once."),
    Header(name: "RateLimit-Reset", about: "Seconds until a full minute's requests may be sent again."),
  ]
  private static let headers = rate + [retryAfter, link]

  private static func paths(_ endpoints: [Endpoint], _ book: SchemaBook) -> JSONTree {
    var paths: [JSONTree.Member] = []
    for endpoint in endpoints {
      let operation = JSONTree.Member(
        name: endpoint.method.rawValue.lowercased(), value: operation(endpoint, book))
      if let index = paths.firstIndex(where: { $0.name == endpoint.path }),
        case .object(let others) = paths[index].value
      {
        paths[index].value = .object(others + [operation])
      } else {
        paths.append(JSONTree.Member(name: endpoint.path, value: .object([operation])))
      }
    }
    return .object(paths)
  }

  private static func operation(_ endpoint: Endpoint, _ book: SchemaBook) -> JSONTree {
    var members: [JSONTree.Member] = [
      .init(name: "operationId", value: .text(endpoint.name)),
      .init(name: "tags", value: [.text(endpoint.topic.rawValue)]),
      .init(name: "summary", value: .text(endpoint.summary)),
      .init(name: "description", value: .text("\(endpoint.about) \(endpoint.access.sentence)")),
      .init(name: "security", value: endpoint.access == .open ? [] : [["key": []], [:]]),
    ]
    if !endpoint.parameters.isEmpty {
      members.append(.init(name: "parameters", value: .array(endpoint.parameters.map { parameter($0, book) })))
    }
    if !endpoint.bodies.isEmpty {
      members.append(
        .init(name: "requestBody", value: ["required": true, "content": content(endpoint.bodies, book)]))
    }
    members.append(.init(name: "responses", value: responses(endpoint, book)))
    return .object(members)
  }

  private static func parameter(_ parameter: any DeclaredParameter, _ book: SchemaBook) -> JSONTree {
    [
      "name": .text(parameter.name), "in": .text(parameter.place.rawValue), "required": .flag(parameter.isRequired),
      "schema": parameter.schema(in: book).tree, "description": .text(parameter.about),
    ]
  }

  private static func content(_ contents: [WireContent], _ book: SchemaBook) -> JSONTree {
    .object(contents.map { .init(name: $0.mediaType, value: ["schema": $0.schema(book).tree]) })
  }

  private static func responses(_ endpoint: Endpoint, _ book: SchemaBook) -> JSONTree {
    let good = endpoint.answers.map { answer in
      var members: [JSONTree.Member] = [.init(name: "description", value: .text(answer.about))]
      if answer.isPage { members.append(.init(name: "headers", value: .object([link.reference]))) }
      if !answer.contents.isEmpty {
        members.append(.init(name: "content", value: content(answer.contents, book)))
      }
      return (answer.status, JSONTree.object(members))
    }
    let codes = Dictionary(grouping: endpoint.allErrors, by: \.status.code)
    let bad = codes.filter { status, _ in !good.contains { $0.0 == status } }.map { status, codes in
      (status, error(status, codes, book))
    }
    return .object((good + bad).sorted { $0.0 < $1.0 }.map { .init(name: String($0.0), value: $0.1) })
  }

  private static func error(_ status: Int, _ codes: [ErrorCode], _ book: SchemaBook) -> JSONTree {
    var members: [JSONTree.Member] = [
      .init(
        name: "description",
        value: .text(codes.map { "`\($0.rawValue)`: \($0.meaning)" }.joined(separator: " "))),
      .init(name: "x-error-codes", value: .array(codes.map { .text($0.rawValue) })),
    ]
    let told = (status == 429 ? [retryAfter] + rate : status == 503 ? [retryAfter] : []).map(\.reference)
    if !told.isEmpty { members.append(.init(name: "headers", value: .object(told))) }
    members.append(.init(name: "content", value: content([.json(ErrorBody.self)], book)))
    return .object(members)
  }

  /// Returns names in paths without a parameter, path parameters without a name in the path, and names used by two
  /// endpoints.
  private static func problems(of endpoints: [Endpoint]) -> [String] {
    let paths = endpoints.flatMap { endpoint in
      let named = endpoint.path.pieces(between: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
      let declared = endpoint.parameters.filter { $0.place == .path }.map { Substring($0.name) }
      return named == declared ? [] : ["\(endpoint.method) \(endpoint.path) declares \(declared)"]
    }
    let names = Dictionary(grouping: endpoints, by: \.name).filter { $1.count > 1 }.keys
    return paths + names.map { "\($0) is the name of two endpoints" }
  }
}

extension Access {
  /// The required access, as a sentence.
  var sentence: String {
    switch self {
    case .open: "No key needed."
    case .any: "Needs any key if keys exist."
    case .scan: "Needs a key with the scope `scan` if keys exist."
    case .own: "Needs a key if keys exist: `scan` sees what it sent itself, `read` sees everything."
    case .change: "Needs a key if keys exist: `scan` changes what it sent itself, `admin` changes everything."
    case .read: "Needs a key with the scope `read` if keys exist."
    case .admin: "Needs a key with the scope `admin` if keys exist."
    }
  }
}

extension Endpoint.Topic {
  /// The description of the topic.
  var about: String {
    switch self {
    case .photos: "Photos in, serials out."
    case .tracking: "Objects tracked in live video."
    case .serials: "Saved serials."
    case .jobs: "Waiting, running and finished jobs."
    case .batches: "Photos and serials scanned together, shared by everyone who scans into them."
    case .settings: "How photos are read."
    case .evaluation: "How well photos are read."
    case .operation: "For operators."
    }
  }
}
