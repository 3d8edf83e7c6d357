import Foundation
import JobStore

extension SerialFilter {
  private enum Validation: String, CaseIterable {
    case valid
    case invalid
  }

  /// The names of the conditions in a query: the same for every list of saved serials.
  static let parameters = ["search", "device_type", "source", "date_from", "date_to", "validation_status"]

  /// The filter that a query asks for.
  init(_ query: Query) throws {
    let from = try query.day("date_from")
    let to = try query.day("date_to")
    if let from, let to, from.start > to.start {
      throw APIError.invalidParameter("date_from", "must not be after date_to")
    }
    self.init(
      search: try query.text("search"), deviceType: try query.text("device_type"),
      source: try query.choice("source", of: SerialSource.self),
      isValid: try query.choice("validation_status", of: Validation.self).map { $0 == .valid }, from: from?.start,
      until: to?.end)
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
