import Dispatch
import Foundation
import JobStore
import ScanModel

/// The reasons for which an export fails.
public enum ExportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The disk has too little free space.
  case diskFull
  /// The file could not be written.
  case failed(String)

  /// The message.
  public var description: String {
    switch self {
    case .diskFull: "There is too little free space on the disk for this file. Free some space."
    case .failed(let reason): "The export could not be written: \(reason)."
    }
  }
}

/// Exports saved serials or devices to a spreadsheet or a CSV file.
///
/// Rows are read and written in batches, so memory use does not depend on their number.
public struct SerialExport: Sendable {
  /// The file formats.
  public enum Format: String, Sendable, CaseIterable {
    /// An Office Open XML workbook.
    case xlsx
    /// CSV (RFC 4180) in UTF-8.
    case csv

    /// The value of the `Content-Type` header.
    public var mediaType: String {
      switch self {
      case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
      case .csv: "text/csv; charset=utf-8"
      }
    }
  }

  /// The separator of CSV cells.
  public enum Separator: String, Sendable, CaseIterable {
    /// The separator of RFC 4180.
    case comma = ","
    /// The separator of spreadsheets in locales with a decimal comma.
    case semicolon = ";"
  }

  /// The file format.
  public var format: Format
  /// The columns.
  public var layout = ExportLayout()
  /// The separator of cells in CSV; nil for the layout's.
  public var separator: Separator?
  /// The separator that is used.
  var cellSeparator: Separator { separator ?? layout.separator }
  /// Whether CSV contains all-digit serials as text formulas, so that spreadsheets keep their leading zeros.
  public var writesDigitsAsText = false
  /// The time zone of the filter's days, for the summary.
  public var timeZone: String
  /// The serials to export.
  public var filter: SerialFilter
  /// The devices to export; nil for those that match `filter`.
  public var devices: DeviceFilter?
  /// The names of models.
  package var models = ModelNames.shared
  /// The maximum number of rows of a sheet, including its header; further rows go to the next sheet.
  package var rowsPerSheet = SpreadsheetFile.mostRows

  /// Creates an export.
  public init(format: Format, filter: SerialFilter = SerialFilter(), timeZone: String = "UTC") {
    self.format = format
    self.filter = filter
    self.timeZone = timeZone
  }

  /// Returns a file name that contains the date in the time zone.
  public func fileName(at date: Date = Date()) -> String {
    let style = Date.ISO8601FormatStyle(timeZone: TimeZone(identifier: timeZone) ?? .gmt)
    return "\(layout.fileName)-\(date.formatted(style.year().month().day())).\(format.rawValue)"
  }

  /// Writes the saved serials that match the filter at `path`, oldest first, or their devices, as
  /// `write(_:toCheck:to:)` does.
  @discardableResult
  public func write(
    from store: some SerialStore & DeviceStore, toCheck jobs: (any JobListing)? = nil, to path: String
  ) async throws -> ExportFigures {
    switch layout.rows {
    case .reads:
      let devices = layout.hasCustomFields ? store : nil
      return try await write(SavedSerialRows(store, filter, customOf: devices, models: models), toCheck: jobs, to: path)
    case .devices:
      return try await write(
        DeviceRows(store, devices ?? DeviceFilter(filter), models: models), toCheck: jobs, to: path)
    }
  }

  /// Writes the file at `path`, or replaces it in one step. Runs on a separate thread, so that neither compression nor
  /// the disk delays other work. Leaves what was there if it fails or is cancelled. Throws `ExportError` and the store's
  /// errors.
  ///
  /// - Parameter jobs: The photos that need review, for a sheet of their own. Ignored if the layout has only rows.
  @discardableResult
  public func write(
    _ source: some ExportSource, toCheck jobs: (any JobListing)? = nil, to path: String
  ) async throws -> ExportFigures {
    let replacement = FileReplacement(of: FileReplacement.target(of: path))
    let executor = ReportExecutor()
    return try await withTaskExecutorPreference(executor) {
      do {
        // libxlsxwriter writes its own lines about a full disk to standard error.
        try checkRoom(at: path, for: 0)
        let figures =
          switch format {
          case .xlsx:
            try await writeSpreadsheet(
              source, toCheck: layout.holdsRowsAlone ? nil : jobs, to: replacement.temporary)
          case .csv: try await writeText(source, to: replacement.temporary)
          }
        try replacement.complete()
        return figures
      } catch {
        replacement.abandon()
        throw ExportError(refusing: path, error) ?? error
      }
    }
  }

  private func writeSpreadsheet(
    _ source: some ExportSource, toCheck jobs: (any JobListing)?, to path: String
  ) async throws -> ExportFigures {
    let file = try SpreadsheetFile(path: path, layout, rowsPerSheet: rowsPerSheet)
    var figures = ExportFigures()
    try await source.forEachBatch { batch in
      try checkRoom(at: path, for: batch.count)
      for row in batch {
        try file.append(row)
        figures.add(row)
      }
    }
    if let jobs { try await writeUnchecked(jobs, to: file, path: path) }
    // libxlsxwriter copies the rows once more while it closes, and does not report a full disk.
    try checkRoom(at: path, for: figures.rows)
    try file.finish(figures, filter: filter.sentence(timeZone: timeZone))
    return figures
  }

  /// Writes the photos that need review: first those with an unaccepted read, then those without a serial.
  private func writeUnchecked(_ jobs: any JobListing, to file: SpreadsheetFile, path: String) async throws {
    try file.beginCheckSheet()
    guard filter.admitsUnsaved else { return }
    for verdict in [Reading.Verdict.uncertain, .refused] {
      let unchecked = JobFilter(
        verdict: verdict, isConfirmed: false, isReviewed: false, keyID: filter.keyID, batchID: filter.batchID,
        from: filter.from, until: filter.until)
      var cursor: String?
      repeat {
        try Task.checkCancellation()
        let page = try await jobs.jobs(unchecked, limit: 500, cursor: cursor)
        try checkRoom(at: path, for: page.items.count)
        for job in page.items where filter.admits(deviceType: job.request.deviceType) {
          guard try file.append(toCheck: job) else { return }
        }
        cursor = page.nextCursor
      } while cursor != nil
    }
  }

  private func writeText(_ source: some ExportSource, to path: String) async throws -> ExportFigures {
    let url = URL(fileURLWithPath: path)
    try Data().write(to: url)
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    var figures = ExportFigures()
    try file.write(contentsOf: Data(DelimitedText.beginning(layout, cellSeparator).utf8))
    try await source.forEachBatch { batch in
      try checkRoom(at: path, for: batch.count)
      var text = ""
      for row in batch {
        text += DelimitedText.line(row, layout, cellSeparator, digitsAsText: writesDigitsAsText)
        figures.add(row)
      }
      try file.write(contentsOf: Data(text.utf8))
    }
    return figures
  }

  /// Bytes of a spreadsheet row before compression: 545 to 620 measured with 12-character serials.
  private static let bytesPerRow: Int64 = 700
  /// Bytes of the disk left free for others, mainly the database.
  static let reserve: Int64 = 64 << 20

  /// Throws `ExportError.diskFull` if the disk has too little room for a number of rows.
  ///
  /// - Parameter reserve: The bytes that must be left.
  func checkRoom(at path: String, for rows: Int, reserve: Int64 = SerialExport.reserve) throws(ExportError) {
    let folder = (path as NSString).deletingLastPathComponent
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.isEmpty ? "." : folder)
    guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else { return }
    guard free >= reserve + Int64(clamping: rows) * Self.bytesPerRow else { throw ExportError.diskFull }
  }
}

extension SerialFilter {
  /// Whether photos without a saved serial belong in an export with this filter.
  fileprivate var admitsUnsaved: Bool { (search ?? "").isEmpty && isValid == nil && source ?? .scan == .scan }

  fileprivate func admits(deviceType other: String?) -> Bool {
    deviceType.map { $0.lowercased() == other?.lowercased() } ?? true
  }

  /// Returns the filter as a sentence.
  func sentence(timeZone: String) -> String {
    let parts: [String?] = [
      from.map { "from \($0.ISO8601Format())" }, until.map { "before \($0.ISO8601Format())" },
      deviceType.map { "device type \($0)" }, source.map { "source \($0.rawValue)" },
      isValid.map { $0 ? "valid" : "invalid" }, search.map { "search \($0)" }, batchID.map { "batch \($0)" },
    ]
    let words = parts.compactMap(\.self)
    let zone = from == nil && until == nil || timeZone == "UTC" ? "" : " (days of \(timeZone))"
    return words.isEmpty ? "none" : words.joined(separator: ", ") + zone
  }
}

/// Runs the parts of one export on a dedicated thread instead of the few that serve requests.
private final class ReportExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "serialscan.report", qos: .utility)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
