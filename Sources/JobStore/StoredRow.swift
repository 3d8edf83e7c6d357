/// A table's row, by column name, for copying from one store to another. Columns have the same meaning in every store.
public struct StoredRow: Sendable, Equatable {
  /// A database value.
  public enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
  }

  /// The tables to copy, each with the column that identifies and orders its rows.
  ///
  /// Each store recomputes derived data (counts, searches). Verdicts by hour are copied, because they outlive their
  /// jobs.
  public static let tables: [(name: String, key: String)] = [
    ("api_keys", "id"), ("jobs", "seq"), ("serials", "id"), ("serial_changes", "seq"), ("tasks", "seq"),
    ("verdict_counts", "hour"), ("webhooks", "seq"), ("device_values", "seq"), ("batches", "seq"),
    ("thumbnails", "job_id"),
  ]

  /// The values by column name.
  public var values: [String: Value]

  /// Creates a row.
  public init(_ values: [String: Value]) { self.values = values }

  /// Returns a text; nil if the column is missing or has another type.
  public func text(_ column: String) -> String? {
    if case .text(let text)? = values[column] { text } else { nil }
  }

  /// Returns an integer; nil if the column is missing or has another type.
  public func integer(_ column: String) -> Int64? {
    if case .integer(let number)? = values[column] { number } else { nil }
  }
}
