import Foundation
import Support

/// The rows of a CSV file written by `AppendedRows`, to which more rows are added.
public struct EarlierRows: Sendable {
  /// A row with its bytes in the file.
  private struct Row {
    var place: String
    /// The bytes, with a line end.
    var line: [UInt8]
    /// Whether the picture could not be read, so that it is tried again.
    var isUnreadable: Bool
  }

  private static let mostBytes = 1 << 30

  /// The number of rows.
  public var count: Int { rows.count }
  /// The highest number of a row; 0 if there are no rows.
  public let lastNumber: Int

  private let places: PicturePlaces
  /// The header line's bytes.
  private let header: [UInt8]
  private let rows: [Row]
  private let done: Set<String>

  /// Reads a file. Leaves out a last row that a kill or a full disk cut off. Throws `ExportError` if the columns are not
  /// those of a CSV export.
  public init(csvAt path: String) throws(ExportError) {
    let content: ArraySlice<UInt8>
    let found: [DelimitedRows.Row]
    var isCut: Bool
    do {
      let bytes = try RegularFile.bytes(of: path, limit: Self.mostBytes)
      content = bytes.dropFirst(bytes.starts(with: DelimitedText.byteOrderMark.utf8) ? 3 : 0)
      let parsed = try DelimitedRows(
        content, delimiter: UInt8(ascii: ","), mostCells: 64, mostCellsInAll: .max,
        acceptsOpenQuote: true)
      (found, isCut) = (parsed.rows, parsed.endsInQuotes)
    } catch {
      throw .failed("\(printable(path)) can't be read as CSV")
    }
    let headers = ExportLayout().headers
    guard found.isEmpty || found.first?.cells == headers else {
      throw .failed("\(printable(path)) has other columns")
    }
    if let last = found.last, !isCut {
      // A row without its line end is complete only if it has all cells and the last one can't continue.
      let hasEnd = content.last == UInt8(ascii: "\n") || content.last == UInt8(ascii: "\r")
      isCut = !hasEnd && (last.cells.count < headers.count || last.cells.last != "")
    }
    func line(_ row: DelimitedRows.Row) -> [UInt8] { Self.ended(content.dropFirst(row.offset).prefix(row.size)) }
    var places = PicturePlaces(besides: path)
    let column = { (name: String) in ExportColumn.standard.firstIndex { $0.name == name } ?? 0 }
    let (number, file, serial, preset) = (column("id"), column("filename"), column("serial"), column("preset"))
    var rows: [Row] = []
    var lastNumber = 0
    for row in found.dropFirst().dropLast(isCut && found.count > 1 ? 1 : 0) {
      func cell(_ column: Int) -> String { row.cells.indices.contains(column) ? row.cells[column] : "" }
      if let number = Int(cell(number)) { lastNumber = max(lastNumber, number) }
      rows.append(
        Row(
          place: places.place(ofRow: cell(file)), line: line(row),
          isUnreadable: cell(serial).isEmpty && cell(preset).isEmpty))
    }
    // An empty file is as good as none.
    header =
      found.first.map { Array(DelimitedText.byteOrderMark.utf8) + line($0) }
      ?? Array(DelimitedText.beginning(ExportLayout(), .comma).utf8)
    done = Set(rows.lazy.filter { !$0.isUnreadable }.map(\.place))
    (self.places, self.rows, self.lastNumber) = (places, rows, lastNumber)
  }

  /// Whether a picture was read, whatever path leads to it. Pictures that could not be read are tried again.
  public func contains(_ path: String) -> Bool { done.contains(places.place(of: path)) }

  /// Returns the file's bytes without the rows of pictures that are tried again, and with all line ends.
  ///
  /// - Parameter paths: The pictures that are read now.
  func start(reading paths: some Sequence<String>) -> [UInt8] {
    let again = Set(paths.map(places.place(of:)))
    return rows.lazy.filter { !$0.isUnreadable || !again.contains($0.place) }.reduce(into: header) { $0 += $1.line }
  }

  private static func ended(_ line: ArraySlice<UInt8>) -> [UInt8] {
    switch line.last {
    case UInt8(ascii: "\n"): Array(line)
    case UInt8(ascii: "\r"): Array(line) + "\n".utf8
    default: Array(line) + "\r\n".utf8
    }
  }
}

/// The places of pictures that are named in a CSV file: absolute paths that are the same for all names of a picture.
///
/// A link to a picture is a picture of its own; links to its folder are resolved.
public struct PicturePlaces: Sendable {
  private let sheetFolder: String
  private let currentFolder = FileManager.default.currentDirectoryPath
  private var folders: [String: String] = [:]

  /// Creates the places for a file, beside which relative names may begin.
  ///
  /// - Parameter path: The CSV file.
  public init(besides path: String) { sheetFolder = Self.folder(of: Self.absolute(path, in: currentFolder)) }

  /// Returns the place of a picture named on the command line, as it is printed.
  func place(of name: String) -> String {
    let path = Self.absolute(name, in: currentFolder)
    return printable(Self.resolved(Self.folder(of: path)) + "/" + (path as NSString).lastPathComponent)
  }

  /// Returns the place of a picture named in a row. A relative name begins in the file's folder; if no such picture
  /// exists, in the current folder, from which earlier versions began.
  mutating func place(ofRow cell: String) -> String {
    let name = DelimitedText.original(ofHarmless: cell)
    let place = place(of: name, in: sheetFolder)
    return name.hasPrefix("/") || FileManager.default.fileExists(atPath: place)
      ? place : self.place(of: name, in: currentFolder)
  }

  /// Returns the name of a picture for the file: as typed if it leads to the picture from the file's folder too,
  /// otherwise the absolute path.
  public func name(of typed: String) -> String {
    let place = place(of: typed)
    let besides = Self.absolute(typed, in: sheetFolder)
    let isSame = place == self.place(of: besides) || !FileManager.default.fileExists(atPath: typed)
    return isSame ? printable(typed) : place
  }

  private mutating func place(of name: String, in base: String) -> String {
    let path = Self.absolute(name, in: base)
    let folder = Self.folder(of: path)
    let resolved = folders[folder] ?? Self.resolved(folder)
    folders[folder] = resolved
    return printable(resolved + "/" + (path as NSString).lastPathComponent)
  }

  private static func absolute(_ name: String, in folder: String) -> String {
    name.hasPrefix("/") ? name : folder + "/" + name
  }

  private static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }

  /// Resolves a folder's links; only `.` and `..` if it does not exist.
  private static func resolved(_ folder: String) -> String {
    guard let path = realpath(folder, nil) else { return URL(fileURLWithPath: folder).standardizedFileURL.path }
    defer { free(path) }
    // The root's path must not end in a second slash.
    let text = String(cString: path)
    return text == "/" ? "" : text
  }
}
