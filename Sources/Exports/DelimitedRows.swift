/// The rows of a delimited text (RFC 4180), each with its first line. Quoted cells may contain delimiters, line ends
/// and doubled quotes.
package struct DelimitedRows {
  /// One row.
  package struct Row: Equatable {
    /// The row's first line, counted from 1.
    package var line: Int
    /// The cells, without their quotes.
    package var cells: [String]
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
  package init(
    _ text: some Sequence<UInt8>, delimiter: UInt8, mostCells: Int, mostCellsInAll: Int
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
        if !isSecondOfTwo { try endRow() }
      } else if byte == UInt8(ascii: "\""), cell.isEmpty {
        (isQuoted, quoteLine) = (true, line)
      } else {
        cell.append(byte)
      }
    }
    if isQuoted, !mayClose { throw .unclosedQuote(line: quoteLine) }
    try endRow()
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
    row = Row(line: line, cells: [])
  }
}
