import Foundation

/// Saved serials, loaded page by page as they are iterated.
public struct History: AsyncSequence, Sendable {
  /// The same, a page at a time.
  public let pages: HistoryPages

  /// Iterates the serials of each page.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var pages: HistoryPages.AsyncIterator
    var items: ArraySlice<HistoryItem> = []

    /// The next serial, or nil after the last one.
    public mutating func next() async throws -> HistoryItem? {
      while items.isEmpty {
        guard let page = try await pages.next() else { return nil }
        items = page.items[...]
      }
      return items.popFirst()
    }
  }

  /// Begins with the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }
}

/// Pages of saved serials. Serials saved meanwhile neither repeat nor hide others.
public struct HistoryPages: AsyncSequence, Sendable {
  let connection: Connection
  let query: [(String, String)]

  /// Loads one page after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let sequence: HistoryPages
    var cursor: String?
    var isAtEnd = false

    /// The next page, or nil after the last one.
    public mutating func next() async throws -> HistoryPage? {
      guard !isAtEnd else { return nil }
      var request = Request(.get, "history")
      request.query = sequence.query + (cursor.map { [("cursor", $0)] } ?? [])
      let page: HistoryPage = try await sequence.connection.json(request)
      cursor = page.nextCursor
      isAtEnd = page.nextCursor == nil
      return page
    }
  }

  /// Begins with the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }
}

/// Which saved serials to list or export.
public struct SerialFilter: Sendable {
  /// A part of the serial, the device type or the file name.
  public var search: String?
  /// The device type.
  public var deviceType: String?
  /// Where the serial is from: `scan`, `ios`, `mac`, `live`.
  public var source: String?
  /// The first day, `YYYY-MM-DD`.
  public var dateFrom: String?
  /// The last day, `YYYY-MM-DD`.
  public var dateTo: String?
  /// Whether the serial has a valid format.
  public var isValid: Bool?

  /// Creates a filter; nil leaves a condition out.
  public init(
    search: String? = nil, deviceType: String? = nil, source: String? = nil, dateFrom: String? = nil,
    dateTo: String? = nil, isValid: Bool? = nil
  ) {
    self.search = search
    self.deviceType = deviceType
    self.source = source
    self.dateFrom = dateFrom
    self.dateTo = dateTo
    self.isValid = isValid
  }

  var query: [(String, String)] {
    [
      ("search", search), ("device_type", deviceType), ("source", source), ("date_from", dateFrom),
      ("date_to", dateTo), ("validation_status", isValid.map { $0 ? "valid" : "invalid" }),
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

/// A spreadsheet's format.
public enum ExportFormat: String, Sendable {
  /// Excel.
  case xlsx
  /// Comma-separated values.
  case csv
}
