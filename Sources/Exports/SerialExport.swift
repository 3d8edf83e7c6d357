import Dispatch
import Foundation
import JobStore
import ScanModel

/// Why an export was not made.
public enum ExportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is too little room for it on the disk.
  case diskFull
  /// The file could not be written.
  case failed(String)

  /// A sentence for a person.
  public var description: String {
    switch self {
    case .diskFull: "There is too little free space on the disk for the export."
    case .failed(let reason): "The export could not be written: \(reason)."
    }
  }
}

/// Writes saved serials into a file: a spreadsheet, or CSV.
///
/// A million rows take no more memory than a few thousand: they are read and written in batches.
public struct SerialExport: Sendable {
  /// The kinds of file.
  public enum Format: String, Sendable, CaseIterable {
    /// Office Open XML.
    case xlsx
    /// RFC 4180 in UTF-8.
    case csv

    /// For the header `Content-Type`.
    public var mediaType: String {
      switch self {
      case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
      case .csv: "text/csv; charset=utf-8"
      }
    }
  }

  /// What stands between two cells of CSV.
  public enum Separator: String, Sendable, CaseIterable {
    /// As RFC 4180 has it.
    case comma = ","
    /// As spreadsheets write it where the comma is in numbers.
    case semicolon = ";"
  }

  /// The kind of file.
  public var format: Format
  /// What stands between two cells, where it is CSV.
  public var separator = Separator.comma
  /// Whether a serial of digits alone is written as a formula of a text in CSV, which keeps its zeros in a spreadsheet.
  public var writesDigitsAsText = false
  /// The zone in which days of the filter were taken, for the summary.
  public var timeZone: String
  /// Which serials are wanted.
  public var filter: SerialFilter
  /// Rows of one sheet, its header among them; further ones go onto a next sheet.
  package var rowsPerSheet = SpreadsheetFile.mostRows

  /// Describes an export.
  public init(format: Format, filter: SerialFilter = SerialFilter(), timeZone: String = "UTC") {
    self.format = format
    self.filter = filter
    self.timeZone = timeZone
  }

  /// A file name for people, with the day.
  public func fileName(at date: Date = Date()) -> String {
    "serials-\(date.ISO8601Format().prefix(10)).\(format.rawValue)"
  }

  /// Writes the file at `path`, oldest serial first, on a thread of its own: neither the compression nor the disk
  /// holds up other work. Where it fails or is cancelled, no file is left. Throws `ExportError` and what the store
  /// throws.
  @discardableResult
  public func write(
    from store: some SerialStore, toCheck jobs: (any JobListing)? = nil, to path: String
  ) async throws -> ExportFigures {
    let executor = ReportExecutor()
    return try await withTaskExecutorPreference(executor) {
      do {
        switch format {
        case .xlsx: return try await writeSpreadsheet(from: store, toCheck: jobs, to: path)
        case .csv: return try await writeText(from: store, to: path)
        }
      } catch {
        try? FileManager.default.removeItem(atPath: path)
        throw error
      }
    }
  }

  private func writeSpreadsheet(
    from store: some SerialStore, toCheck jobs: (any JobListing)?, to path: String
  ) async throws -> ExportFigures {
    let file = try SpreadsheetFile(path: path, rowsPerSheet: rowsPerSheet)
    var figures = ExportFigures()
    try await store.forEachBatch(of: filter) { batch in
      try checkRoom(at: path, for: batch.count)
      for serial in batch {
        try file.append(serial)
        figures.add(serial)
      }
    }
    if let jobs { try await writeUnchecked(jobs, to: file, path: path) }
    // The library copies the rows once more while it closes, and does not notice when the disk is full.
    try checkRoom(at: path, for: figures.rows)
    try file.finish(figures, filter: filter.sentence(timeZone: timeZone))
    return figures
  }

  /// The photos that wait for a person's word: those read without certainty, then those without a serial.
  private func writeUnchecked(_ jobs: any JobListing, to file: SpreadsheetFile, path: String) async throws {
    try file.beginCheckSheet()
    for verdict in [Reading.Verdict.uncertain, .refused] {
      var cursor: String?
      repeat {
        try Task.checkCancellation()
        let page = try await jobs.jobs(JobFilter(verdict: verdict, isConfirmed: false), limit: 500, cursor: cursor)
        try checkRoom(at: path, for: page.items.count)
        for job in page.items where filter.admits(job) {
          guard try file.append(toCheck: job) else { return }
        }
        cursor = page.nextCursor
      } while cursor != nil
    }
  }

  private func writeText(from store: some SerialStore, to path: String) async throws -> ExportFigures {
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
    else { throw ExportError.failed("\(path) can't be created") }
    defer { try? file.close() }
    var figures = ExportFigures()
    try file.write(contentsOf: Data((DelimitedText.byteOrderMark + DelimitedText.serialHeader(separator)).utf8))
    try await store.forEachBatch(of: filter) { batch in
      try checkRoom(at: path, for: batch.count)
      var text = ""
      for serial in batch {
        text += DelimitedText.line(serial, separator, digitsAsText: writesDigitsAsText)
        figures.add(serial)
      }
      try file.write(contentsOf: Data(text.utf8))
    }
    return figures
  }

  /// Bytes that a row of a spreadsheet takes before it is compressed: 545 to 620 measured with 12-character serials.
  private static let bytesPerRow: Int64 = 700
  /// Bytes that are left to the others on the disk, the database first of all.
  private static let reserve: Int64 = 64 << 20

  private func checkRoom(at path: String, for rows: Int) throws {
    let folder = (path as NSString).deletingLastPathComponent
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.isEmpty ? "." : folder)
    guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else { return }
    guard free >= Self.reserve + Int64(clamping: rows) * Self.bytesPerRow else { throw ExportError.diskFull }
  }
}

extension SerialFilter {
  /// Whether a photo without a saved serial belongs into an export of this filter.
  fileprivate func admits(_ job: Job) -> Bool {
    guard search?.isEmpty ?? true, isValid == nil, source ?? .scan == .scan else { return false }
    if let deviceType, job.request.deviceType?.lowercased() != deviceType.lowercased() { return false }
    if let from, job.createdAt < from { return false }
    return until.map { job.createdAt < $0 } ?? true
  }

  /// The filter in words.
  func sentence(timeZone: String) -> String {
    let parts: [String?] = [
      from.map { "from \($0.ISO8601Format())" }, until.map { "before \($0.ISO8601Format())" },
      deviceType.map { "device type \($0)" }, source.map { "source \($0.rawValue)" },
      isValid.map { $0 ? "valid" : "invalid" }, search.map { "search \($0)" },
    ]
    let words = parts.compactMap(\.self)
    let zone = from == nil && until == nil || timeZone == "UTC" ? "" : " (days of \(timeZone))"
    return words.isEmpty ? "none" : words.joined(separator: ", ") + zone
  }
}

/// Runs the parts of one export on a thread that is not one of the few that answer requests.
private final class ReportExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "serialscan.report", qos: .utility)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
