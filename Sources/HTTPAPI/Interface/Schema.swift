import Foundation
import Support

/// A JSON Schema (draft 2020-12), or the part of one that a note adds to the schema of a type.
struct Schema: Sendable {
  private(set) var members: [JSONTree.Member]

  init(_ tree: JSONTree) {
    if case .object(let members) = tree { self.members = members } else { members = [] }
  }

  var tree: JSONTree { .object(members) }

  subscript(_ name: String) -> JSONTree? {
    get { members.first { $0.name == name }?.value }
    set {
      let index = members.firstIndex { $0.name == name }
      if let index { members.remove(at: index) }
      if let newValue { members.insert(JSONTree.Member(name: name, value: newValue), at: index ?? members.count) }
    }
  }

  /// Returns the schema merged with another one: objects are merged, all other values are replaced.
  func merging(_ other: Schema) -> Schema {
    other.members.reduce(into: self) { merged, member in
      if case .object = member.value, let mine = merged[member.name], case .object = mine {
        merged[member.name] = Schema(mine).merging(Schema(member.value)).tree
      } else {
        merged[member.name] = member.value
      }
    }
  }

  /// The same schema, or null.
  var nullable: Schema {
    if case .text(let type)? = self["type"], self["enum"] == nil {
      var schema = self
      schema["type"] = [.text(type), "null"]
      return schema
    }
    return Schema(["anyOf": [tree, ["type": "null"]]])
  }
}

/// Notes: constraints that a member's type can't express.
extension Schema {
  static func about(_ text: String) -> Schema { Schema(["description": .text(text)]) }
  /// Text without NUL, which PostgreSQL can't store.
  static let text = Schema(["type": "string", "pattern": "^[^\\x00]*$"])
  static let uuid = Schema(["format": "uuid"])
  /// A share or a probability, 0...1.
  static let share = Schema(["minimum": 0, "maximum": 1])
  /// Four corners as [x, y].
  static let corners = Schema(["minItems": 4, "maxItems": 4, "items": ["minItems": 2, "maxItems": 2]])

  static func within(_ range: ClosedRange<Int>) -> Schema {
    Schema(["minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
  }
  static func atLeast(_ least: Int) -> Schema { Schema(["minimum": .integer(least)]) }
  static func length(_ range: ClosedRange<Int>) -> Schema {
    Schema(["minLength": .integer(range.lowerBound), "maxLength": .integer(range.upperBound)])
  }
  static func longest(_ most: Int) -> Schema { Schema(["maxLength": .integer(most)]) }
  static func mostItems(_ most: Int) -> Schema { Schema(["maxItems": .integer(most)]) }

  func about(_ text: String) -> Schema { merging(.about(text)) }
  func with(_ note: Schema) -> Schema { merging(note) }
}

/// A type whose values are sent or received.
protocol WireType: SendableMetatype {
  /// Returns the schema. A named schema is put into the book and referenced.
  static func schema(in book: SchemaBook) -> Schema

  /// The name of the schema of objects whose values by any name are of this type, so that all of them share one; nil for a
  /// schema without a name.
  static var mapName: String? { get }
}

extension WireType {
  static var mapName: String? { nil }
}

/// An object of the API. Its schema is derived from the members that it decodes, and thus from the same keys and types
/// that are encoded.
protocol WireObject: WireType, Decodable {
  /// The name of the schema.
  static var wireName: String { get }
  /// Constraints that the type can't express, by member name in JSON; the empty name stands for the object itself.
  static var wireNotes: [String: Schema] { get }
}

extension WireObject {
  static var wireNotes: [String: Schema] { [:] }
  static func schema(in book: SchemaBook) -> Schema {
    book.object(wireName, for: Self.self, notes: wireNotes) { book.members(of: Self.self) }
  }
}

/// A string with a fixed set of values.
protocol WireWord: WireType, CaseIterable, RawRepresentable where RawValue == String {
  /// The name of the schema.
  static var wireName: String { get }
}

extension WireWord {
  static func schema(in book: SchemaBook) -> Schema {
    book.named(wireName, for: Self.self) {
      Schema(["type": "string", "enum": .array(allCases.map { .text($0.rawValue) })])
    }
  }
}

/// The named schemas of a description, in the order of their first use.
final class SchemaBook {
  /// A member of an object.
  struct Member {
    var name: String
    var schema: Schema
    var isRequired = true
  }

  /// The schemas by name.
  private(set) var schemas: [(name: String, schema: Schema)] = []
  /// The problems in the declarations; a test requires it to be empty.
  private(set) var problems: [String] = []

  /// The type of each name.
  private var owners: [String: ObjectIdentifier] = [:]

  /// Returns a reference to a named schema, which is created on first use.
  func named(_ name: String, for type: Any.Type, _ make: () -> Schema) -> Schema {
    if let owner = owners[name] {
      if owner != ObjectIdentifier(type) { problems.append("\(name) is the name of two types") }
    } else {
      owners[name] = ObjectIdentifier(type)
      let index = schemas.count
      schemas.append((name, Schema([:])))
      schemas[index].schema = make()
    }
    return Schema(["$ref": .text("#/components/schemas/\(name)")])
  }

  /// Returns a reference to an object's schema, which is created on first use.
  func object(
    _ name: String, for type: Any.Type, notes: [String: Schema] = [:], _ members: () -> [Member]
  ) -> Schema {
    named(name, for: type) { anonymous(name, members(), notes) }
  }

  /// Returns the members of an object.
  func members(of type: (some WireObject).Type) -> [Member] {
    let walk = MemberWalk(book: self)
    do { _ = try type.init(from: walk) } catch { problems.append("\(type.wireName): \(error)") }
    return walk.members
  }

  /// The names of the members of an object's schema.
  static func memberNames(of type: (some WireType).Type) -> [String] {
    let book = SchemaBook()
    _ = type.schema(in: book)
    guard let properties = book.schemas.first?.schema["properties"] else { return [] }
    return Schema(properties).members.map(\.name)
  }

  /// Returns a member. `?` makes its type optional, so that it may be null.
  func member(_ name: String, _ type: any WireType.Type, isRequired: Bool = true) -> Member {
    Member(name: name, schema: type.schema(in: self), isRequired: isRequired)
  }

  /// Returns the schema of any type; a type that is not a `WireType` is recorded as a problem.
  func schema(of type: Any.Type, at place: String) -> Schema {
    guard let type = type as? any WireType.Type else {
      problems.append("\(place) is \(type), which has no schema")
      return Schema([:])
    }
    return type.schema(in: self)
  }

  private func anonymous(_ name: String, _ members: [Member], _ notes: [String: Schema]) -> Schema {
    for note in notes.keys where !note.isEmpty && !members.contains(where: { $0.name == note }) {
      problems.append("\(name) has a note on `\(note)`, which it does not have")
    }
    let properties = members.map { member in
      JSONTree.Member(
        name: member.name, value: (notes[member.name].map(member.schema.merging) ?? member.schema).tree)
    }
    let required = members.filter(\.isRequired).map { JSONTree.text($0.name) }
    let schema = Schema(["type": "object", "properties": .object(properties), "required": .array(required)])
    return notes[""].map(schema.merging) ?? schema
  }
}

extension String: WireType {
  static var mapName: String? { "Texts" }
  static func schema(in book: SchemaBook) -> Schema { Schema(["type": "string"]) }
}
extension Bool: WireType {
  static func schema(in book: SchemaBook) -> Schema { Schema(["type": "boolean"]) }
}
extension Int: WireType {
  static var mapName: String? { "Counts" }
  static func schema(in book: SchemaBook) -> Schema { Schema(["type": "integer"]) }
}
extension Int64: WireType {
  static func schema(in book: SchemaBook) -> Schema { Schema(["type": "integer"]) }
}
extension Double: WireType {
  static func schema(in book: SchemaBook) -> Schema { Schema(["type": "number"]) }
}
extension Date: WireType {
  static func schema(in book: SchemaBook) -> Schema { Schema(["type": "string", "format": "date-time"]) }
}
extension Optional: WireType where Wrapped: WireType {
  static var mapName: String? { Wrapped.mapName.map { "\($0)OrNull" } }
  static func schema(in book: SchemaBook) -> Schema { Wrapped.schema(in: book).nullable }
}
extension ExplicitNull: WireType where Value: WireType {
  static func schema(in book: SchemaBook) -> Schema { Value.schema(in: book).nullable }
}
extension Array: WireType where Element: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    Schema(["type": "array", "items": Element.schema(in: book).tree])
  }
}
extension Dictionary: WireType where Key == String, Value: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    func map() -> Schema { Schema(["type": "object", "additionalProperties": Value.schema(in: book).tree]) }
    return Value.mapName.map { book.named($0, for: Self.self, map) } ?? map()
  }
}

/// The body of a request or response that may be any JSON object.
enum AnyObjectOfJSON: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    book.named("AnyObject", for: Self.self) { Schema(["type": "object"]) }
  }
}
