import AppleSerial
import Foundation
import JobStore

extension SerialFilter {
  private enum Validation: String, CaseIterable {
    case valid
    case invalid
  }

  /// The names of the conditions in a query: the same for every list of saved serials.
  static let parameters = ["search", "device_type", "source", "validation_status"] + TimeRange.parameters

  /// The filter that a query asks for. A serial is looked for in whatever way it is written.
  init(_ query: Query, _ range: TimeRange) throws {
    self.init(
      search: try query.text("search").map(WrittenSerial.searched), deviceType: try query.text("device_type"),
      source: try query.choice("source", of: SerialSource.self),
      isValid: try query.choice("validation_status", of: Validation.self).map { $0 == .valid }, from: range.from,
      until: range.until)
  }
}
