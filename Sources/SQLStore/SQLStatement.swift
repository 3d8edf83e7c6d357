import Foundation

/// A value bound to a statement.
package enum SQLValue: Sendable, Equatable {
  case null
  case text(String)
  case integer(Int64)
  case real(Double)
  case flag(Bool)
  case bytes(Data)
}

/// A statement or a part of one: its text, and the values bound to it in their order.
///
/// Interpolation binds a value. Another statement becomes a part of this one. Text becomes SQL only as a literal or through
/// `sql:`, so no value of a client does.
package struct SQLStatement: Sendable {
  fileprivate enum Piece: Sendable {
    case text(String)
    case value(SQLValue)
  }

  private var pieces: [Piece] = []
  /// Whether a connection keeps the statement prepared. False for texts that are put together of many conditions: their number
  /// is not bounded.
  package var isReused = true

  /// The values in their order.
  package var values: [SQLValue] {
    pieces.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }

  /// The text as a database takes it.
  package func text(in dialect: SQLDialect) -> String {
    var (text, number) = ("", 0)
    for piece in pieces {
      switch piece {
      case .text(let part): text += part
      case .value:
        number += 1
        text += dialect.placeholder(number)
      }
    }
    return text
  }

  /// One statement of several.
  package static func joined(_ statements: [SQLStatement], by separator: String) -> SQLStatement {
    var joined = SQLStatement()
    for statement in statements {
      if !joined.pieces.isEmpty { joined.pieces.append(.text(separator)) }
      joined.pieces += statement.pieces
    }
    return joined
  }
}

extension SQLStatement: ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) { pieces = [.text(text)] }

  package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  /// See `SQLStatement`.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) { pieces.append(.text(literal)) }

    /// A part of the statement.
    package mutating func appendInterpolation(_ part: SQLStatement) { pieces += part.pieces }

    /// Text of the program's own, such as the names of columns.
    package mutating func appendInterpolation(sql: String) { pieces.append(.text(sql)) }

    /// A bound value.
    package mutating func appendInterpolation(_ value: SQLValue) { pieces.append(.value(value)) }

    /// A bound text, or null.
    package mutating func appendInterpolation(_ text: String?) {
      appendInterpolation(text.map(SQLValue.text) ?? .null)
    }

    /// A bound number, or null.
    package mutating func appendInterpolation(_ number: Int64?) {
      appendInterpolation(number.map(SQLValue.integer) ?? .null)
    }

    /// A bound number.
    package mutating func appendInterpolation(_ number: Int) {
      appendInterpolation(SQLValue.integer(Int64(clamping: number)))
    }

    /// A bound number.
    package mutating func appendInterpolation(_ number: Double) { appendInterpolation(SQLValue.real(number)) }

    /// A bound truth value.
    package mutating func appendInterpolation(_ flag: Bool) { appendInterpolation(SQLValue.flag(flag)) }
  }
}
