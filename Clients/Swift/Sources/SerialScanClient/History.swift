import Foundation

/// Saved serials, loaded page by page as they are iterated.
public typealias History = Listing<HistoryPage>

/// Pages of saved serials.
public typealias HistoryPages = ListingPages<HistoryPage>

/// Conditions on the saved serials to list or export. ``DeviceFilter`` adds those of devices.
public struct SerialFilter: Sendable {
  /// Part of the serial, the device type or the file name.
  public var search: String?
  /// The device type.
  public var deviceType: String?
  /// The source: `scan`, `ios`, `mac`, `live`, `scanner`.
  public var source: String?
  /// The first day to include, `YYYY-MM-DD`.
  public var dateFrom: String?
  /// The last day to include, `YYYY-MM-DD`.
  public var dateTo: String?
  /// Whether the serial has a valid format.
  public var isValid: Bool?
  /// The id of the batch.
  public var batch: String?

  /// Creates a filter; nil omits a condition.
  public init(
    search: String? = nil, deviceType: String? = nil, source: String? = nil, dateFrom: String? = nil,
    dateTo: String? = nil, isValid: Bool? = nil, batch: String? = nil
  ) {
    self.search = search
    self.deviceType = deviceType
    self.source = source
    self.dateFrom = dateFrom
    self.dateTo = dateTo
    self.isValid = isValid
    self.batch = batch
  }

  var query: [(String, String)] {
    [
      ("search", search), ("device_type", deviceType), ("source", source), ("date_from", dateFrom),
      ("date_to", dateTo), ("validation_status", isValid.map { $0 ? "valid" : "invalid" }), ("batch", batch),
    ].compactMap { name, value in value.map { (name, $0) } }
  }
}

/// The order of ``SerialScanClient/history(filter:sortedBy:ascending:pageSize:)``.
public enum HistoryOrder: String, Sendable {
  /// By time.
  case createdAt = "created_at"
  /// By serial.
  case serial
  /// By confidence.
  case confidence
  /// By device type.
  case deviceType = "device_type"
}

/// The format of an exported spreadsheet.
public enum ExportFormat: String, Sendable {
  /// Excel.
  case xlsx
  /// Comma-separated values.
  case csv
}
