/// A parameter of a statement. Text travels as text, bytes as they are.
package enum PostgresValue: Sendable, Equatable {
  case null
  case text(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  case bytes([UInt8])

  /// A text, or null.
  package init(_ text: String?) {
    self = text.map(PostgresValue.text) ?? .null
  }

  /// A number, or null.
  package init(_ number: Int64?) {
    self = number.map(PostgresValue.integer) ?? .null
  }

  /// A number.
  package init(_ number: Int) {
    self = .integer(Int64(clamping: number))
  }
}

/// A parameter as libpq takes it.
struct EncodedParameter {
  /// Nil for null. Text ends with a NUL.
  var bytes: [UInt8]?
  /// Bytes of the value, without the NUL.
  var length: Int32
  /// 1 where the bytes are the value itself, 0 where they are its text.
  var format: Int32
  /// The type's number in PostgreSQL's catalogue; 0 lets the server tell it from the statement.
  var type: UInt32

  /// `bytea`, in pg_type.dat.
  private static let byteArray: UInt32 = 17

  /// Throws `PostgresError.unsendable` for a text with a NUL in it, which PostgreSQL does not store, and for values of
  /// more than 2 GB.
  init(_ value: PostgresValue) throws(PostgresError) {
    switch value {
    case .null: self.init(bytes: nil, length: 0, format: 0, type: 0)
    case .text(let text): try self.init(text: text)
    case .integer(let number): try self.init(text: String(number))
    case .real(let number): try self.init(text: Self.text(of: number))
    case .boolean(let flag): try self.init(text: flag ? "t" : "f")
    case .bytes(let bytes):
      guard let length = Int32(exactly: bytes.count) else { throw .unsendable("more than 2 GB") }
      // An empty value still needs an address.
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

  /// PostgreSQL writes what is no number with capitals.
  private static func text(of number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    return "\(number)"
  }
}
