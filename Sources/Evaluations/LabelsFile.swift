import AppleSerial
import Exports
import Foundation
import ScanModel
import Support

/// The labels of a folder: the rows of its `labels.csv`.
public struct LabelsFile: Sendable, Equatable {
  /// One picture and its serial.
  public struct Label: Sendable, Equatable {
    /// The picture's path relative to the folder.
    public var filename: String
    /// The serial in upper case; empty if the picture shows none.
    public var serial: String
    /// The preset, if the file has such a column.
    public var preset: Preset?
  }

  /// The reasons for which a labelled folder is invalid.
  public enum Problem: Error, Equatable, CustomStringConvertible {
    /// There is no labels.csv.
    case missing(folder: String)
    /// The file is not a table or not text.
    case unreadable(folder: String, reason: String)
    /// The header lacks a column.
    case columnMissing(folder: String, column: String)
    /// No row has both a picture and a serial. `reason` says what the first row lacks, if there are rows.
    case empty(folder: String, reason: String?)

    /// The message.
    public var description: String {
      switch self {
      case .missing(let folder): "\(folder) has no labels.csv; one with the columns filename,serial is needed"
      case .unreadable(let folder, let reason): "\(folder)/labels.csv can't be read: \(reason)"
      case .columnMissing(let folder, let column):
        "\(folder)/labels.csv has no column \"\(column)\"; its first line must be a header with filename,serial"
      case .empty(let folder, let reason):
        "\(folder)/labels.csv has no row with a filename and a serial (which may be empty) below its header"
          + (reason.map { ": \($0)" } ?? "")
      }
    }
  }

  /// The rows, in the file's order.
  public private(set) var labels: [Label] = []
  /// The pictures that the rows name, including those whose rows contradict each other.
  public private(set) var filenames: Set<String> = []
  /// The warnings about the rows.
  public private(set) var warnings: [LabelWarning] = []

  /// The limits: bytes of a file, cells of a row (valid rows have two or three), and cells of all rows.
  private static let mostBytes = 16 << 20
  private static let mostCells = 64
  private static let mostCellsInAll = 2_000_000

  /// Reads `labels.csv` in a folder: UTF-8, or UTF-16 with a byte order mark; any line ends; quoted cells.
  public init(folder: URL) throws(Problem) {
    let name = folder.lastPathComponent
    let bytes: [UInt8]
    do throws(RegularFile.Problem) {
      bytes = try RegularFile.bytes(of: folder.appendingPathComponent("labels.csv").path, limit: Self.mostBytes)
    } catch {
      switch error {
      case .missing, .notRegular: throw .missing(folder: name)
      case .tooLarge(let limit): throw .unreadable(folder: name, reason: "it is larger than \(limit >> 20) MB")
      case .refused(let number): throw .unreadable(folder: name, reason: String(cString: strerror(number)))
      }
    }
    guard let text = DelimitedRows.text(of: bytes) else {
      throw .unreadable(folder: name, reason: "it is \(DelimitedRows.unknownEncoding)")
    }
    try self.init(text: text, folder: name)
  }

  /// Parses the text of a labels file; `folder` is for messages.
  public init(text: String, folder: String) throws(Problem) {
    let rows = try Self.rows(text, folder: folder)
    let header = (rows.first?.cells ?? []).map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    func column(_ name: String) throws(Problem) -> Int {
      guard let index = header.firstIndex(of: name) else { throw .columnMissing(folder: folder, column: name) }
      return index
    }
    let columns = Columns(
      filename: try column("filename"), serial: try column("serial"), preset: header.firstIndex(of: "preset"))
    var taking = LabelRows(columns: columns, folder: folder)
    for row in rows.dropFirst() { taking.add(row) }
    (labels, filenames, warnings) = (taking.finished, taking.filenames, taking.warnings.all)
    guard !labels.isEmpty else { throw .empty(folder: folder, reason: warnings.first?.detail) }
  }

  private static func rows(_ text: String, folder: String) throws(Problem) -> [DelimitedRows.Row] {
    do throws(DelimitedRows.Problem) {
      return try DelimitedRows.table(text, mostCells: mostCells, mostCellsInAll: mostCellsInAll)
    } catch {
      throw .unreadable(folder: folder, reason: error.sentence)
    }
  }

  /// The indices of the columns.
  fileprivate struct Columns {
    var filename: Int
    var serial: Int
    var preset: Int?
  }
}

/// Collects the labels of the rows.
private struct LabelRows {
  let columns: LabelsFile.Columns
  let folder: String
  var warnings = LabelWarnings()
  private var labels: [LabelsFile.Label?] = []
  private var places: [String: Int] = [:]

  init(columns: LabelsFile.Columns, folder: String) {
    (self.columns, self.folder) = (columns, folder)
  }

  /// The labels, without those that contradict each other.
  var finished: [LabelsFile.Label] { labels.compactMap(\.self) }
  /// The pictures of all labels.
  var filenames: Set<String> { Set(places.keys) }

  mutating func add(_ row: DelimitedRows.Row) {
    let place = "\(folder)/labels.csv, line \(row.line)"
    guard let filename = cell(columns.filename, of: row).map(Self.relative), !filename.isEmpty else {
      warnings.add(.incompleteRow, "\(place): the filename is missing")
      return
    }
    guard let written = cell(columns.serial, of: row) else {
      warnings.add(.incompleteRow, "\(place): the row has no cell for the serial. Does it use the header's delimiter?")
      return
    }
    let label = LabelsFile.Label(
      filename: filename, serial: serial(written, place),
      preset: preset(columns.preset.flatMap { cell($0, of: row) }, place))
    guard let earlier = places[filename] else {
      places[filename] = labels.count
      labels.append(label)
      return
    }
    if labels[earlier] == label {
      warnings.add(.duplicateRow, "\(place): \(filename) appears again, with the same label")
    } else {
      labels[earlier] = nil
      warnings.add(.contradictingRows, "\(place): \(filename) appears again with another label; the picture is ignored")
    }
  }

  /// Returns a path relative to the folder, normalized: `./a.jpg` becomes `a.jpg`, and Windows' `in\a.jpg` becomes
  /// `in/a.jpg`.
  private static func relative(_ written: String) -> String {
    let separators = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
    let parts = written.utf8.split(omittingEmptySubsequences: false, whereSeparator: separators.contains)
    return parts.filter { !$0.elementsEqual(".".utf8) }.map { String(Substring($0)) }.joined(separator: "/")
  }

  private func cell(_ index: Int, of row: DelimitedRows.Row) -> String? {
    row.cells.indices.contains(index) ? row.cells[index].trimmingCharacters(in: .whitespaces) : nil
  }

  private mutating func preset(_ cell: String?, _ place: String) -> Preset? {
    guard let cell, !cell.isEmpty else { return nil }
    let preset = Preset(rawValue: cell.lowercased())
    if preset == nil {
      let known = Preset.allCases.map(\.rawValue).joined(separator: ", ")
      warnings.add(.unknownPreset, "\(place): \(cell) is not a preset, and is ignored. The presets are \(known)")
    }
    return preset
  }

  private mutating func serial(_ cell: String, _ place: String) -> String {
    let plain = cell.uppercased()
    let entered = DelimitedText.code(enteredAs: cell)
    if let change = SpreadsheetChange(entered) {
      warnings.add(.impossibleLabel, "\(place): \(change.sentence)")
      return plain
    }
    guard let written = WrittenSerial(entered) else {
      if !plain.isEmpty {
        warnings.add(
          .impossibleLabel, "\(place): \(cell) is not a serial number. Leave the cell empty if the picture shows none")
      }
      return plain
    }
    if let proposal = written.proposal {
      warnings.add(.impossibleLabel, "\(place): \(cell) has a letter that serials never contain. Is it \(proposal)?")
    }
    if written.text != plain { warnings.add(.normalisedLabel, "\(place): \(cell) is read as \(written.text)") }
    return written.text
  }
}
