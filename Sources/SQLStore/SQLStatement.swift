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

/// A statement or a part of one: its text and its bound values in order.
///
/// Interpolating a value binds it; interpolating a statement inserts it. Text becomes SQL only as a literal or through
/// `sql:`, so a client's values never do.
package struct SQLStatement: Sendable {
  fileprivate enum Piece: Sendable {
    case text(String)
    case value(SQLValue)
  }

  private var pieces: [Piece] = []
  /// Whether a connection keeps the statement prepared. False for texts combined from many conditions, because their
  /// number is unbounded.
  package var isReused = true

  /// The bound values in order.
  package var values: [SQLValue] {
    pieces.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }

  /// Formats the text for a database.
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

  /// Joins several statements into one.
  package static func joined(_ statements: [SQLStatement], by separator: String) -> SQLStatement {
    var joined = SQLStatement()
    for statement in statements {
      if !joined.pieces.isEmpty { joined.pieces.append(.text(separator)) }
      joined.pieces += statement.pieces
    }
    return joined
  }
}

extension SQLStatement {
  /// Texts separated by commas.
  static func list(_ texts: [String]) -> SQLStatement { joined(texts.map { "\($0)" }, by: ", ") }

  /// A `WHERE` clause of conditions that must all hold; empty without any.
  static func conditions(_ conditions: [SQLStatement]) -> SQLStatement {
    guard !conditions.isEmpty else { return "" }
    return " WHERE \(joined(conditions, by: " AND "))"
  }
}

extension SQLStatement: ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) { pieces = [.text(text)] }

  package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  /// The interpolation of an `SQLStatement`.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) { pieces.append(.text(literal)) }

    /// Inserts a part of the statement.
    package mutating func appendInterpolation(_ part: SQLStatement) { pieces += part.pieces }

    /// Inserts trusted text such as column names.
    package mutating func appendInterpolation(sql: String) { pieces.append(.text(sql)) }

    /// Binds a value.
    package mutating func appendInterpolation(_ value: SQLValue) { pieces.append(.value(value)) }

    /// Binds a text or NULL.
    package mutating func appendInterpolation(_ text: String?) {
      appendInterpolation(text.map(SQLValue.text) ?? .null)
    }

    /// Binds an integer or NULL.
    package mutating func appendInterpolation(_ number: Int64?) {
      appendInterpolation(number.map(SQLValue.integer) ?? .null)
    }

    /// Binds an integer.
    package mutating func appendInterpolation(_ number: Int) {
      appendInterpolation(SQLValue.integer(Int64(clamping: number)))
    }

    /// Binds a floating-point number.
    package mutating func appendInterpolation(_ number: Double) { appendInterpolation(SQLValue.real(number)) }

    /// Binds a Boolean.
    package mutating func appendInterpolation(_ flag: Bool) { appendInterpolation(SQLValue.flag(flag)) }
  }
}
