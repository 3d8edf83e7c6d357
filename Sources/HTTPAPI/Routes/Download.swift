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
      parameters: parameters.declared,
      answers: [.content(.file(SerialExport.Format.xlsx.mediaType), .text("text/csv"))],
      errors: [.batchNotFound, .storageFull],
      handler: answer)
  }

  private var parameters: ExportParameters { ExportParameters(choices: choices, fields: fields) }

  /// Returns the requested export. Throws if the query is invalid.
  private func export(_ request: Request) async throws -> SerialExport {
    let query = Query(request)
    // Reads a named template from the disk.
    var export = try await FileThreads.run { [parameters] in try parameters.export(query) }
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
      guard let file = try await FileAnswer(path: path) else { throw APIError.storageUnreadable }
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
