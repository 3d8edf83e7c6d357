import Foundation
import Support

/// The rows of a delimited text (RFC 4180), each with its first line. Quoted cells may contain delimiters, line ends
/// and doubled quotes.
package struct DelimitedRows {
  /// One row.
  package struct Row: Equatable {
    /// The row's first line, counted from 1.
    package var line: Int
    /// The cells, without their quotes.
    package var cells: [String]
    /// The position of the row's first byte in the text.
    package var offset = 0
    /// The number of the row's bytes, with its line end and empty lines that follow.
    package var size = 0
  }

  /// The reasons for which a text is rejected.
  package enum Problem: Error, Equatable {
    /// The row that begins on this line has too many cells.
    case tooManyCells(line: Int, limit: Int)
    /// All rows together have too many cells.
    case tooManyCellsInAll(limit: Int)
    /// A quote opens on this line and is never closed.
    case unclosedQuote(line: Int)
  }

  /// The rows that are not empty.
  package private(set) var rows: [Row] = []
  /// Whether the text ends inside a quoted cell.
  package private(set) var endsInQuotes = false
  /// The bytes examined, as a measure of work.
  package private(set) var steps = 0

  private let mostCells: Int
  private let mostCellsInAll: Int
  private var row = Row(line: 1, cells: [])
  private var cell: [UInt8] = []
  private var line = 1
  private var cells = 0

  /// Parses a text.
  ///
  /// - Parameters:
  ///   - delimiter: The byte between two cells.
  ///   - mostCells: The maximum number of cells in a row.
  ///   - mostCellsInAll: The maximum number of cells in all rows.
  ///   - acceptsOpenQuote: Whether the text may end inside a quoted cell, as one that was cut off.
  package init(
    _ text: some Sequence<UInt8>, delimiter: UInt8, mostCells: Int, mostCellsInAll: Int, acceptsOpenQuote: Bool = false
  ) throws(Problem) {
    (self.mostCells, self.mostCellsInAll) = (mostCells, mostCellsInAll)
    var (isQuoted, mayClose, wasReturn) = (false, false, false)
    var quoteLine = 0
    for byte in text {
      steps += 1
      let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      // Of CR LF, the CR has already ended the line.
      let isSecondOfTwo = wasReturn && byte == UInt8(ascii: "\n")
      wasReturn = byte == UInt8(ascii: "\r")
      if isQuoted {
        if isLineEnd, !isSecondOfTwo { line += 1 }
        if mayClose {
          mayClose = false
          if byte == UInt8(ascii: "\"") {
            cell.append(byte)
            continue
          }
          isQuoted = false
          if isLineEnd { line -= 1 }
        } else if byte == UInt8(ascii: "\"") {
          mayClose = true
          continue
        } else {
          cell.append(byte)
          continue
        }
      }
      if byte == delimiter {
        try endCell()
      } else if isLineEnd {
        if isSecondOfTwo { row.offset = steps } else { try endRow() }
      } else if byte == UInt8(ascii: "\""), cell.isEmpty {
        (isQuoted, quoteLine) = (true, line)
      } else {
        cell.append(byte)
      }
    }
    endsInQuotes = isQuoted && !mayClose
    if endsInQuotes, !acceptsOpenQuote { throw .unclosedQuote(line: quoteLine) }
    try endRow()
    for index in rows.indices {
      let end = rows.indices.contains(index + 1) ? rows[index + 1].offset : steps
      rows[index].size = end - rows[index].offset
    }
  }

  private mutating func endCell() throws(Problem) {
    cells += 1
    guard row.cells.count < mostCells else { throw .tooManyCells(line: row.line, limit: mostCells) }
    guard cells <= mostCellsInAll else { throw .tooManyCellsInAll(limit: mostCellsInAll) }
    row.cells.append(String(decoding: cell, as: UTF8.self))
    cell.removeAll(keepingCapacity: true)
  }

  private mutating func endRow() throws(Problem) {
    if !row.cells.isEmpty || !cell.isEmpty {
      try endCell()
      rows.append(row)
    }
    line += 1
    row = Row(line: line, cells: [], offset: steps)
  }
}

extension DelimitedRows {
  /// Decodes a file: UTF-8, or UTF-16 with a byte order mark; nil if it is neither.
  package static func text(of bytes: [UInt8]) -> String? {
    let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    return isUTF16 ? String(bytes: bytes, encoding: .utf16) : String(validating: bytes, as: UTF8.self)
  }

  /// Parses a table with a header as spreadsheets write it: with or without a byte order mark, separated by what its
  /// first line `sep=` or its header says.
  ///
  /// - Returns: The rows with a cell that is not blank, the header first.
  package static func table(_ text: String, mostCells: Int, mostCellsInAll: Int) throws(Problem) -> [Row] {
    var bytes = Array(text.utf8)[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    let rows = try DelimitedRows(
      bytes, delimiter: delimiter(of: bytes), mostCells: mostCells, mostCellsInAll: mostCellsInAll
    ).rows
    let namesDelimiter = rows.first?.cells.first?.lowercased().hasPrefix("sep=") == true
    return rows.dropFirst(namesDelimiter ? 1 : 0).filter { $0.cells.contains { !$0.trimmed.isEmpty } }
  }

  /// Why `text(of:)` returns nil, and what to do.
  package static let unknownEncoding =
    "neither UTF-8 nor UTF-16 with a byte order mark. From a spreadsheet program, save it as “CSV UTF-8”"

  /// Returns the column separator: that of a first line `sep=`, which spreadsheets write; otherwise the first comma,
  /// semicolon or tab outside quotes in the first line that is not empty.
  private static func delimiter(of bytes: ArraySlice<UInt8>) -> UInt8 {
    let isLineEnd = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    let first = bytes.drop(while: isLineEnd).prefix { !isLineEnd($0) }
    if first.starts(with: "sep=".utf8) || first.starts(with: "Sep=".utf8), let sign = first.dropFirst(4).first {
      return sign
    }
    var isQuoted = false
    let sign = first.first { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return !isQuoted && ",;\t".utf8.contains(byte)
    }
    return sign ?? UInt8(ascii: ",")
  }
}

extension DelimitedRows.Problem {
  /// The problem as a sentence without its end.
  package var sentence: String {
    switch self {
    case .tooManyCells(let line, let limit): "line \(line) has more than \(limit) cells"
    case .tooManyCellsInAll(let limit): "it has more than \(limit) cells"
    case .unclosedQuote(let line): "the quote that opens on line \(line) never closes"
    }
  }
}
