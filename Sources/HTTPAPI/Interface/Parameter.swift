import Foundation
import Hummingbird

/// A parameter of an endpoint, used for the API description and for validating requests.
protocol DeclaredParameter: Sendable {
  var name: String { get }
  var place: ParameterPlace { get }
  /// The description.
  var about: String { get }
  var isRequired: Bool { get }
  /// Returns the schema of the values.
  func schema(in book: SchemaBook) -> Schema
  /// Throws 422 if the request's value is invalid.
  func check(_ query: Query) throws
}

/// The places of a parameter in a request.
enum ParameterPlace: String, Sendable {
  case query
  case header
  case path
}

/// A typed parameter; optional if it may be missing and has no default.
///
/// Its constraints are declared only here. An endpoint that lists it rejects other values before its handler runs.
struct Parameter<Value: Sendable>: DeclaredParameter {
  let name: String
  let place: ParameterPlace
  let about: String
  let isRequired: Bool
  private let makeSchema: @Sendable (SchemaBook) -> Schema
  private let parse: @Sendable (String?) throws -> Value

  /// Creates a parameter.
  ///
  /// - Parameters:
  ///   - schema: The schema of its values.
  ///   - parse: Returns the value of a text, which is nil if the request has none. Throws 422 for an invalid text.
  init(
    _ name: String, in place: ParameterPlace = .query, _ about: String, isRequired: Bool = false,
    schema: @escaping @Sendable (SchemaBook) -> Schema, parse: @escaping @Sendable (String?) throws -> Value
  ) {
    self.name = name
    self.place = place
    self.about = about
    self.isRequired = isRequired
    makeSchema = schema
    self.parse = parse
  }

  func schema(in book: SchemaBook) -> Schema { makeSchema(book) }

  func check(_ query: Query) throws { _ = try query[self] }

  /// Parses the value of a text, whatever part of the request it is from.
  func value(of text: String?) throws -> Value { try parse(text) }

  /// Returns the same parameter with another description.
  func described(as about: String) -> Parameter {
    Parameter(name, in: place, about, isRequired: isRequired, schema: makeSchema, parse: parse)
  }
}

extension Parameter where Value == Int {
  /// Creates a parameter for a whole number within a range.
  static func integer(
    _ name: String, in range: ClosedRange<Int>, default standard: Int, _ about: String
  ) -> Parameter {
    Parameter(name, about) { _ in
      Schema(["type": "integer"]).with(.within(range)).with(Schema(["default": .integer(standard)]))
    } parse: { text in
      guard let text else { return standard }
      guard let number = Int(text), range.contains(number) else {
        throw APIError.invalidParameter(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
  }
}

extension Parameter where Value == Double? {
  /// Creates a parameter for a share or a probability, 0...1.
  static func share(_ name: String, _ about: String) -> Parameter {
    Parameter(name, about) { _ in
      Schema(["type": "number"]).with(.share)
    } parse: { text in
      guard let text else { return nil }
      guard let number = Double(text), (0...1).contains(number) else {
        throw APIError.invalidParameter(name, "must be a number from 0 to 1")
      }
      return number
    }
  }

  /// Creates a parameter for a number of seconds. Values above `most`, up to a day, are treated as `most`: clients ask
  /// for as long as they would wait.
  static func seconds(_ name: String, most: Double, _ about: String) -> Parameter {
    let range = 0...max(most, 86_400)
    return Parameter(name, about) { _ in
      Schema(["type": "number", "minimum": 0, "maximum": .number(range.upperBound)])
    } parse: { text in
      guard let text else { return nil }
      guard let seconds = Double(text), range.contains(seconds) else {
        throw APIError.invalidParameter(
          name,
          "must be between 0 and \(range.upperBound.formatted()) seconds (got \(text.isEmpty ? "an empty value" : text.shown))"
        )
      }
      return min(seconds, most)
    }
  }
}

extension Parameter where Value == Bool? {
  /// Creates a parameter for `true` or `false`; also accepts 1 and 0.
  static func flag(_ name: String, _ about: String) -> Parameter {
    Parameter(name, about) { _ in
      Schema(["type": "boolean"])
    } parse: { text in
      switch text?.lowercased() {
      case nil: nil
      case "true", "1": true
      case "false", "0": false
      default: throw APIError.invalidParameter(name, "must be true or false")
      }
    }
  }
}

extension Parameter where Value == String? {
  /// Creates a parameter for text of at most `limit` characters; empty text counts as missing.
  static func text(_ name: String, limit: Int = 200, _ about: String) -> Parameter {
    Parameter(name, about) { _ in
      Schema.text.with(.longest(limit))
    } parse: { text in
      guard let text, !text.isEmpty else { return nil }
      try ClientText.check(text, named: name, limit: limit)
      return text
    }
  }
}

extension Parameter where Value == String {
  /// Creates a parameter for required text of at most `limit` characters.
  static func required(_ name: String, limit: Int = 200, _ about: String) -> Parameter {
    Parameter(name, about, isRequired: true) { _ in
      Schema.text.with(.length(1...limit))
    } parse: { text in
      guard let text, !text.isEmpty else {
        let clause = about.prefix(1).lowercased() + about.dropFirst()
        throw APIError(.invalidParameter, "`\(name)` is missing: \(clause)")
      }
      try ClientText.check(text, named: name, limit: limit)
      return text
    }
  }

  /// Creates a parameter in the path. The endpoint answers an unknown value with 404.
  static func path(_ name: String, _ about: String, _ schema: Schema = Schema([:])) -> Parameter {
    Parameter(name, in: .path, about, isRequired: true) { _ in
      Schema(["type": "string"]).merging(schema)
    } parse: {
      $0 ?? ""
    }
  }
}

extension Parameter {
  /// Creates a parameter for one of an enumeration's values.
  static func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, _ about: String) -> Parameter
  where Value == Choice?, Choice.RawValue == String {
    Parameter(name, about) { book in
      let words = Schema(["type": "string", "enum": .array(Choice.allCases.map { .text($0.rawValue) })])
      return (Choice.self as? any WireType.Type)?.schema(in: book) ?? words
    } parse: { text in
      guard let text else { return nil }
      guard let choice = Choice(rawValue: text) else {
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw APIError.invalidParameter(name, "must be one of \(words)")
      }
      return choice
    }
  }
}

/// Parameters shared by several endpoints.
enum CommonParameters {
  /// The maximum number of items on a page.
  static let limit = Parameter<Int>.integer("limit", in: 1...500, default: 50, "Items of a page.")
  static let cursor = Parameter<String?>.text("cursor", limit: 2048, "`next_cursor` of the page before.")
  static let jobID = Parameter<String>.path("job_id", "The job.", .uuid)
}
