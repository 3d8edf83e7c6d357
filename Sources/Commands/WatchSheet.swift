import Exports
import Foundation
import JobStore
import Support

/// The spreadsheet of a watch.
struct WatchSheet: Sendable {
  /// The file.
  var path: String
  /// The file's format.
  var format: SerialExport.Format

  /// Writes the spreadsheet to replace the previous one, which stays intact until then.
  ///
  /// - Parameter mask: The permission bits to remove from the file.
  func write(_ rows: [SavedSerial], mask: mode_t) throws(WatchProblem) {
    do throws(ExportError) {
      try SerialExport(format: format).replaceFile(at: path, with: rows, mode: 0o666 & ~mask)
    } catch {
      throw WatchProblem(.surroundings, "\(path) could not be written: \(error) Retrying.")
    }
    WatchPoint.watchSheetWritten.reached()
  }
}
