import Foundation

/// Saved serials, loaded page by page as they are iterated.
public struct History: AsyncSequence, Sendable {
  /// The same serials, one page at a time.
  public let pages: HistoryPages

  /// Iterates the serials of each page.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var pages: HistoryPages.AsyncIterator
    var items: ArraySlice<HistoryItem> = []

    /// Returns the next serial; nil after the last one.
    public mutating func next() async throws -> HistoryItem? {
      while items.isEmpty {
        guard let page = try await pages.next() else { return nil }
        items = page.items[...]
      }
      return items.popFirst()
    }
  }

  /// Creates an iterator that begins with the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }
}

/// Pages of saved serials. Serials saved during the iteration neither cause repetitions nor hide others.
public struct HistoryPages: AsyncSequence, Sendable {
  let connection: Connection
  let query: [(String, String)]

  /// Loads one page after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let sequence: HistoryPages
    var cursor: String?
    var isAtEnd = false

    /// Returns the next page; nil after the last one.
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

  /// Creates an iterator that begins with the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }
}

/// Conditions on the saved serials to list or export.
public struct SerialFilter: Sendable {
  /// Part of the serial, the device type or the file name.
  public var search: String?
  /// The device type.
  public var deviceType: String?
  /// The source: `scan`, `ios`, `mac`, `live`.
  public var source: String?
  /// The first day to include, `YYYY-MM-DD`.
  public var dateFrom: String?
  /// The last day to include, `YYYY-MM-DD`.
  public var dateTo: String?
  /// Whether the serial has a valid format.
  public var isValid: Bool?

  /// Creates a filter; nil omits a condition.
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

/// The format of an exported spreadsheet.
public enum ExportFormat: String, Sendable {
  /// Excel.
  case xlsx
  /// Comma-separated values.
  case csv
}
