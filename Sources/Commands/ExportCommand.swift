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
        serialscan export pallet.csv --batch ID --separator ';' --digits-as-text
      """)

  @Argument(help: "The file to write.", completion: .file(extensions: ["xlsx", "csv"]), transform: notEmpty)
  var file: String

  @Option(
    help: "First day, YYYY-MM-DD, in the time zone --tz, or a time such as 2026-01-31T12:00:00+01:00 (RFC 3339).")
  var dateFrom: String?

  @Option(help: "Last day, or the RFC 3339 time before which the reads are.")
  var dateTo: String?

  @Option(help: "The time zone of days, such as Europe/Berlin (default: UTC).")
  var tz: String?

  @Option(help: "Only those that contain this: in the serial, the device type, the file name or a custom value.")
  var search: String?

  @Option(help: "Only those of the batch with this id.")
  var batch: String?

  @Option(help: "Only this device type.")
  var deviceType: String?

  @Option(help: "Only this source: \(SerialSource.allCases.map(\.rawValue).joined(separator: ", ")).")
  var source: SerialSource?

  @Option(
    help: "Only serials with a valid or an invalid format: valid or invalid.",
    completion: .list(["valid", "invalid"]))
  var validationStatus: String?

  @Option(help: "Only devices of this status; with --rows devices.")
  var status: Device.Status?

  @Option(help: "Only devices with this value of a custom field, as NAME=VALUE; with --rows devices. Can be repeated.")
  var custom: [String] = []

  @Option(
    help:
      "A row for each read or for each device: reads or devices (default: as the template defines, otherwise reads).")
  var rows: ExportRows?

  @Option(help: "The columns in order, separated by commas; export_columns of GET /config has their names.")
  var columns: String?

  @Option(
    help: "The layout that another program imports: snipe-it, glpi, jamf, plain, or a template of export.templates.")
  var template: String?

  @Option(
    help:
      "For CSV: the separator of cells, a comma or a semicolon (default: as the template defines, otherwise a comma).",
    completion: .list([",", ";"]))
  var separator: SerialExport.Separator?

  @Flag(help: "For CSV: write serials of digits only as =\"0012345678\", so that a spreadsheet keeps their zeros.")
  var digitsAsText = false

  @OptionGroup var options: StoreOptions

  func validate() throws {
    guard format != nil else {
      throw ValidationError("the file must end in .xlsx or .csv (got \"\(printable(file))\")")
    }
  }

  private var format: SerialExport.Format? {
    SerialExport.Format(rawValue: URL(fileURLWithPath: file).pathExtension.lowercased())
  }

  func run() async throws {
    guard let format else { return }
    let settings = try options.load()
    let parameters = ExportParameters(
      choices: ExportChoices(templates: settings.export.templates, custom: settings.fields.custom.map(\.name)),
      fields: settings.fields.custom)
    do {
      var export = try parameters.export(try texts(format, settings.fields.custom.map(\.name)))
      try OutputFile.check(file)
      let store = try options.openStore()
      try await store.require(batch: export.filter.batchID)
      export.models = ModelNames.shared.adding(try await store.modelCodes())
      let figures = try await export.write(from: store, toCheck: store, to: file)
      let rows = counted(figures.rows, export.layout.rows == .reads ? "serial" : "device")
      try StandardOutput.shared.print("wrote \(rows) to \(printable(file))")
    } catch let error as APIError where error.code == .invalidParameter {
      // The API's sentence begins with the parameter's name, or says `rows=devices`.
      throw ValidationError(
        error.detail.replacing(#/^`([a-z_]+)`/#) { "--\($0.1.replacing("_", with: "-"))" }
          .replacing(#/`rows=([a-z]+)`/#) { "--rows \($0.1)" })
    } catch let error as APIError {
      throw CleanExit.failure(error.detail)
    } catch let error as ExportError {
      throw CleanExit.failure(error.description)
    }
  }

  /// Returns the options as parameters of `GET /export`.
  ///
  /// - Parameter fields: The names of the custom fields.
  private func texts(_ format: SerialExport.Format, _ fields: [String]) throws -> [String: String] {
    var texts = [
      "format": format.rawValue, "date_from": dateFrom, "date_to": dateTo, "tz": tz, "search": search, "batch": batch,
      "device_type": deviceType, "source": source?.rawValue, "validation_status": validationStatus,
      "status": status?.rawValue, "rows": rows?.rawValue, "columns": columns, "template": template,
      "separator": separator?.rawValue, "digits_as_text": digitsAsText ? "true" : nil,
    ].compactMapValues(\.self)
    for value in custom {
      guard let sign = value.firstIndex(of: "=") else {
        throw ValidationError("--custom must be NAME=VALUE (got \"\(printable(value))\")")
      }
      guard fields.contains(String(value[..<sign])) else {
        let known = fields.isEmpty ? "no field" : fields.joined(separator: ", ")
        throw ValidationError("--custom \(printable(value)) names no custom field: fields.custom has \(known)")
      }
      texts["custom.\(value[..<sign])"] = String(value[value.index(after: sign)...])
    }
    return texts
  }
}

extension SerialSource: ExpressibleByArgument {}
extension ExportRows: ExpressibleByArgument {}
extension Device.Status: ExpressibleByArgument {}
extension SerialExport.Separator: ExpressibleByArgument {}
