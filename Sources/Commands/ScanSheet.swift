import ArgumentParser
import Exports
import Foundation
import JobStore
import ScanModel
import Support

/// The spreadsheet of `scan --output`.
///
/// A CSV file gets a picture's rows when the picture has been read, in the order of the pictures, so that a kill loses
/// at most the pictures being read. A workbook can't be appended to and is written at the end.
final class ScanSheet {
  private enum Content {
    case rows(AppendedRows, PicturePlaces)
    case workbook
  }

  private let path: String
  private let content: Content
  /// The rows of a workbook so far.
  private var collected: [SavedSerial] = []
  private var lastNumber: Int

  /// Prepares the file; writes nothing.
  ///
  /// - Parameters:
  ///   - earlier: The rows that an earlier run wrote, before those of this one; nil to replace the file.
  ///   - pictures: The pictures that are read.
  init(path: String, _ format: SerialExport.Format, after earlier: EarlierRows?, reading pictures: [ScanInput.Picture])
  {
    self.path = path
    lastNumber = earlier?.lastNumber ?? 0
    switch format {
    case .csv:
      content = .rows(
        AppendedRows(path: path, after: earlier, reading: pictures.compactMap(\.path)), PicturePlaces(besides: path))
    case .xlsx: content = .workbook
    }
  }

  /// Adds a picture's rows. Ends the program with a message if that fails.
  func add(_ picture: ScanInput.Picture, _ result: Result<Reading, ReadFailure>) throws {
    switch content {
    case .rows(let file, let places):
      let rows = SavedSerial.rows(after: lastNumber, name: places.name(of: picture.name), result)
      try Self.orStop { () throws(ExportError) in try file.append(rows) }
      lastNumber += rows.count
    case .workbook:
      collected += SavedSerial.rows(after: collected.count, name: printable(picture.name), result)
    }
  }

  /// Writes a workbook. Leaves an existing file as it is if nothing was read. Ends the program with a message if writing
  /// fails.
  ///
  /// - Parameter remark: A sentence for the summary; nil if the run is complete.
  func finish(remark: String?) throws {
    guard case .workbook = content, !collected.isEmpty else { return }
    try Self.orStop { () throws(ExportError) in
      try SerialExport(format: .xlsx).replaceFile(at: path, with: collected, remark: remark)
    }
  }

  private static func orStop(_ write: () throws(ExportError) -> Void) throws {
    do {
      try write()
    } catch {
      throw CleanExit.failure(error.description)
    }
  }
}
