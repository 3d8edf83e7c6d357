/// A table's row on its way from one store to another, by the names of its columns. They mean the same in every store.
public struct StoredRow: Sendable, Equatable {
  /// A value as databases have it.
  public enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
  }

  /// The tables that go along, each with the column that tells its rows apart and orders them. What follows from them
  /// (counts, searches) each store makes itself; verdicts by hour do not, because they outlive their jobs.
  public static let tables: [(name: String, key: String)] = [
    ("api_keys", "id"), ("jobs", "seq"), ("serials", "id"), ("serial_changes", "seq"), ("tasks", "seq"),
    ("verdict_counts", "hour"), ("webhooks", "seq"),
  ]

  /// The values by column.
  public var values: [String: Value]

  /// Creates a row.
  public init(_ values: [String: Value]) { self.values = values }

  /// A text; nil where the column is missing or holds something else.
  public func text(_ column: String) -> String? {
    if case .text(let text)? = values[column] { text } else { nil }
  }

  /// A whole number; nil where the column is missing or holds something else.
  public func integer(_ column: String) -> Int64? {
    if case .integer(let number)? = values[column] { number } else { nil }
  }
}
