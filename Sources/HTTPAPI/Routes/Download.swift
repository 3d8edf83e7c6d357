import Foundation
import Hummingbird
import JobStore
import Reports

/// `GET /export`: the saved serials as a spreadsheet.
///
/// The file is written next to the reports, sent, and gone: its name is removed as soon as it is open.
struct Download: Sendable {
  let store: any ServerStore
  let storage: PhotoStorage
  let folder: String

  var endpoint: Endpoint {
    Endpoint(
      .get, "/export", access: .read, parameters: SerialFilter.parameters + ["format"],
      head: { request, _ in try head(request) }, handler: answer)
  }

  /// What is asked for; throws where the query is wrong.
  private func export(_ request: Request) throws -> SerialExport {
    let query = Query(request)
    let format = try query.choice("format", of: SerialExport.Format.self) ?? .xlsx
    return SerialExport(format: format, filter: try SerialFilter(query))
  }

  /// The headers without the file: its size is known only once it is written.
  private func head(_ request: Request) throws -> Response {
    let export = try export(request)
    return Response(
      status: .ok,
      headers: [
        .contentType: export.format.mediaType, .cacheControl: "no-store",
        .contentDisposition: "attachment; filename=\"\(export.fileName())\"",
      ])
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let export = try export(request)
    let path = "\(folder)/export-\(UUID().uuidString.lowercased()).\(export.format.rawValue)"
    try await storage.makeFolder(folder)
    do {
      try await context.whileConnected { [store] in
        let serials: any SerialStore = store
        _ = try await export.write(from: serials, toCheck: store, to: path)
      }
      guard let file = try await FileAnswer(path: path, storage: storage) else { throw APIError.storageUnavailable }
      await storage.removeFile(at: path)
      return file.response(contentType: export.format.mediaType, downloadName: export.fileName())
    } catch {
      await storage.removeFile(at: path)
      throw error
    }
  }
}
