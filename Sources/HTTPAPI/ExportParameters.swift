import Exports
import Foundation
import JobStore
import Settings
import Support

/// The parameters of `GET /export`, which are the options of `serialscan export` too.
package struct ExportParameters: Sendable {
  private let choices: ExportChoices
  private let fields: [CustomField]

  /// Creates the parameters.
  ///
  /// - Parameters:
  ///   - choices: The columns and templates.
  ///   - fields: The custom fields, whose values filter devices.
  package init(choices: ExportChoices, fields: [CustomField]) { (self.choices, self.fields) = (choices, fields) }

  /// The parameters of the endpoint.
  var declared: [any DeclaredParameter] {
    SerialFilter.parameters + DeviceFilter.furtherParameters(fields) + [
      Self.format, Self.rows, Self.columns, Self.template, Self.separator, Self.digitsAsText,
    ]
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
    "For CSV: the separator of cells. Default: as the template defines, otherwise a comma. With a semicolon, numbers have a "
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
    "For CSV: writes a serial of digits only as =\"0012345678\", so that a spreadsheet keeps its zeros.")

  /// Returns the export that texts of declared parameters describe, with the names of the program's own models. Throws
  /// `APIError` if one is invalid. Blocks for the disk if a template is named.
  package func export(_ texts: [String: String]) throws -> SerialExport {
    try export(Query(texts))
  }

  /// Returns the export that a query describes, as `export(_:)` does for texts.
  func export(_ query: Query) throws -> SerialExport {
    let format = try query[Self.format] ?? .xlsx
    let range = try TimeRange(query)
    var export = SerialExport(format: format, filter: try SerialFilter(query, range), timeZone: range.tz)
    export.writesDigitsAsText = try query[Self.digitsAsText] ?? false
    export.separator = try query[Self.separator]
    let names = try query[Self.columns]
    let (template, rows) = (try query[Self.template], try query[Self.rows])
    do throws(ExportChoices.Problem) {
      export.layout = try choices.layout(columns: names, template: template, rows: rows)
    } catch {
      let advice = error.unknown.map { Spelling.advice(for: $0, among: error.known) } ?? ""
      throw APIError(.invalidParameter, error.description + advice)
    }
    let devices = try DeviceFilter(query, range, fields)
    if export.layout.rows == .devices {
      export.devices = devices
    } else if devices.status != nil || !devices.custom.isEmpty {
      throw APIError(.invalidParameter, "`status` and custom fields filter devices: they need `rows=devices`.")
    }
    return export
  }
}
