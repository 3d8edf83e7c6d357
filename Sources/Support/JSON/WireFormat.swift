import Foundation

/// The JSON format of the API: RFC 3339 times in UTC with whole seconds, which every client can parse, and unescaped
/// slashes.
public enum WireFormat {
  /// Encodes a value as JSON.
  public static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(value)
  }
}

/// A value that is encoded as `null` when it is nil, instead of being omitted.
@propertyWrapper
public struct ExplicitNull<Value: Encodable & Sendable>: Encodable, Sendable {
  /// The value, or nil.
  public var wrappedValue: Value?

  /// Wraps a value.
  public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  /// Encodes the value or `null`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
  }
}

extension ExplicitNull: Decodable where Value: Decodable {
  /// Decodes the value or `null`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(wrappedValue: container.decodeNil() ? nil : try container.decode(Value.self))
  }
}
