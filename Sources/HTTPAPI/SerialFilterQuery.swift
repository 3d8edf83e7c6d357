import AppleSerial
import Foundation
import JobStore

/// Whether serials of a list have a valid format.
enum ValidationStatus: String, CaseIterable {
  case valid
  case invalid
}

/// The direction of a list.
enum SortOrder: String, CaseIterable {
  case ascending = "asc"
  case descending = "desc"
}

extension SerialFilter {
  private static let search = Parameter<String?>.text(
    "search", "A part of the serial, the device type or the file name.")
  private static let deviceType = Parameter<String?>.text("device_type", "Exactly this, ignoring case.")
  private static let source = Parameter<SerialSource?>.choice("source", "Where it was read.")
  private static let validation = Parameter<ValidationStatus?>.choice(
    "validation_status", "Whether it has a valid format.")

  /// The filter parameters, shared by all lists of saved serials.
  static let parameters: [any DeclaredParameter] =
    [search, deviceType, source, validation, CommonParameters.batch] + TimeRange.parameters

  /// Creates the filter of a query. The search ignores how a serial is written.
  init(_ query: Query, _ range: TimeRange) throws {
    self.init(
      search: try query[Self.search].map(WrittenSerial.searched), deviceType: try query[Self.deviceType],
      source: try query[Self.source], isValid: try query[Self.validation].map { $0 == .valid }, from: range.from,
      until: range.until, batchID: try query[CommonParameters.batch])
  }
}
