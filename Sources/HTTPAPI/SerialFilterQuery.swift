import AppleSerial
import Foundation
import JobStore
import Settings

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
    "search", "A part of the serial, the device type, the file name or, of a device, a custom value.")
  private static let deviceType = Parameter<String?>.text("device_type", "Exactly this, ignoring case.")
  private static let source = Parameter<SerialSource?>.choice(
    "source", "Where it was read; of a device, any of its reads.")
  private static let validation = Parameter<ValidationStatus?>.choice(
    "validation_status", "Whether the serial has a valid format.")

  /// The filter parameters, shared by all lists of saved serials and devices.
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

extension DeviceFilter {
  private static let certainty = Parameter<Device.Status?>.choice("status", "The serial's status.")

  private static func value(of field: CustomField) -> Parameter<String?> {
    .text("custom.\(field.name)", limit: CustomField.longestValue, "The value of this field, ignoring case.")
  }

  /// The filter parameters that lists of saved serials don't have. Of a device, times are those of the latest read.
  static func furtherParameters(_ fields: [CustomField]) -> [any DeclaredParameter] { [certainty] + fields.map(value) }

  /// Creates the filter of a query.
  init(_ query: Query, _ range: TimeRange, _ fields: [CustomField]) throws {
    self.init(try SerialFilter(query, range))
    status = try query[Self.certainty]
    for field in fields { custom[field.name] = try query[Self.value(of: field)] }
  }
}
