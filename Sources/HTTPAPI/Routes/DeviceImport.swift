import AppleSerial
import Exports
import Foundation
import HTTPTypes
import Hummingbird
import JobStore
import MultipartParsing
import Settings
import Support

/// `POST /devices/import`: adds devices and their values from a list, if all of its lines are valid.
struct DeviceImporting: Sendable {
  struct Answer: Codable {
    var success = true
    /// Rows of the list.
    var total: Int
    var created: Int
    var changed: Int
    var unchanged: Int
    var dryRun: Bool

    private enum CodingKeys: String, CodingKey {
      case success
      case total
      case created
      case changed
      case unchanged
      case dryRun = "dry_run"
    }
  }

  /// The form with the list.
  enum Form: WireType {
    static func schema(in book: SchemaBook) -> Schema {
      book.object(
        "DeviceListForm", for: self,
        notes: [
          "file": Schema(["format": "binary"]).about("The list: CSV, whatever its Content-Type."),
          dryRun.name: .about(dryRun.about),
        ]
      ) {
        [
          book.member("file", String.self),
          SchemaBook.Member(name: dryRun.name, schema: dryRun.schema(in: book), isRequired: false),
        ]
      }
    }
  }

  /// The maximum size of a list in bytes, and the maximum number of its rows: the client waits for all of them.
  static let mostBytes = 4 << 20
  static let mostRows = 10_000

  let store: any ServerStore
  let fields: [CustomField]

  var endpoint: Endpoint {
    Endpoint(
      .post, "/devices/import", "ImportDevices", "Import devices",
      "A CSV with a header row: `serial`, and names of `custom_fields` in /config. Separated by commas, semicolons or tabs, in "
        + "UTF-8 or UTF-16. An empty cell leaves a value as it is. Devices that are unknown are created. If any line is wrong, "
        + "nothing is changed: 422 `IMPORT_INVALID` with `lines`. At most \(Self.mostRows) rows and \(Self.mostBytes >> 20) MB.",
      topic: .serials, access: .admin, parameters: [Self.dryRun], bodies: [.text("text/csv"), .form(Form.self)],
      answers: [.json(Answer.self)], errors: [.importInvalid, .storageFull], handler: answer)
  }

  private static let dryRun = Parameter<Bool?>.flag(
    "dry_run", "Checks the list and changes nothing. A form field wins.")

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let queried = try Query(request)[Self.dryRun]
    let sent = try await received(request, context)
    let dryRun = sent.dryRun ?? queried ?? false
    let list = try DeviceList(sent.list, fields)
    let done = try await store.importDevices(list.devices, dryRun: dryRun)
    return .json(
      Answer(
        total: list.devices.count, created: done.created, changed: done.changed, unchanged: done.unchanged,
        dryRun: dryRun))
  }

  /// What a client sent: the bytes of the list, and whether a form says that they are only checked.
  private struct Received {
    var list: [UInt8]
    var dryRun: Bool?
  }

  /// Receives the list: the body, or the form's part `file`.
  private func received(_ request: Request, _ context: APIContext) async throws -> Received {
    let contentType = request.headers[.contentType] ?? ""
    let mediaType = contentType.lowercased()
    let isForm = mediaType.hasPrefix("multipart/form-data")
    guard isForm || mediaType.hasPrefix("text/") else { throw APIError.notCSV }
    let announced = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    guard announced <= Self.mostBytes else { throw APIError.listTooLarge }
    try await context.sendContinue(for: request)
    var body: [UInt8] = []
    for try await chunk in request.body {
      guard body.count + chunk.readableBytes <= Self.mostBytes else { throw APIError.listTooLarge }
      body += chunk.readableBytesView
    }
    guard isForm else { return Received(list: body) }
    guard let boundary = MultipartParser.boundary(ofContentType: contentType) else { throw APIError.missingBoundary }
    return try Self.received(body, boundary: boundary)
  }

  /// Parses a form.
  private static func received(_ body: [UInt8], boundary: String) throws -> Received {
    var (parser, names, parts) = (MultipartParser(boundary: boundary), [String](), [String: [UInt8]]())
    try body.withUnsafeBytes { bytes in
      try parser.push(bytes) { event in
        switch event {
        case .begin(let headers):
          let name = headers.name ?? ""
          names.append(name)
          guard ["file", dryRun.name].contains(name) else { break }
          guard parts.updateValue([], forKey: name) == nil else { throw APIError.repeatedParameter(name) }
        case .content(let content): parts[names.last ?? ""]?.append(contentsOf: content)
        case .end: break
        }
      }
    }
    try parser.finish()
    try APIError.rejectMisspelled(names, known: [dryRun.name])
    guard let list = parts["file"] else {
      throw APIError.invalidParameter("file", "must be a part of the form: the list")
    }
    let flag = parts[dryRun.name].map { String(decoding: $0, as: UTF8.self).trimmed }
    return Received(list: list, dryRun: try dryRun.value(of: flag))
  }
}

/// The checked rows of an imported list.
struct DeviceList {
  /// The devices, each once.
  private(set) var devices: [ImportedDevice] = []

  /// The maximum number of problems that are reported.
  static let mostProblems = 100

  /// Checks a list. Throws 422 `IMPORT_INVALID` with the invalid lines.
  init(_ bytes: [UInt8], _ fields: [CustomField]) throws {
    guard let text = DelimitedRows.text(of: bytes) else {
      throw APIError.importInvalid("The list is \(DelimitedRows.unknownEncoding).")
    }
    let rows: [DelimitedRows.Row]
    do throws(DelimitedRows.Problem) {
      rows = try DelimitedRows.table(text, mostCells: 64, mostCellsInAll: DeviceImporting.mostRows * 64)
    } catch {
      throw APIError.importInvalid("The list can't be read: \(error.sentence).")
    }
    guard let header = rows.first else { throw APIError.importInvalid("The list is empty.") }
    let columns = try Self.columns(header, fields)
    guard rows.count - 1 <= DeviceImporting.mostRows else {
      throw APIError.importInvalid(
        "The list has \(rows.count - 1) rows. Split it: at most \(DeviceImporting.mostRows) are imported at a time.")
    }
    var problems: [LineProblem] = []
    var count = 0
    var lines: [String: Int] = [:]
    for row in rows.dropFirst() {
      do throws(LineFault) {
        let device = try Self.device(row, columns)
        if let earlier = lines[device.serial] {
          throw LineFault(detail: "`serial`: \(device.serial) is already on line \(earlier).")
        }
        lines[device.serial] = row.line
        devices.append(device)
      } catch {
        count += 1
        if problems.count < Self.mostProblems { problems.append(LineProblem(line: row.line, detail: error.detail)) }
      }
    }
    guard count == 0 else {
      let rows = count == 1 ? "1 line of the list is wrong" : "\(count) lines of the list are wrong"
      var error = APIError.importInvalid("\(rows). Nothing was changed; correct the list and import all of it again.")
      (error.lines, error.moreLines) = (problems, count - problems.count)
      throw error
    }
    guard !devices.isEmpty else { throw APIError.importInvalid("The list has no row below its header.") }
  }

  private struct LineFault: Error {
    var detail: String
  }

  private struct Columns {
    var serial: Int
    /// The custom field of each other column.
    var fields: [(index: Int, field: CustomField)]
    /// The number of columns in the header.
    var count: Int
  }

  private static func columns(_ header: DelimitedRows.Row, _ fields: [CustomField]) throws -> Columns {
    var columns = Columns(serial: -1, fields: [], count: header.cells.count)
    let known = ["serial"] + fields.map(\.name)
    var unknown: String?
    for (index, cell) in header.cells.enumerated() {
      let name = DelimitedText.value(enteredAs: cell)
      if name.lowercased() == "serial" {
        guard columns.serial < 0 else { throw APIError.importInvalid("The header names `serial` twice.", header.line) }
        columns.serial = index
      } else if let field = fields.first(where: { $0.name.lowercased() == name.lowercased() }) {
        guard !columns.fields.contains(where: { $0.field == field }) else {
          throw APIError.importInvalid("The header names `\(field.name)` twice.", header.line)
        }
        columns.fields.append((index, field))
      } else if !name.isEmpty {
        unknown = unknown ?? name
      }
    }
    if let unknown, columns.serial >= 0 || !columns.fields.isEmpty {
      let isSerial = columns.serial < 0 && unknown.lowercased().hasPrefix("serial")
      let advice = isSerial ? Spelling.advice("serial") : Spelling.advice(for: unknown, among: known)
      let all = known.map { "`\($0)`" }.joined(separator: ", ")
      throw APIError.importInvalid(
        "There is no column `\(unknown.shown)`.\(advice) Columns are \(all).", header.line)
    }
    guard columns.serial >= 0 else {
      let found = unknown.map { " (found `\($0.shown)`)" } ?? ""
      throw APIError.importInvalid("The first line must be a header with a column `serial`\(found).", header.line)
    }
    return columns
  }

  private static func device(_ row: DelimitedRows.Row, _ columns: Columns) throws(LineFault) -> ImportedDevice {
    let named = [columns.serial] + columns.fields.map(\.index)
    if let index = row.cells.indices.first(where: { !named.contains($0) && !row.cells[$0].trimmed.isEmpty }) {
      throw LineFault(
        detail: index < columns.count
          ? "Cell \(index + 1) has a value, but the header has no name for its column."
          : "The line has \(row.cells.count) cells, the header \(columns.count). Put a value that contains the delimiter in quotes."
      )
    }
    func cell(_ index: Int) -> String { row.cells.indices.contains(index) ? row.cells[index] : "" }
    let written = DelimitedText.code(enteredAs: cell(columns.serial))
    if let change = SpreadsheetChange(written) { throw LineFault(detail: "`serial`: \(change.sentence)") }
    guard let serial = WrittenSerial(written) else {
      throw LineFault(
        detail: written.isEmpty
          ? "`serial` is missing. Does the line use the header's delimiter?"
          : "`serial` must be 4 to 32 letters and digits, optionally with spaces, hyphens and dots between them.")
    }
    var device = ImportedDevice(serial: serial.text, isValid: serial.isValid, custom: [:])
    for (index, field) in columns.fields {
      let entered = DelimitedText.value(enteredAs: cell(index))
      if entered.isEmpty { continue }
      let change = SpreadsheetChange(entered)
      switch field.checked(entered) {
      case .success(let value) where change?.isCertain != true: device.custom[field.name] = value
      case .failure(let problem) where change == nil: throw LineFault(detail: "`\(field.name)` \(problem.rule).")
      default: throw LineFault(detail: "`\(field.name)`: \(change?.sentence ?? "")")
      }
    }
    return device
  }
}

/// An error in a line of an imported list.
struct LineProblem: Codable, Sendable, Equatable, WireObject {
  static let wireName = "LineProblem"

  /// The line, counted from 1.
  var line: Int
  /// What is wrong with it, and what was expected.
  var detail: String
}

extension DeviceImporting.Answer: WireObject {
  static let wireName = "DeviceImport"
  static let wireNotes: [String: Schema] = [
    "total": .about("Rows of the list."), "created": .about("Devices that were unknown."),
    "changed": .about("Known devices with a changed value."),
  ]
}

extension APIError {
  fileprivate static func importInvalid(_ detail: String, _ line: Int? = nil) -> APIError {
    var error = APIError(.importInvalid, detail)
    error.lines = line.map { [LineProblem(line: $0, detail: detail)] } ?? []
    error.moreLines = 0
    return error
  }

  fileprivate static let notCSV = APIError(
    .unsupportedMediaType, "Send the list with Content-Type: text/csv, or as the part `file` of multipart/form-data.")

  fileprivate static let listTooLarge = APIError(
    .bodyTooLarge, "The list is larger than \(megabytes(DeviceImporting.mostBytes)). Split it.")
}
