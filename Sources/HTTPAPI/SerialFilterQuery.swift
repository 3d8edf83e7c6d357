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
