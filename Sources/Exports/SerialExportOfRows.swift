import Foundation
import JobStore

extension SerialExport {
  /// Bytes of a workbook besides its rows, before compression and twice: libxlsxwriter writes them to temporary files
  /// first.
  private static let fixedBytes: Int64 = 128 << 10

  /// Replaces the file at `path` with the given rows in one step. Leaves the file as it is if that fails.
  ///
  /// - Parameters:
  ///   - remark: A sentence for the summary of a spreadsheet.
  ///   - mode: The file's permissions; nil for those of the file that is replaced, or the usual ones.
  public func replaceFile(
    at path: String, with rows: [SavedSerial], remark: String? = nil, mode: mode_t? = nil
  ) throws(ExportError) {
    let replacement = FileReplacement(of: FileReplacement.target(of: path))
    do {
      try write(rows, to: replacement.temporary, remark: remark)
      try replacement.complete(mode: mode)
    } catch {
      replacement.abandon()
      throw error
    }
  }

  /// Writes the given rows at `path` in their order, in the format of `write(from:toCheck:to:)`, and then leaves no file
  /// if that fails.
  ///
  /// - Parameter remark: A sentence for the summary of a spreadsheet.
  @discardableResult
  public func write(
    _ rows: [SavedSerial], to path: String, remark: String? = nil
  ) throws(ExportError) -> ExportFigures {
    var figures = ExportFigures()
    let rows = rows.map { ExportRow($0, models) }
    rows.forEach { figures.add($0) }
    // libxlsxwriter writes its own lines about a full disk to standard error.
    try checkRoom(at: path, for: 2 * rows.count, reserve: Self.fixedBytes)
    do {
      switch format {
      case .xlsx:
        let file = try SpreadsheetFile(path: path, layout, rowsPerSheet: rowsPerSheet)
        for row in rows { try file.append(row) }
        try file.finish(figures, filter: "none", remark: remark)
      case .csv:
        let text = rows.map { DelimitedText.line($0, layout, cellSeparator) }.joined()
        try Data((DelimitedText.beginning(layout, cellSeparator) + text).utf8)
          .write(to: URL(fileURLWithPath: path), options: .atomic)
      }
    } catch {
      throw ExportError(refusing: path, error) ?? .failed("\(path) can't be written")
    }
    return figures
  }
}
