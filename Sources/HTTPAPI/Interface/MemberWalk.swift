import Foundation

/// Finds the members of a type by decoding it from nothing: records the type of each requested member and returns a
/// placeholder, which is discarded with the object.
final class MemberWalk: Decoder {
  private(set) var members: [SchemaBook.Member] = []
  /// The book for the members' schemas; nil while decoding a member's value.
  private let book: SchemaBook?
  private var optional: Set<String> = []

  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(book: SchemaBook?) { self.book = book }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed(walk: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { Empty() }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single() }

  private func note(_ type: Any.Type, _ key: any CodingKey) {
    guard let book else { return }
    let schema = book.schema(of: type, at: key.stringValue)
    members.append(
      SchemaBook.Member(
        name: key.stringValue, schema: schema, isRequired: !optional.contains(key.stringValue)))
  }

  /// Returns a placeholder of a type.
  private static func standIn<Value: Decodable>(_ type: Value.Type) throws -> Value {
    func first(_ words: any CaseIterable.Type) -> Any? { (words.allCases as any Collection).first }
    let value: Any? =
      switch type {
      case is String.Type: ""
      case is Bool.Type: false
      case is Int.Type: 0
      case is Int64.Type: Int64(0)
      case is Double.Type: 0.0
      case let words as any CaseIterable.Type: first(words)
      default: nil
      }
    return try value as? Value ?? Value(from: MemberWalk(book: nil))
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let walk: MemberWalk
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) -> Bool {
      walk.optional.insert(key.stringValue)
      return walk.book == nil
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      walk.note(type, key)
      return try standIn(type)
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> { walk.container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { Empty() }
    func superDecoder() -> any Decoder { walk }
    func superDecoder(forKey key: Key) -> any Decoder { walk }
  }

  private struct Empty: UnkeyedDecodingContainer {
    let codingPath: [any CodingKey] = []
    let count: Int? = 0
    let isAtEnd = true
    let currentIndex = 0

    func decodeNil() -> Bool { true }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try standIn(type) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
      MemberWalk(book: nil).container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { Empty() }
    func superDecoder() -> any Decoder { MemberWalk(book: nil) }
  }

  private struct Single: SingleValueDecodingContainer {
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { true }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try standIn(type) }
  }
}
