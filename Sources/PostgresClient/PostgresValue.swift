/// A statement's parameter. Text is sent in text format, bytes in binary.
package enum PostgresValue: Sendable, Equatable {
  case null
  case text(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  case bytes([UInt8])

  /// Creates a text, or NULL.
  package init(_ text: String?) {
    self = text.map(PostgresValue.text) ?? .null
  }

  /// Creates an integer, or NULL.
  package init(_ number: Int64?) {
    self = number.map(PostgresValue.integer) ?? .null
  }

  /// Creates an integer.
  package init(_ number: Int) {
    self = .integer(Int64(clamping: number))
  }
}

/// A parameter encoded for libpq.
struct EncodedParameter {
  /// The value's bytes; nil for NULL. Text ends with a NUL.
  var bytes: [UInt8]?
  /// Length in bytes, without the NUL.
  var length: Int32
  /// 1 for binary format, 0 for text format.
  var format: Int32
  /// The type's OID in PostgreSQL's catalogue; 0 lets the server infer it.
  var type: UInt32

  /// The OID of `bytea`, from pg_type.dat.
  private static let byteArray: UInt32 = 17

  /// Encodes a value. Throws `PostgresError.unsendable` for values over 2 GB and for texts with a NUL, which PostgreSQL
  /// can't store.
  init(_ value: PostgresValue) throws(PostgresError) {
    switch value {
    case .null: self.init(bytes: nil, length: 0, format: 0, type: 0)
    case .text(let text): try self.init(text: text)
    case .integer(let number): try self.init(text: String(number))
    case .real(let number): try self.init(text: Self.text(of: number))
    case .boolean(let flag): try self.init(text: flag ? "t" : "f")
    case .bytes(let bytes):
      guard let length = Int32(exactly: bytes.count) else { throw .unsendable("more than 2 GB") }
      // An empty value still needs a pointer.
      self.init(bytes: bytes.isEmpty ? [0] : bytes, length: length, format: 1, type: Self.byteArray)
    }
  }

  private init(bytes: [UInt8]?, length: Int32, format: Int32, type: UInt32) {
    self.bytes = bytes
    self.length = length
    self.format = format
    self.type = type
  }

  private init(text: String) throws(PostgresError) {
    var bytes = Array(text.utf8)
    guard !bytes.contains(0) else { throw .unsendable("a text with a NUL in it") }
    guard let length = Int32(exactly: bytes.count) else { throw .unsendable("more than 2 GB") }
    bytes.append(0)
    self.init(bytes: bytes, length: length, format: 0, type: 0)
  }

  /// Formats a number as PostgreSQL does, with capitalised NaN and infinities.
  private static func text(of number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    return "\(number)"
  }
}
