import Foundation
import Support

/// The rows of a CSV file written by `SerialExport.write(_:to:)`, to which more rows are added.
public struct EarlierRows: Sendable {
  private static let mostBytes = 1 << 30

  /// The number of rows.
  public let count: Int
  /// The bytes of the file, which end with a line end.
  let bytes: [UInt8]
  private let names: Set<String>

  /// Reads a file. Throws `ExportError` if its columns are not those of a CSV export.
  public init(csvAt path: String) throws(ExportError) {
    var bytes: [UInt8]
    let rows: [DelimitedRows.Row]
    do {
      bytes = try RegularFile.bytes(of: path, limit: Self.mostBytes)
      let text = bytes.starts(with: DelimitedText.byteOrderMark.utf8) ? bytes.dropFirst(3) : bytes[...]
      rows = try DelimitedRows(text, delimiter: UInt8(ascii: ","), mostCells: 64, mostCellsInAll: .max).rows
    } catch {
      throw .failed("\(printable(path)) can't be read as CSV")
    }
    guard rows.first?.cells == ExportLayout().headers else {
      throw .failed("\(printable(path)) has other columns")
    }
    if bytes.last != UInt8(ascii: "\n") { bytes += Array("\r\n".utf8) }
    self.bytes = bytes
    count = rows.count - 1
    let column = ExportColumn.standard.firstIndex { $0.name == "filename" } ?? 0
    names = Set(rows.dropFirst().compactMap { $0.cells.indices.contains(column) ? $0.cells[column] : nil })
  }

  /// The highest number of a row.
  public var lastNumber: Int { count }

  /// Returns the bytes that come before the rows of pictures that are read now.
  func start(reading paths: some Sequence<String>) -> [UInt8] { bytes }

  /// Whether a picture has a row.
  public func contains(_ name: String) -> Bool { names.contains(DelimitedText.harmless(printable(name))) }
}
