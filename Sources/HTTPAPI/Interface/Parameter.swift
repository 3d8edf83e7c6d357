import Foundation
import Hummingbird

/// A parameter of an endpoint, as the description of the API tells it and as requests are checked against it.
protocol DeclaredParameter: Sendable {
  var name: String { get }
  var place: ParameterPlace { get }
  /// What it is, for a person.
  var about: String { get }
  var isRequired: Bool { get }
  /// The schema of its values.
  func schema(in book: SchemaBook) -> Schema
  /// Throws 422 where a request has another value than it may have.
  func check(_ query: Query) throws
}

/// Where a parameter stands in a request.
enum ParameterPlace: String, Sendable {
  case query
  case header
  case path
}

/// A parameter with values of a type: optional where it may be left out and has no default.
///
/// What it may be stands here alone. An endpoint that lists it refuses other values before its handler runs.
struct Parameter<Value: Sendable>: DeclaredParameter {
  let name: String
  let place: ParameterPlace
  let about: String
  let isRequired: Bool
  private let makeSchema: @Sendable (SchemaBook) -> Schema
  private let parse: @Sendable (String?) throws -> Value

  /// - Parameters:
  ///   - schema: The schema of its values.
  ///   - parse: The value of a text; nil where the request has none. Throws 422 for a text that it may not be.
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

  /// The value that a text stands for, however it came.
  func value(of text: String?) throws -> Value { try parse(text) }

  /// The same parameter described in other words.
  func told(_ about: String) -> Parameter {
    Parameter(name, in: place, about, isRequired: isRequired, schema: makeSchema, parse: parse)
  }
}

extension Parameter where Value == Int {
  /// A whole number within a range.
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
  /// A share or a probability.
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

  /// A number of seconds. More than `most`, up to a day, stand for `most`: clients ask for as long as they would wait.
  static func seconds(_ name: String, most: Double, _ about: String) -> Parameter {
    let range = 0...max(most, 86_400)
    return Parameter(name, about) { _ in
      Schema(["type": "number", "minimum": 0, "maximum": .number(range.upperBound)])
    } parse: { text in
      guard let text else { return nil }
      guard let seconds = Double(text), range.contains(seconds) else {
        throw APIError.invalidParameter(name, "must be between 0 and \(most.formatted()) seconds (got \(text.shown))")
      }
      return min(seconds, most)
    }
  }
}

extension Parameter where Value == Bool? {
  /// `true` or `false`; also 1 and 0.
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
  /// Text of at most `limit` characters; an empty one counts as none.
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
  /// Text of at most `limit` characters that has to be there.
  static func required(_ name: String, limit: Int = 200, _ about: String) -> Parameter {
    Parameter(name, about, isRequired: true) { _ in
      Schema.text.with(.length(1...limit))
    } parse: { text in
      guard let text, !text.isEmpty else { throw APIError(.invalidParameter, "`\(name)` is missing. \(about)") }
      try ClientText.check(text, named: name, limit: limit)
      return text
    }
  }

  /// A part of the path. What is none of those that there are is answered 404 by the endpoint.
  static func path(_ name: String, _ about: String, _ schema: Schema = Schema([:])) -> Parameter {
    Parameter(name, in: .path, about, isRequired: true) { _ in
      Schema(["type": "string"]).merging(schema)
    } parse: {
      $0 ?? ""
    }
  }
}

extension Parameter {
  /// One of the words of an enumeration.
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

/// What several endpoints take.
enum CommonParameters {
  /// Items of a page.
  static let limit = Parameter<Int>.integer("limit", in: 1...500, default: 50, "Items of a page.")
  static let cursor = Parameter<String?>.text("cursor", limit: 2048, "`next_cursor` of the page before.")
  static let jobID = Parameter<String>.path("job_id", "The job.", .uuid)
}
