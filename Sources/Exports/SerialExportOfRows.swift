import Foundation
import JobStore

extension SerialExport {
  /// Writes the given rows at `path` in their order, in the format of `write(from:toCheck:to:)`. Throws `ExportError`
  /// and then leaves no file.
  ///
  /// - Parameters:
  ///   - earlier: The rows of an existing CSV, written before these.
  ///   - remark: A sentence for the summary of a spreadsheet.
  @discardableResult
  public func write(
    _ rows: [SavedSerial], to path: String, after earlier: EarlierRows? = nil, remark: String? = nil
  ) throws -> ExportFigures {
    var figures = ExportFigures()
    let rows = rows.map { ExportRow($0, models) }
    rows.forEach { figures.add($0) }
    switch format {
    case .xlsx:
      let file = try SpreadsheetFile(path: path, layout, rowsPerSheet: rowsPerSheet)
      for row in rows { try file.append(row) }
      try file.finish(figures, filter: "none", remark: remark)
    case .csv:
      let start = earlier.map(\.bytes) ?? Array(DelimitedText.beginning(layout, cellSeparator).utf8)
      let text = rows.map { DelimitedText.line($0, layout, cellSeparator) }.joined()
      do {
        try Data(start + text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
      } catch {
        throw ExportError.failed("\(path) can't be written")
      }
    }
    return figures
  }
}
