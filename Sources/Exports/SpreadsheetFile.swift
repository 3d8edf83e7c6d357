import CXLSXWriter
import Foundation
import JobStore

/// Writes a workbook row by row; written rows are kept in a temporary file, not in memory. The only
/// type that uses libxlsxwriter's pointers. Use it from one task at a time.
final class SpreadsheetFile {
  /// The maximum number of rows of a sheet, including its header (Excel's limit).
  static let mostRows = 1_048_576

  private let workbook: UnsafeMutablePointer<lxw_workbook>
  private let header: UnsafeMutablePointer<lxw_format>?
  private let time: UnsafeMutablePointer<lxw_format>?
  private let fraction: UnsafeMutablePointer<lxw_format>?
  private let path: String
  private let layout: ExportLayout
  private let rowsPerSheet: Int
  private var sheet: UnsafeMutablePointer<lxw_worksheet>?
  private var sheets = 0
  private var row: lxw_row_t = 0
  private var isClosed = false
  private var checkSheet: UnsafeMutablePointer<lxw_worksheet>?
  private var checkRow: lxw_row_t = 0

  /// Creates a workbook at `path`, with temporary files in the same folder. Throws `ExportError` and Foundation's errors.
  init(path: String, _ layout: ExportLayout, rowsPerSheet: Int = SpreadsheetFile.mostRows) throws {
    self.path = path
    self.layout = layout
    self.rowsPerSheet = rowsPerSheet
    try Data().write(to: URL(fileURLWithPath: path))
    let folder = strdup((path as NSString).deletingLastPathComponent)
    defer { free(folder) }
    var options = lxw_workbook_options()
    options.constant_memory = 1
    options.tmpdir = folder
    guard let workbook = workbook_new_opt(path, &options) else { throw ExportError.failed("it can't be created") }
    self.workbook = workbook
    header = workbook_add_format(workbook)
    format_set_bold(header)
    time = workbook_add_format(workbook)
    format_set_num_format(time, "yyyy-mm-dd hh:mm:ss")
    fraction = workbook_add_format(workbook)
    format_set_num_format(fraction, "0.000")
    try addSheet()
  }

  deinit {
    // Close an abandoned workbook too, or its memory and temporary files would leak.
    if !isClosed {
      workbook_close(workbook)
      unlink(path)
    }
  }

  /// Adds a row.
  func append(_ exported: ExportRow) throws {
    if Int(clamping: row) == rowsPerSheet {
      finishSheet()
      try addSheet()
    }
    for (index, column) in layout.columns.enumerated() {
      try write(column.value(exported), at: lxw_col_t(index), to: sheet, row: row)
    }
    row += 1
  }

  /// Starts the sheet of photos that need review. Add no more serials after it.
  func beginCheckSheet() throws {
    finishSheet()
    checkSheet = workbook_add_worksheet(workbook, "Needs review")
    guard checkSheet != nil else { throw ExportError.failed("no sheet can be added") }
    worksheet_freeze_panes(checkSheet, 1, 0)
    for (index, column) in CheckColumn.allCases.enumerated() {
      worksheet_set_column(checkSheet, lxw_col_t(index), lxw_col_t(index), column.width, nil)
      try check(worksheet_write_string(checkSheet, 0, lxw_col_t(index), column.rawValue, header))
    }
    checkRow = 1
  }

  /// Adds a photo that needs review; false if the sheet is full.
  func append(toCheck job: Job) throws -> Bool {
    guard Int(clamping: checkRow) < rowsPerSheet else { return false }
    for (index, column) in CheckColumn.allCases.enumerated() {
      try write(column.value(of: job), at: lxw_col_t(index), to: checkSheet, row: checkRow)
    }
    checkRow += 1
    return true
  }

  /// Adds the summary, unless the layout has only rows, and closes the workbook. Throws `ExportError`.
  func finish(_ figures: ExportFigures, filter: String, remark: String? = nil) throws {
    if checkSheet == nil {
      finishSheet()
    } else {
      worksheet_autofilter(checkSheet, 0, 0, max(1, checkRow - 1), lxw_col_t(CheckColumn.allCases.count - 1))
    }
    if !layout.holdsRowsAlone { try addSummary(figures, filter: filter, remark: remark) }
    isClosed = true
    let result = workbook_close(workbook)
    guard result == LXW_NO_ERROR else {
      unlink(path)
      throw ExportError(result)
    }
  }

  private func addSheet() throws {
    sheets += 1
    sheet = workbook_add_worksheet(workbook, sheets == 1 ? layout.sheetName : "\(layout.sheetName) \(sheets)")
    guard sheet != nil else { throw ExportError.failed("no sheet can be added") }
    worksheet_freeze_panes(sheet, 1, 0)
    for (index, column) in layout.columns.enumerated() {
      worksheet_set_column(sheet, lxw_col_t(index), lxw_col_t(index), column.width, nil)
      try check(worksheet_write_string(sheet, 0, lxw_col_t(index), Self.cellText(column.header), header))
    }
    row = 1
  }

  private func finishSheet() {
    worksheet_autofilter(sheet, 0, 0, max(1, row - 1), lxw_col_t(layout.columns.count - 1))
  }

  private func addSummary(_ figures: ExportFigures, filter: String, remark: String?) throws {
    guard let summary = workbook_add_worksheet(workbook, "Summary") else {
      throw ExportError.failed("no sheet can be added")
    }
    worksheet_set_column(summary, 0, 0, 32, nil)
    worksheet_set_column(summary, 1, 1, 24, nil)
    worksheet_freeze_panes(summary, 1, 0)
    var row: lxw_row_t = 0
    func line(_ name: String, _ value: ExportColumn.Value, isHeading: Bool = false) throws {
      try check(worksheet_write_string(summary, row, 0, Self.cellText(name), isHeading ? header : nil))
      try write(value, at: 1, to: summary, row: row)
      row += 1
    }
    func group(_ name: String, _ counts: [String?: Int], others: Int = 0) throws {
      row += 1
      try line(name, .nothing, isHeading: true)
      // In parentheses, because a device type may be named "none" or "other".
      for (key, count) in counts.sorted(by: { ($1.value, $0.key ?? "") < ($0.value, $1.key ?? "") }) {
        try line(key ?? "(not specified)", .integer(Int64(clamping: count)))
      }
      if others > 0 { try line("(other)", .integer(Int64(clamping: others))) }
    }
    try line("Summary", .nothing, isHeading: true)
    try line("Created (UTC)", .time(Date()))
    try line("Filter", .text(filter))
    if let remark { try line("Remark", .text(remark)) }
    try line(layout.rows == .reads ? "Serials" : "Devices", .integer(Int64(clamping: figures.serials)))
    let without = figures.rows - figures.serials - figures.unreadable
    if without > 0 { try line("Photos without a serial", .integer(Int64(clamping: without))) }
    if figures.unreadable > 0 { try line("Unreadable photos", .integer(Int64(clamping: figures.unreadable))) }
    try line("Valid", .integer(Int64(clamping: figures.valid)))
    try line("Invalid", .integer(Int64(clamping: figures.serials - figures.valid)))
    try line("Mean confidence", figures.meanConfidence.map { .real($0) } ?? .nothing)
    try line("First (UTC)", figures.first.map { .time($0) } ?? .nothing)
    try line("Last (UTC)", figures.last.map { .time($0) } ?? .nothing)
    try group("By source", figures.bySource)
    try group("By preset", figures.byPreset)
    try group("By device type", figures.byDeviceType, others: figures.ofOtherDeviceTypes)
  }

  /// Writes a cell. Text is always written as text, so it can't become a formula.
  private func write(
    _ value: ExportColumn.Value, at column: lxw_col_t, to sheet: UnsafeMutablePointer<lxw_worksheet>?, row: lxw_row_t
  ) throws {
    switch value {
    case .integer(let number): try check(worksheet_write_number(sheet, row, column, Double(number), nil))
    case .real(let number): try check(worksheet_write_number(sheet, row, column, number, fraction))
    case .time(let date): try check(worksheet_write_number(sheet, row, column, Self.serialDate(date), time))
    case .boolean(let boolean): try check(worksheet_write_boolean(sheet, row, column, boolean ? 1 : 0, nil))
    case .text(let text): try check(worksheet_write_string(sheet, row, column, Self.cellText(text), nil))
    case .nothing: break
    }
  }

  private func check(_ result: lxw_error) throws {
    guard result == LXW_NO_ERROR else { throw ExportError(result) }
  }

  /// The last second of the year 9999, Excel's latest date.
  private static let mostDays = 2_958_465.999_98

  /// Returns the days since 1899-12-30, rounded down to whole seconds; 1970 begins at 25569 (ECMA-376, "Date System").
  /// Earlier times become 0.
  private static func serialDate(_ date: Date) -> Double {
    min(mostDays, max(0, date.timeIntervalSince1970.rounded(.down) / 86_400 + 25_569))
  }

  /// The maximum length of a cell in UTF-16 units (Excel's limit).
  private static let mostCellUnits = 32_767

  /// Returns text without characters that XML can't represent, cut to the maximum length of a cell.
  private static func cellText(_ text: String) -> String {
    // Most names of photos have an underscore, and no escape.
    let mayEscape =
      text.utf8.contains(UInt8(ascii: "_"))
      && zip(text.utf8, text.utf8.dropFirst()).contains { $0 == UInt8(ascii: "_") && $1 == UInt8(ascii: "x") }
    let isPlain =
      !mayEscape && text.utf8.count <= mostCellUnits && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    if isPlain { return text }
    // Spreadsheets read `_x1080_`, as in a file's name, as a character (ECMA-376, "ST_Xstring").
    let escaped = mayEscape ? text.replacing(#/_(?=x[0-9A-Fa-f]{4}_)/#, with: "_x005F_") : text
    var scalars = String.UnicodeScalarView()
    var units = 0
    for scalar in escaped.unicodeScalars where isWritable(scalar) {
      units += UTF16.width(scalar)
      guard units <= mostCellUnits else { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }

  /// Whether XML 1.0 allows a character.
  private static func isWritable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case 0..<0x20, 0xFFFE, 0xFFFF: false
    default: true
    }
  }
}

extension ExportError {
  fileprivate init(_ error: lxw_error) {
    // The library's sentences end with full stops.
    self = .failed(String(String(cString: lxw_strerror(error)).reversed().drop { $0 == "." }.reversed()))
  }
}
