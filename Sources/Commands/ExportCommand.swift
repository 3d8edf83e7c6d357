import ArgumentParser
import Evaluations
import Exports
import Foundation
import JobStore
import Support

/// `serialscan export FILE`: exports saved serials to a spreadsheet, like `GET /export`.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Export saved serials to a spreadsheet.",
    discussion: """
      The server may keep running. The file's extension selects the format: .xlsx or .csv.

      Examples:
        serialscan export serials.xlsx --data ./data
        serialscan export november.csv --date-from 2026-11-01 --date-to 2026-11-30 --source scan
      """)

  @Argument(help: "The file to write.", completion: .file(extensions: ["xlsx", "csv"]))
  var file: String

  @Option(help: "First day, YYYY-MM-DD (UTC).")
  var dateFrom: String?

  @Option(help: "Last day, YYYY-MM-DD (UTC).")
  var dateTo: String?

  @Option(help: "Only this device type.")
  var deviceType: String?

  @Option(help: "Only this source: \(SerialSource.allCases.map(\.rawValue).joined(separator: ", ")).")
  var source: SerialSource?

  @Option(
    help: "Only serials with a valid or an invalid format: valid or invalid.",
    completion: .list(["valid", "invalid"]))
  var validationStatus: String?

  @OptionGroup var options: StoreOptions

  func validate() throws {
    guard format != nil else {
      throw ValidationError("the file must end in .xlsx or .csv, not \"\(printable(file))\"")
    }
    if let status = validationStatus, !["valid", "invalid"].contains(status) {
      throw ValidationError("--validation-status is valid or invalid, not \"\(printable(status))\"")
    }
    let (from, last) = (
      try dateFrom.map { try Self.day($0, "--date-from") }, try dateTo.map { try Self.day($0, "--date-to") }
    )
    if let from, let last, from > last { throw ValidationError("--date-from must not be after --date-to") }
  }

  private var format: SerialExport.Format? {
    SerialExport.Format(rawValue: URL(fileURLWithPath: file).pathExtension.lowercased())
  }

  func run() async throws {
    guard let format else { return }
    let from = try dateFrom.map { try Self.day($0, "--date-from") }
    let last = try dateTo.map { try Self.day($0, "--date-to") }
    let filter = SerialFilter(
      deviceType: deviceType, source: source, isValid: validationStatus.map { $0 == "valid" }, from: from,
      until: last?.addingTimeInterval(86_400))
    do {
      let store = try options.openStore()
      let figures = try await SerialExport(format: format, filter: filter).write(from: store, toCheck: store, to: file)
      print("wrote \(figures.rows) serials to \(printable(file))")
    } catch let error as ExportError {
      throw CleanExit.failure(error.description)
    }
  }

  private static func day(_ text: String, _ flag: String) throws -> Date {
    let strategy = Date.ISO8601FormatStyle().year().month().day()
    guard text.wholeMatch(of: #/\d{4}-\d{2}-\d{2}/#) != nil, let day = try? strategy.parse(text) else {
      throw ValidationError("\(flag) wants a day as YYYY-MM-DD, not \"\(printable(text))\"")
    }
    return day
  }
}

extension SerialSource: ExpressibleByArgument {}
