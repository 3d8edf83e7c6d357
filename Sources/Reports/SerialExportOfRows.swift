import Foundation
import JobStore

extension SerialExport {
  /// Writes these rows at `path`, in their order, as `write(from:toCheck:to:)` writes those of a store. Throws
  /// `ExportError`; no file is left then.
  @discardableResult
  public func write(_ rows: [SavedSerial], to path: String) throws -> ExportFigures {
    var figures = ExportFigures()
    rows.forEach { figures.add($0) }
    switch format {
    case .xlsx:
      let file = try SpreadsheetFile(path: path, rowsPerSheet: rowsPerSheet)
      for row in rows { try file.append(row) }
      try file.finish(figures, filter: "none")
    case .csv:
      let text =
        DelimitedText.byteOrderMark + DelimitedText.serialHeader(separator)
        + rows.map { DelimitedText.line($0, separator) }.joined()
      do {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
      } catch {
        throw ExportError.failed("\(path) can't be written")
      }
    }
    return figures
  }
}
