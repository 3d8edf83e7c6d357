import Foundation
import JobStore
import ScanModel

/// A row of an export: a saved serial, or a device with its best read.
public struct ExportRow: Sendable {
  /// A summary of a device's reads.
  public struct Sightings: Sendable, Equatable {
    /// When it was first read; nil if it was only imported.
    public var first: Date?
    /// When it was last read; nil if it was only imported.
    public var last: Date?
    /// How often it was read.
    public var count: Int

    /// Creates the values.
    public init(first: Date?, last: Date?, count: Int) { (self.first, self.last, self.count) = (first, last, count) }
  }

  /// The serial.
  public var serial: String
  /// Whether its format is valid.
  public var isValid: Bool
  /// The device type; nil if it is unknown.
  public var deviceType: String?
  /// The saved serial; for a device, its best read, or nil if it was never read.
  public var read: SavedSerial?
  /// The fields of the read, or the best of all of the device's reads; nil if there are none.
  var fields: [FieldRead]?
  /// The device's reads; nil if the row is a single read.
  public var sightings: Sightings?
  /// The values of custom fields by name.
  public var custom: [String: String] = [:]
  /// The model's name; nil if it is unknown.
  var modelName: String?

  /// The batch of the read; for a device, the batches in which it was read, latest first.
  var batches: [String] = []

  /// The serial's status: `confirmed` by a person, `accepted`, `uncertain`, or `imported` if it was never read; nil for
  /// a read whose verdict is no longer known.
  var status: String?

  /// Creates the row of a saved serial.
  package init(_ read: SavedSerial, custom: [String: String] = [:], _ models: ModelNames) {
    (serial, isValid, deviceType, self.read, self.custom) = (read.serial, read.isValid, read.deviceType, read, custom)
    batches = [read.batchName].compactMap(\.self)
    fields = read.fields
    modelName = models.name(of: serial, fields)
    status = read.confirmedAt == nil ? read.verdict.flatMap { $0 == .refused ? nil : $0.rawValue } : "confirmed"
  }
}

/// A source of an export's rows.
public protocol ExportSource: Sendable {
  /// Calls `body` with all rows in their order, in batches that fit in memory. Stops with its task.
  func forEachBatch(_ body: ([ExportRow]) async throws -> Void) async throws
}

/// The saved serials that match a filter, oldest first.
public struct SavedSerialRows<Store: SerialStore>: ExportSource {
  private let store: Store
  private let filter: SerialFilter
  private let devices: (any DeviceStore)?
  private let models: ModelNames

  /// Creates a source.
  ///
  /// - Parameter devices: The source of the custom fields' values; nil to leave them out.
  package init(
    _ store: Store, _ filter: SerialFilter, customOf devices: (any DeviceStore)? = nil, models: ModelNames
  ) {
    (self.store, self.filter, self.devices, self.models) = (store, filter, devices, models)
  }

  /// See `ExportSource`.
  public func forEachBatch(_ body: ([ExportRow]) async throws -> Void) async throws {
    try await store.forEachBatch(of: filter) { batch in
      let custom = try await devices?.customValues(ofDevices: Set(batch.map(\.serial))) ?? [:]
      try await body(batch.map { ExportRow($0, custom: custom[$0.serial] ?? [:], models) })
    }
  }
}
