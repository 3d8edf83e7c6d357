import Foundation

/// The columns of an export with their headings, and how its file is written.
public struct ExportLayout: Sendable {
  /// A column of the file.
  struct Column: Sendable {
    /// The heading.
    var header: String
    /// The width in a spreadsheet, in characters.
    var width: Double
    /// Whether all-digit cells are identifiers and not numbers.
    var holdsDigits: Bool
    /// The rows that have this column.
    var rows: Set<ExportRows>
    /// Whether it is a custom field.
    var isCustom = false
    /// Returns the cell of a row.
    var value: @Sendable (ExportRow) -> ExportColumn.Value
  }

  /// The columns in order.
  let columns: [Column]
  /// The kind of rows.
  public private(set) var rows: ExportRows
  /// The template's name; nil if there is none.
  let template: String?
  /// The name of the sheet with the rows.
  var sheetName: String { rows == .reads ? "Serials" : "Devices" }
  /// The beginning of the file's name.
  var fileName: String { template ?? sheetName.lowercased() }
  /// Whether the file contains only the rows, for import into another program.
  var holdsRowsAlone: Bool { template != nil }
  /// Whether CSV begins with a byte order mark, by which Excel recognizes UTF-8.
  let hasByteOrderMark: Bool
  /// The default separator of CSV cells.
  public let separator: SerialExport.Separator

  init(
    _ columns: [Column], rows: ExportRows, separator: SerialExport.Separator = .comma, template: String? = nil,
    hasByteOrderMark: Bool = true
  ) {
    (self.columns, self.rows, self.separator) = (columns, rows, separator)
    (self.template, self.hasByteOrderMark) = (template, hasByteOrderMark)
  }

  /// Creates a layout of columns with their own headings.
  public init(_ columns: [ExportColumn], rows: ExportRows) {
    self.init(columns.map { Column($0) }, rows: rows)
  }

  /// Creates the default layout.
  ///
  /// - Parameter names: The custom fields, whose columns come last.
  public init(standardOf rows: ExportRows = .reads, custom names: [String] = []) {
    let all = ExportColumn.all(custom: names)
    let own = all.suffix(all.count - ExportColumn.all().count)
    switch rows {
    case .reads: self.init(ExportColumn.standard + own, rows: rows)
    case .devices:
      let chosen = ExportColumn.ofDevices.compactMap { name in all.first { $0.name == name } }
      let rest = ExportColumn.standard.filter { column in
        !["id", "timestamp", "seen_before"].contains(column.name) && !chosen.contains { $0.name == column.name }
      }
      self.init(chosen + own + rest, rows: rows)
    }
  }

  /// Returns the same columns for other rows; nil if the rows do not have all of them.
  public func of(_ rows: ExportRows) -> ExportLayout? {
    guard columns.allSatisfy({ $0.rows.contains(rows) }) else { return nil }
    var layout = self
    layout.rows = rows
    return layout
  }

  /// Whether a column is a custom field.
  var hasCustomFields: Bool { columns.contains(where: \.isCustom) }

  /// The headings in order.
  var headers: [String] { columns.map(\.header) }
}

extension ExportLayout.Column {
  /// Creates a column with the given heading, or with its default one.
  init(_ column: ExportColumn, header: String? = nil) {
    self.init(
      header: header ?? column.label, width: column.width, holdsDigits: column.holdsDigits, rows: column.rows,
      isCustom: column.isCustom, value: column.value)
  }

  /// Creates a column with the same text in each row.
  init(header: String, text: String) {
    self.init(header: header, width: 18, holdsDigits: false, rows: [.reads, .devices]) { _ in
      text.isEmpty ? .nothing : .text(text)
    }
  }
}
