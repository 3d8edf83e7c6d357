import Foundation
import JobStore
import Support

/// Comma-separated values (RFC 4180) that are safe to open in a spreadsheet.
package enum DelimitedText {
  /// The byte order mark by which Excel recognizes UTF-8.
  static let byteOrderMark = "\u{FEFF}"

  /// Returns a line of cells.
  package static func line(_ cells: [String], _ separator: SerialExport.Separator = .comma) -> String {
    cells.map { quoted($0, separator) }.joined(separator: separator.rawValue) + "\r\n"
  }

  /// Returns text that no spreadsheet parses as a formula: inserts an apostrophe where it would begin one (OWASP, "CSV
  /// Injection"), also behind a character that separates cells if the file is opened with another separator than its
  /// own. There, quotation marks around the cell do not help: they count only at the beginning of what that separator
  /// makes a cell.
  package static func harmless(_ text: String) -> String {
    // Hardly any of an export's many cells needs one, so that only such a cell is copied.
    var previous: UInt8?
    for byte in text.utf8 {
      if beginsFormula(byte, after: previous) { return guarded(text) }
      previous = byte
    }
    return text
  }

  private static func guarded(_ text: String) -> String {
    var guarded: [UInt8] = []
    for byte in text.utf8 {
      if beginsFormula(byte, after: guarded.last) { guarded.append(UInt8(ascii: "'")) }
      guarded.append(byte)
    }
    return String(decoding: guarded, as: UTF8.self)
  }

  /// Characters that separate cells in some file.
  private static let separators = Set(",;\t\r\n".utf8)

  /// Whether a byte of UTF-8 would begin a formula behind another one, or at the beginning of a cell.
  private static func beginsFormula(_ byte: UInt8, after previous: UInt8?) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"):
      previous.map(separators.contains) ?? true
    case UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): previous == nil
    default: false
    }
  }

  /// Returns the value of a cell: without what keeps a spreadsheet from taking it for a formula or for a number, such as
  /// `="0012"`.
  package static func value(ofCell cell: String) -> String {
    if cell.hasPrefix("=\""), cell.hasSuffix("\""), cell.utf8.count > 3 {
      let text = cell.dropFirst(2).dropLast()
      if !text.utf8.contains(UInt8(ascii: "\"")) { return String(text) }
    }
    return original(ofHarmless: cell)
  }

  private static func isDigits(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// Returns the text from which `harmless` made a cell.
  static func original(ofHarmless cell: String) -> String {
    let bytes = Array(cell.utf8)
    var original: [UInt8] = []
    for (byte, next) in zip(bytes, bytes.dropFirst().map(Optional.some) + [nil]) {
      let isGuard = byte == UInt8(ascii: "'") && next.map { beginsFormula($0, after: original.last) } == true
      if !isGuard { original.append(byte) }
    }
    let text = String(decoding: original, as: UTF8.self)
    return harmless(text) == cell ? text : cell
  }

  private static func quoted(_ cell: String, _ separator: SerialExport.Separator) -> String {
    let mustBeQuoted = cell.utf8.contains { byte in
      separator.rawValue.utf8.contains(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\r")
        || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
    }
    guard mustBeQuoted else { return cell }
    return "\"" + cell.replacing("\"", with: "\"\"") + "\""
  }
}

extension DelimitedText {
  /// Returns the beginning of an export: the byte order mark, unless the layout has none, and the header line.
  static func beginning(_ layout: ExportLayout, _ separator: SerialExport.Separator) -> String {
    (layout.hasByteOrderMark ? byteOrderMark : "") + line(layout.headers.map(harmless), separator)
  }

  /// Returns a row of an export.
  static func line(
    _ row: ExportRow, _ layout: ExportLayout, _ separator: SerialExport.Separator, digitsAsText: Bool = false
  ) -> String {
    line(
      layout.columns.map { column in
        let value = column.value(row)
        guard digitsAsText, column.holdsDigits, case .text(let text) = value, isDigits(text) else {
          return cell(value, separator)
        }
        return "=\"\(text)\""
      }, separator)
  }

  private static func cell(_ value: ExportColumn.Value, _ separator: SerialExport.Separator) -> String {
    switch value {
    case .integer(let number): "\(number)"
    // With semicolons between cells, the decimal separator is a comma.
    case .real(let number):
      "\(number.rounded(toPlaces: 3))".replacing(".", with: separator == .semicolon ? "," : ".")
    case .time(let time): spreadsheetTime(time)
    case .boolean(let boolean): boolean ? "TRUE" : "FALSE"
    case .text(let text): harmless(text)
    case .nothing: ""
    }
  }

  /// Returns a UTC time in the form that spreadsheets recognize, without a time zone.
  private static func spreadsheetTime(_ time: Date) -> String {
    let days = (time.timeIntervalSince1970 / 86_400).rounded(.down)
    let seconds = Int(exactly: (time.timeIntervalSince1970 - days * 86_400).rounded(.down)) ?? 0
    // Clamped to a million years, so that the calendar arithmetic can't overflow.
    let (year, month, day) = civilDate(daysSince1970: Int(exactly: min(max(days, -365_000_000), 365_000_000)) ?? 0)
    return String(
      format: "%04d-%02d-%02d %02d:%02d:%02d", year, month, day, seconds / 3600, seconds / 60 % 60, seconds % 60)
  }

  /// Returns the Gregorian date of a day (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms",
  /// `civil_from_days`). A `Calendar` takes a hundred times as long per row.
  static func civilDate(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
