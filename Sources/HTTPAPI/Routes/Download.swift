import Foundation
import Hummingbird
import JobStore
import Reports

/// `GET /export`: the saved serials as a spreadsheet.
///
/// The file is written next to the reports, sent, and gone: its name is removed as soon as it is open.
struct Download: Sendable {
  private enum Validation: String, CaseIterable {
    case valid
    case invalid
  }

  let store: any ServerStore
  let storage: PhotoStorage
  let folder: String

  var endpoint: Endpoint { Endpoint(.get, "/export", scope: .admin, handler: answer) }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let format = try query.choice("format", of: SerialExport.Format.self) ?? .xlsx
    let from = try query.day("date_from")
    let to = try query.day("date_to")
    if let from, let to, from.start > to.start {
      throw APIError.invalidParameter("date_from", "must not be after date_to")
    }
    let validation = try query.choice("validation_status", of: Validation.self)
    let export = SerialExport(
      format: format,
      filter: SerialFilter(
        deviceType: try query.text("device_type"), source: try query.choice("source", of: SerialSource.self),
        isValid: validation.map { $0 == .valid }, from: from?.start, until: to?.end))
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

/// A day in UTC.
struct CalendarDay {
  /// Its first moment.
  var start: Date
  /// The next day's first moment.
  var end: Date { start.addingTimeInterval(86_400) }

  /// Takes `2026-01-31`; anything else is 422, also a day that no month has.
  init(_ text: String, name: String) throws {
    let error = APIError.invalidParameter(name, "must be a day like 2026-01-31")
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard text.utf8.count == 10, parts.map(\.utf8.count) == [4, 2, 2], let year = Int(parts[0]),
      let month = Int(parts[1]), let day = Int(parts[2]), year > 1900
    else { throw error }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let components = DateComponents(calendar: calendar, timeZone: .gmt, year: year, month: month, day: day)
    guard let date = components.date, calendar.dateComponents([.year, .month, .day], from: date).day == day,
      calendar.component(.month, from: date) == month
    else { throw error }
    start = date
  }
}
