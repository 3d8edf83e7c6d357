import BlobFiles
import Evaluations
import Exports
import Foundation
import HTTPTypes
import Hummingbird
import JobStore

/// `GET /export`: the saved serials as a spreadsheet.
///
/// The file is written in a folder of its own, sent, and gone: its name is removed as soon as it is open.
struct Download: Sendable {
  let store: any ServerStore
  let folder: String

  var endpoint: Endpoint {
    Endpoint(
      .get, "/export", access: .read, parameters: SerialFilter.parameters + ["format", "separator", "digits_as_text"],
      handler: answer)
  }

  /// What is asked for; throws where the query is wrong.
  private func export(_ request: Request) throws -> SerialExport {
    let query = Query(request)
    let format = try query.choice("format", of: SerialExport.Format.self) ?? .xlsx
    let range = try TimeRange(query)
    var export = SerialExport(format: format, filter: try SerialFilter(query, range), timeZone: range.tz)
    export.writesDigitsAsText = try query.flag("digits_as_text") ?? false
    if let separator = try query.text("separator", limit: 1) {
      guard let known = SerialExport.Separator(rawValue: separator) else {
        throw APIError.invalidParameter("separator", "must be a comma, or a semicolon (%3B)")
      }
      export.separator = known
    }
    return export
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let export = try export(request)
    let path = "\(folder)/export-\(UUID().uuidString.lowercased()).\(export.format.rawValue)"
    try await FileThreads.run { [folder] in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    do {
      try await context.whileConnected { [store] in
        let serials: any SerialStore = store
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
