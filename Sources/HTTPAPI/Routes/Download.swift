import BlobFiles
import Evaluations
import Exports
import Foundation
import HTTPTypes
import Hummingbird
import JobStore
import Settings

/// `GET /export`: the saved serials or devices as a spreadsheet.
///
/// The file is written to a folder for exports and unlinked as soon as it is open, so it disappears once it is sent.
struct Download: Sendable {
  let store: any ServerStore
  let folder: String
  let choices: ExportChoices
  let fields: [CustomField]
  let codes: StoreCodes

  var endpoint: Endpoint {
    Endpoint(
      .get, "/export", "ExportSavedSerials", "Export saved serials",
      "A spreadsheet or CSV: a row for each read, or for each device, with the columns that the request or a template names.",
      topic: .serials, access: .read,
      parameters: SerialFilter.parameters + DeviceFilter.furtherParameters(fields) + [
        Self.format, Self.rows, Self.columns, Self.template, Self.separator, Self.digitsAsText,
      ],
      answers: [.content(.file(SerialExport.Format.xlsx.mediaType), .text("text/csv"))],
      errors: [.batchNotFound, .storageFull],
      handler: answer)
  }

  private static let format = Parameter<SerialExport.Format?>.choice("format", "Default: `xlsx`.")
  private static let rows = Parameter<ExportRows?>.choice(
    "rows", "Default: as the template defines, otherwise `reads`.")
  private static let columns = Parameter<[String]?>(
    "columns", "The columns in order, separated by commas: names of `export_columns` of `/config`."
  ) { _ in
    Schema.text.with(.longest(longestColumns))
  } parse: { text in
    guard let text, !text.isEmpty else { return nil }
    try ClientText.check(text, named: "columns", limit: longestColumns)
    return text.pieces(between: ",", omittingEmpty: false).map(\.trimmed)
  }
  private static let longestColumns = 4000
  private static let template = Parameter<String?>.text(
    "template", limit: 100,
    "The columns and headings that another program imports: a name of `export_templates` of `/config`.")
  private static let separator = Parameter<SerialExport.Separator?>(
    "separator",
    "Of CSV: the separator of cells. Default: as the template defines, otherwise a comma. With a semicolon, numbers have a "
      + "decimal comma."
  ) { _ in
    Schema(["type": "string", "enum": .array(SerialExport.Separator.allCases.map { .text($0.rawValue) })])
  } parse: { text in
    guard let text, !text.isEmpty else { return nil }
    guard let known = SerialExport.Separator(rawValue: text) else {
      throw APIError.invalidParameter("separator", "must be a comma, or a semicolon (%3B)")
    }
    return known
  }
  private static let digitsAsText = Parameter<Bool?>.flag(
    "digits_as_text",
    "Of CSV: writes a serial of digits only as =\"0012345678\", so that a spreadsheet keeps its zeros.")

  /// Returns the requested export. Throws if the query is invalid.
  private func export(_ request: Request) async throws -> SerialExport {
    let query = Query(request)
    let format = try query[Self.format] ?? .xlsx
    let range = try TimeRange(query)
    var export = SerialExport(format: format, filter: try SerialFilter(query, range), timeZone: range.tz)
    export.writesDigitsAsText = try query[Self.digitsAsText] ?? false
    export.separator = try query[Self.separator]
    let names = try query[Self.columns]
    let (template, rows) = (try query[Self.template], try query[Self.rows])
    do {
      export.layout = try await FileThreads.run { [choices] in
        try choices.layout(columns: names, template: template, rows: rows)
      }
    } catch let problem as ExportChoices.Problem {
      let nearest = problem.unknown.flatMap { Spelling.nearest(to: $0, among: problem.known) }
      throw APIError(.invalidParameter, problem.description + (nearest.map { " Did you mean `\($0)`?" } ?? ""))
    }
    let devices = try DeviceFilter(query, range, fields)
    if export.layout.rows == .devices {
      export.devices = devices
    } else if devices.status != nil || !devices.custom.isEmpty {
      throw APIError(.invalidParameter, "`status` and `custom.NAME` filter devices: they need `rows=devices`.")
    }
    export.models = await codes.modelNames()
    return export
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let export = try await export(request)
    try await store.require(batch: export.filter.batchID)
    let path = "\(folder)/export-\(UUID().uuidString.lowercased()).\(export.format.rawValue)"
    try await FileThreads.run { [folder] in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    do {
      try await context.whileConnected { [store] in
        let serials: any SerialStore & DeviceStore = store
        _ = try await export.write(from: serials, toCheck: store, to: path)
      }
      guard let file = try await FileAnswer(path: path) else { throw APIError.storageUnavailable }
      await Self.remove(path)
      var response = file.response(contentType: export.format.mediaType, downloadName: export.fileName())
      if let name = HTTPField.Name("X-Time-Zone") { response.headers[name] = export.timeZone }
      return response
    } catch {
      await Self.remove(path)
      throw error
    }
  }

  private static func remove(_ path: String) async {
    _ = try? await FileThreads.run { unlink(path) }
  }
}
