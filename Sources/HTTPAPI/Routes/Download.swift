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
      .get, "/export", scope: .admin, parameters: SerialFilter.parameters + ["format"], handler: answer)
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let format = try query.choice("format", of: SerialExport.Format.self) ?? .xlsx
    let export = SerialExport(format: format, filter: try SerialFilter(query))
    let path = "\(folder)/export-\(UUID().uuidString.lowercased()).\(format.rawValue)"
    try await storage.makeFolder(folder)
    do {
      try await context.whileConnected { [store] in
        let serials: any SerialStore = store
        _ = try await export.write(from: serials, to: path)
      }
      guard let file = try await FileAnswer(path: path, storage: storage) else { throw APIError.storageUnavailable }
      await storage.removeFile(at: path)
      return file.response(contentType: format.mediaType, downloadName: export.fileName())
    } catch {
      await storage.removeFile(at: path)
      throw error
    }
  }
}
