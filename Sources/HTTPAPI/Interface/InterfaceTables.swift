import JobStore

/// The tables of `docs/api.md`, generated from the endpoints. Each is between `<!-- NAME -->` and `<!-- end -->`; a
/// test requires both versions to be equal.
struct InterfaceTables {
  /// Each table by its name.
  let byName: [String: String]

  init(_ endpoints: [Endpoint]) {
    byName = [
      "access": Self.access(endpoints), "parameters": Self.parameters(endpoints), "errors": Self.errors(),
      "jobs": Self.codes(ErrorCode.ofFailedJobs),
    ]
  }

  private static func access(_ endpoints: [Endpoint]) -> String {
    table(
      ["a key with", "may call"],
      Access.allCases.map { access in
        [access.scopes, endpoints.filter { $0.access == access }.map { "`\($0.title)`" }.joined(separator: ", ")]
      })
  }

  private static func parameters(_ endpoints: [Endpoint]) -> String {
    let book = SchemaBook()
    let rows = endpoints.flatMap { endpoint in
      endpoint.parameters.filter { $0.place != .path }.enumerated().map { index, parameter in
        [
          index == 0 ? "`\(endpoint.title)`" : "",
          "`\(parameter.name)`\(parameter.isRequired ? " (required)" : "")\(parameter.place == .header ? " (header)" : "")",
          values(parameter.schema(in: book), book), parameter.about,
        ]
      }
    }
    return table(["endpoint", "parameter", "values", "meaning"], rows)
  }

  /// Returns the values of a parameter in words.
  private static func values(_ schema: Schema, _ book: SchemaBook) -> String {
    let named = book.schemas.first { "#/components/schemas/\($0.name)" == schema["$ref"]?.string }
    let schema = named?.schema ?? schema
    if case .array(let words)? = schema["enum"] {
      return words.compactMap(\.string).map { "`\($0)`" }.joined(separator: ", ")
    }
    let range = [schema["minimum"], schema["maximum"]].compactMap { $0?.text }.joined(separator: " to ")
    let length = schema["maxLength"].map { "at most \($0.text) characters" }
    let standard = schema["default"].map { "default \($0.text)" }
    let type = schema["type"]?.string ?? ""
    return ([type == "string" ? "text" : type, range] + [length, standard].compactMap { $0 }).filter { !$0.isEmpty }
      .joined(separator: ", ")
  }

  private static func errors() -> String {
    let statuses = Dictionary(grouping: ErrorCode.allCases, by: \.status.code).sorted { $0.key < $1.key }
    return table(["status", "codes"], statuses.map { ["\($0)", meanings(of: $1)] })
  }

  private static func meanings(of codes: [ErrorCode]) -> String {
    codes.map { "`\($0.rawValue)`: \($0.meaning)" }.joined(separator: " ")
  }

  private static func codes(_ codes: [ErrorCode]) -> String {
    table(["code", "meaning"], codes.map { ["`\($0.rawValue)`", $0.meaning] })
  }

  private static func table(_ heads: [String], _ rows: [[String]]) -> String {
    let lines = ([heads] + rows).map { cells in
      "| \(cells.map { $0.pieces(between: "|", omittingEmpty: false).joined(separator: "\\|") }.joined(separator: " | ")) |"
    }
    let rule = "|\(heads.map { _ in "---" }.joined(separator: "|"))|"
    return (lines.prefix(1) + [rule] + lines.dropFirst()).joined(separator: "\n")
  }
}

extension JSONTree {
  /// The string in this value; nil if it is not a string.
  fileprivate var string: String? {
    if case .text(let text) = self { text } else { nil }
  }
}

extension Access {
  /// The scopes that grant access, in words.
  fileprivate var scopes: String {
    switch self {
    case .open: "none"
    case .any: "any"
    case .scan: "`scan`"
    case .own: "`scan`, its own; `read`, all"
    case .change: "`scan`, its own; `admin`, all"
    case .read: "`read`"
    case .admin: "`admin`"
    }
  }
}
