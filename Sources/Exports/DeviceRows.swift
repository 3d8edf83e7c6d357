import JobStore

/// The devices that match a filter, in the order in which they were first seen.
public struct DeviceRows<Store: DeviceStore>: ExportSource {
  private let store: Store
  private let filter: DeviceFilter
  private let models: ModelNames
  /// Number of devices fetched at a time.
  private let batchSize: Int

  /// Creates a source.
  package init(_ store: Store, _ filter: DeviceFilter, models: ModelNames, batchSize: Int = 1000) {
    (self.store, self.filter, self.models, self.batchSize) = (store, filter, models, batchSize)
  }

  /// See `ExportSource`.
  public func forEachBatch(_ body: ([ExportRow]) async throws -> Void) async throws {
    var query = DeviceQuery(filter: filter, sort: .firstSeen, ascending: true, limit: batchSize)
    while true {
      try Task.checkCancellation()
      let page = try await store.devices(query)
      if !page.items.isEmpty { try await body(page.items.map { ExportRow($0, models) }) }
      guard let cursor = page.nextCursor else { return }
      query.cursor = cursor
    }
  }
}

extension ExportRow {
  /// Creates the row of a device.
  init(_ device: Device, _ models: ModelNames) {
    (serial, isValid, deviceType, read) = (device.serial, device.isValid, device.deviceType, device.best)
    fields = device.fields
    modelName = models.name(of: serial, fields)
    sightings = Sightings(first: device.firstSeen, last: device.lastSeen, count: device.timesSeen)
    (status, custom, batches) = (device.status.rawValue, device.custom, device.batches.map(\.name))
  }
}

extension DeviceFilter {
  /// Creates the device filter that corresponds to a filter of saved serials. Times are those of the latest read.
  public init(_ filter: SerialFilter) {
    self.init(
      search: filter.search, deviceType: filter.deviceType, source: filter.source, isValid: filter.isValid,
      from: filter.from, until: filter.until, keyID: filter.keyID,
      batchID: filter.batchID)
  }
}
