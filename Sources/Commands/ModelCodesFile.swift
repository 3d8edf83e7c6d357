import AppleSerial
import ArgumentParser
import Exports
import Foundation
import JobStore
import Support

/// A file of configuration codes: rows of code and name, separated by commas, semicolons or tabs; the header is
/// optional.
struct ModelCodesFile {
  /// The codes, marked as imported.
  let codes: [ModelCode]

  private static let mostBytes = 16 << 20
  private static let mostRows = 100_000
  private static let mostCells = 64
  private static let longestName = 200
  /// The maximum number of invalid lines reported.
  private static let mostTold = 20

  /// Reads a file. If it is invalid, ends the program with a message and one line for each invalid row.
  init(at path: String) throws {
    let bytes: [UInt8]
    do throws(RegularFile.Problem) {
      bytes = try RegularFile.bytes(of: path, limit: Self.mostBytes)
    } catch {
      switch error {
      case .missing, .notRegular: throw CleanExit.failure("there is no file \(path)")
      case .tooLarge(let limit): throw CleanExit.failure("\(path) is larger than \(limit >> 20) MB")
      case .refused(let number):
        throw CleanExit.failure("\(path) can't be read: \(String(cString: strerror(number)))")
      }
    }
    let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    guard let text = isUTF16 ? String(bytes: bytes, encoding: .utf16) : String(validating: bytes, as: UTF8.self) else {
      throw CleanExit.failure("\(path) is neither UTF-8 nor UTF-16 with a byte order mark")
    }
    try self.init(text: text, name: path)
  }

  /// Parses the text of a file; `name` is for messages.
  init(text: String, name: String) throws {
    var bytes = Array(text.utf8)[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    var rows: ArraySlice<DelimitedRows.Row>
    do throws(DelimitedRows.Problem) {
      rows = try DelimitedRows(
        bytes, delimiter: Self.delimiter(of: bytes), mostCells: Self.mostCells,
        mostCellsInAll: 4 * Self.mostRows
      ).rows[...]
    } catch {
      let reason =
        switch error {
        case .tooManyCells(let line, let limit): "line \(line) has more than \(limit) cells"
        case .tooManyCellsInAll: "it has more than \(Self.mostRows) rows"
        case .unclosedQuote(let line): "the quote that opens on line \(line) never closes"
        }
      throw CleanExit.failure("\(name) can't be read: \(reason)")
    }
    if rows.first?.cells.first?.lowercased().hasPrefix("sep=") == true { rows = rows.dropFirst() }
    if let first = rows.first?.cells.first, Self.trimmed(first).lowercased() == "code" { rows = rows.dropFirst() }
    rows = rows.filter { $0.cells.contains { !Self.trimmed($0).isEmpty } }[...]
    guard !rows.isEmpty else { throw CleanExit.failure("\(name) has no row with a code and a name") }
    guard rows.count <= Self.mostRows else { throw CleanExit.failure("\(name) has more than \(Self.mostRows) rows") }
    var (codes, wrong): ([ModelCode], [String]) = ([], [])
    for row in rows {
      switch Self.code(in: row.cells) {
      case .success(let code): codes.append(code)
      case .failure(let problem): wrong.append("line \(row.line): \(problem.sentence)")
      }
    }
    guard wrong.isEmpty else {
      let more = wrong.count > Self.mostTold ? ["and \(wrong.count - Self.mostTold) more lines"] : []
      throw CleanExit.failure(
        "\(name) was not imported, because these lines are wrong:",
        details: wrong.prefix(Self.mostTold) + more)
    }
    self.codes = codes
  }

  /// An error in a row.
  private struct RowProblem: Error {
    var sentence: String
  }

  private static func code(in cells: [String]) -> Result<ModelCode, RowProblem> {
    let cells = cells.map(trimmed)
    guard cells.count >= 2, cells.dropFirst(2).allSatisfy(\.isEmpty) else {
      let hint = cells.count > 2 ? ": put a name that has the separator in it in quotes" : ""
      return .failure(
        RowProblem(sentence: "expected code,name, found \(counted(cells.count, "cell"))\(hint)")
      )
    }
    let code = cells[0].uppercased()
    if let letter = code.first(where: { "OI".contains($0) }) {
      return .failure(
        RowProblem(
          sentence: "\(cells[0]) has the letter \(letter), which no serial has; is it \(letter == "O" ? "0" : "1")?"))
    }
    guard (3...4).contains(code.utf8.count), code.utf8.allSatisfy(isOfSerials) else {
      return .failure(
        RowProblem(
          sentence: "the code must be the last 4 characters of a serial, or 3 of one with 11 (found \(cells[0]))"))
    }
    guard !cells[1].isEmpty else { return .failure(RowProblem(sentence: "the name of \(code) is missing")) }
    guard cells[1].count <= longestName,
      !cells[1].unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      return .failure(
        RowProblem(
          sentence: "the name of \(code) must have at most \(longestName) characters, and no control characters"))
    }
    return .success(ModelCode(code: code, model: cells[1], isImported: true))
  }

  private static func isOfSerials(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private static func trimmed(_ cell: String) -> String { cell.trimmingCharacters(in: .whitespaces) }

  /// Returns the separator after the first cell: that of a `sep=` line, otherwise the first comma, semicolon or tab.
  private static func delimiter(of bytes: ArraySlice<UInt8>) -> UInt8 {
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    if first.starts(with: "sep=".utf8) || first.starts(with: "Sep=".utf8), let sign = first.dropFirst(4).first {
      return sign
    }
    return first.first { ",;\t".utf8.contains($0) } ?? UInt8(ascii: ",")
  }
}
