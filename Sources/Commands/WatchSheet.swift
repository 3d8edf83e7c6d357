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
    let url = URL(fileURLWithPath: path)
    let new = url.deletingLastPathComponent().appendingPathComponent(".serialscan-\(url.lastPathComponent)").path
    do {
      try SerialExport(format: format).write(rows, to: new)
    } catch {
      unlink(new)
      throw WatchProblem(.surroundings, "\(path) could not be written: \(error). Retrying.")
    }
    chmod(new, 0o666 & ~mask)
    guard rename(new, path) == 0 else {
      let problem = WatchProblem.system("the spreadsheet could not be written", path)
      unlink(new)
      throw problem
    }
    WatchPoint.watchSheetWritten.reached()
  }
}
