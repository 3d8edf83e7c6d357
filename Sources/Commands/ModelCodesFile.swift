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
      case .missing: throw CleanExit.failure("there is no file \(path)")
      case .notRegular: throw CleanExit.failure("\(path) is not a file. Name a CSV file")
      case .tooLarge(let limit): throw CleanExit.failure("\(path) is larger than \(limit >> 20) MB")
      case .refused(let number):
        throw CleanExit.failure("\(path) can't be read: \(String(cString: strerror(number)))")
      }
    }
    guard let text = DelimitedRows.text(of: bytes) else {
      throw CleanExit.failure("\(path) is \(DelimitedRows.unknownEncoding)")
    }
    try self.init(text: text, name: path)
  }

  /// Parses the text of a file; `name` is for messages.
  init(text: String, name: String) throws {
    var rows: ArraySlice<DelimitedRows.Row>
    do throws(DelimitedRows.Problem) {
      rows = try DelimitedRows.table(text, mostCells: Self.mostCells, mostCellsInAll: 4 * Self.mostRows)[...]
    } catch {
      throw CleanExit.failure("\(name) can't be read: \(error.sentence)")
    }
    if let first = rows.first?.cells.first, Self.trimmed(first).lowercased() == "code" { rows = rows.dropFirst() }
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
    let entered = DelimitedText.code(enteredAs: cells[0])
    if let change = SpreadsheetChange(entered) { return .failure(RowProblem(sentence: "the code: \(change.sentence)")) }
    let code = entered.uppercased()
    guard (3...4).contains(code.utf8.count), code.utf8.allSatisfy(isLetterOrDigit) else {
      return .failure(
        RowProblem(
          sentence: "the code must be the last 4 characters of a serial, or 3 of one with 11 (found \(cells[0]))"))
    }
    if let letter = code.first(where: { "OI".contains($0) }) {
      return .failure(
        RowProblem(
          sentence: "\(cells[0]) has the letter \(letter), which no serial has; is it \(letter == "O" ? "0" : "1")?"))
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

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private static func trimmed(_ cell: String) -> String { cell.trimmingCharacters(in: .whitespaces) }
}
