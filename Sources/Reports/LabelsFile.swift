import Foundation
import ReaderProtocol
import SwiftCSV

/// A labelled folder: the rows of its `labels.csv`.
public struct LabelsFile: Sendable, Equatable {
  /// One picture and what stands on it.
  public struct Label: Sendable, Equatable {
    /// The picture's path relative to the folder.
    public var filename: String
    /// The serial in upper case; empty where the picture shows none.
    public var serial: String
    /// The preset, where the file has such a column.
    public var preset: Preset?
  }

  /// What is wrong with a labelled folder.
  public enum Problem: Error, Equatable, CustomStringConvertible {
    /// There is no labels.csv.
    case missing(folder: String)
    /// It is no CSV, or not UTF-8.
    case unreadable(folder: String, reason: String)
    /// The header lacks a column.
    case columnMissing(folder: String, column: String)

    /// A sentence for a person.
    public var description: String {
      switch self {
      case .missing(let folder): "\(folder) has no labels.csv; one with the columns filename,serial is needed"
      case .unreadable(let folder, let reason): "\(folder)/labels.csv can't be read: \(reason)"
      case .columnMissing(let folder, let column):
        "\(folder)/labels.csv has no column \"\(column)\"; its first line must be a header with filename,serial"
      }
    }
  }

  /// The rows, in the file's order.
  public var labels: [Label]

  /// Bytes of the largest file, fields of the longest row, of which a row has two or three, and fields of all rows.
  private static let mostBytes = 16 << 20
  private static let mostFields = 64
  private static let mostCells = 2_000_000

  /// Reads `labels.csv` in a folder: UTF-8 with or without a byte order mark, any line ends, quoted fields.
  public init(folder: URL) throws(Problem) {
    let name = folder.lastPathComponent
    let path = folder.appendingPathComponent("labels.csv").path
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    // Whoever opened a pipe would wait for its other end.
    guard attributes?[.type] as? FileAttributeType == .typeRegular else { throw .missing(folder: name) }
    guard attributes?[.size] as? Int ?? 0 <= Self.mostBytes, let data = FileManager.default.contents(atPath: path)
    else {
      throw .unreadable(folder: name, reason: "it is larger than \(Self.mostBytes >> 20) MB, or may not be read")
    }
    guard var text = String(data: data, encoding: .utf8) else {
      throw .unreadable(folder: name, reason: "it is not UTF-8")
    }
    if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
    try self.init(text: text, folder: name)
  }

  /// The sign between columns: a semicolon where the header has one and no comma, as spreadsheets of many countries write.
  private static func delimiter(of text: String) -> CSVDelimiter {
    let header = text.prefix { !$0.isNewline }
    return header.contains(";") && !header.contains(",") ? .semicolon : .comma
  }

  /// Takes the text of a labels file; `folder` is for messages.
  public init(text: String, folder: String) throws(Problem) {
    let delimiter = Self.delimiter(of: text)
    let size = TableSize(of: text, delimiter: delimiter.rawValue)
    guard size.longestRow <= Self.mostFields else {
      throw .unreadable(folder: folder, reason: "a row has more than \(Self.mostFields) fields")
    }
    guard size.rows.multipliedReportingOverflow(by: size.longestRow).partialValue <= Self.mostCells else {
      throw .unreadable(folder: folder, reason: "it has more than \(Self.mostCells) fields")
    }
    let rows: [[String]]
    do {
      rows = try EnumeratedCSV(string: text, delimiter: delimiter, loadColumns: false).table
    } catch {
      throw .unreadable(folder: folder, reason: "\(error)")
    }
    let header = (rows.first ?? []).map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    func column(_ name: String) throws(Problem) -> Int {
      guard let index = header.firstIndex(of: name) else { throw .columnMissing(folder: folder, column: name) }
      return index
    }
    let filename = try column("filename")
    let serial = try column("serial")
    let preset = header.firstIndex(of: "preset")
    labels = rows.dropFirst().compactMap { row in
      let field = { (index: Int?) -> String in
        guard let index, index < row.count else { return "" }
        return row[index].trimmingCharacters(in: .whitespaces)
      }
      guard !field(filename).isEmpty else { return nil }
      return Label(
        filename: field(filename), serial: field(serial).uppercased(), preset: Preset(rawValue: field(preset)))
    }
  }
}

extension EnumeratedCSV {
  /// All rows with the header as the first.
  fileprivate var table: [[String]] { [header] + rows }
}
