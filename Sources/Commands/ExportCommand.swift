import ArgumentParser
import Evaluations
import Exports
import Foundation
import HTTPAPI
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
        serialscan export november.csv --date-from 2026-11-01 --date-to 2026-11-30
        serialscan export assets.csv --template snipe-it
        serialscan export list.csv --rows devices --columns serial,times_seen
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

  @Option(
    help:
      "A row for each read or for each device: reads or devices (default: as the template defines, otherwise reads).")
  var rows: ExportRows?

  @Option(help: "The columns in order, separated by commas; export_columns of GET /config has their names.")
  var columns: String?

  @Option(
    help: "The layout that another program imports: snipe-it, glpi, jamf, plain, or a template of export.templates.")
  var template: String?

  @OptionGroup var options: StoreOptions

  func validate() throws {
    guard format != nil else {
      throw ValidationError("the file must end in .xlsx or .csv (got \"\(printable(file))\")")
    }
    if let status = validationStatus, !["valid", "invalid"].contains(status) {
      throw ValidationError("--validation-status must be valid or invalid (got \"\(printable(status))\")")
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
      var export = SerialExport(format: format, filter: filter)
      let names = columns.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
      let settings = try options.load()
      let choices = ExportChoices(templates: settings.export.templates, custom: settings.fields.custom.map(\.name))
      export.layout = try choices.layout(columns: names, template: template, rows: rows)
      try OutputFile.check(file)
      let store = try options.openStore()
      export.models = ModelNames.shared.adding(try await store.modelCodes())
      let figures = try await export.write(from: store, toCheck: store, to: file)
      let things = export.layout.rows == .reads ? "serials" : "devices"
      try StandardOutput.shared.print("wrote \(figures.rows) \(things) to \(printable(file))")
    } catch let problem as ExportChoices.Problem {
      throw ValidationError(problem.description)
    } catch let error as ExportError {
      throw CleanExit.failure(error.description)
    }
  }

  private static func day(_ text: String, _ flag: String) throws -> Date {
    guard let day = CalendarDay(text) else {
      throw ValidationError("\(flag) must be a day as YYYY-MM-DD (got \"\(printable(text))\")")
    }
    return day.start
  }
}

extension SerialSource: ExpressibleByArgument {}
extension ExportRows: ExpressibleByArgument {}
