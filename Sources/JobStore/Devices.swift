import Foundation
import ScanModel

/// A device: the reads of one serial, and its values from people, codes and imported lists.
public struct Device: Sendable, Equatable {
  /// The reliability of a device's serial.
  public enum Status: String, Codable, Sendable, CaseIterable {
    /// A person confirmed a read, or entered the serial.
    case confirmed
    /// A read was accepted.
    case accepted
    /// Every read needs review.
    case uncertain
    /// It has no reads: it was imported, or its reads were deleted.
    case imported
  }

  /// The serial.
  public var serial: String
  /// The type that a person set, otherwise that of the latest read with one; nil if there is none.
  public var deviceType: String?
  /// The serial's status.
  public var status: Status
  /// Whether the serial's format is valid.
  public var isValid: Bool
  /// When it was read first; if it has no reads, when it was imported.
  public var firstSeen: Date
  /// When it was last read; if it has no reads, when it was imported.
  public var lastSeen: Date
  /// Number of reads.
  public var timesSeen: Int
  /// The values of custom fields by name.
  public var custom: [String: String]
  /// The best read that may be seen: a confirmed one first, then the one of the highest confidence, then the latest.
  public var best: SavedSerial?
  /// The best value of each kind of field in the reads that may be seen, of which the latest
  /// `mostReadsWithFields` that have fields count; nil if there are none. Only values of `best` have a region.
  public var fields: [FieldRead]?
  /// The batches in which it was read, latest first.
  public var batches: [BatchName]

  /// Maximum number of a device's reads whose fields are compared. A device can have many thousands.
  public static let mostReadsWithFields = 50

  /// Creates a device.
  public init(
    serial: String, deviceType: String?, status: Status, isValid: Bool, firstSeen: Date, lastSeen: Date, timesSeen: Int,
    custom: [String: String] = [:], best: SavedSerial? = nil, fields: [FieldRead]? = nil,
    batches: [BatchName] = []
  ) {
    self.serial = serial
    self.deviceType = deviceType
    self.status = status
    self.isValid = isValid
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
    self.timesSeen = timesSeen
    self.custom = custom
    self.best = best
    self.fields = fields
    self.batches = batches
  }
}

/// The id and name of a device's batch.
public struct BatchName: Sendable, Equatable {
  /// Its id.
  public var id: String
  /// Its name.
  public var name: String

  /// Creates a name.
  public init(id: String, name: String) {
    (self.id, self.name) = (id, name)
  }
}

/// Conditions on devices. All must hold.
public struct DeviceFilter: Sendable, Equatable {
  /// Part of the serial, the device type, the best read's file name or a custom value, ignoring case. If shorter than
  /// three characters, the beginning of the serial.
  public var search: String?
  /// The device type, ignoring case.
  public var deviceType: String?
  /// The origin of any of its reads.
  public var source: SerialSource?
  /// Whether the format is valid.
  public var isValid: Bool?
  /// Earliest time of the latest read, inclusive.
  public var from: Date?
  /// Latest time of the latest read, exclusive.
  public var until: Date?
  /// The serial's status.
  public var status: Device.Status?
  /// Values of custom fields by name, ignoring case.
  public var custom: [String: String]
  /// The key that sent any of its reads.
  public var keyID: String?
  /// The batch of any of its reads.
  public var batchID: String?

  /// Creates a filter. Without conditions it matches every device.
  public init(
    search: String? = nil, deviceType: String? = nil, source: SerialSource? = nil, isValid: Bool? = nil,
    from: Date? = nil, until: Date? = nil, status: Device.Status? = nil, custom: [String: String] = [:],
    keyID: String? = nil, batchID: String? = nil
  ) {
    self.search = search
    self.deviceType = deviceType
    self.source = source
    self.isValid = isValid
    self.from = from
    self.until = until
    self.status = status
    self.custom = custom
    self.keyID = keyID
    self.batchID = batchID
  }
}

/// A query for a page of devices.
public struct DeviceQuery: Sendable, Equatable {
  /// The sort order.
  public enum Sort: String, Sendable, CaseIterable {
    /// By time of the latest read.
    case lastSeen = "last_seen"
    /// By time of the first read.
    case firstSeen = "first_seen"
    /// By serial.
    case serial
    /// By number of reads.
    case timesSeen = "times_seen"
    /// By device type, ignoring case: by the code points of `SerialSearch.folded`.
    case deviceType = "device_type"
  }

  /// Conditions on the devices.
  public var filter: DeviceFilter
  /// The sort order.
  public var sort: Sort
  /// Whether the order is ascending.
  public var ascending: Bool
  /// Maximum number of devices.
  public var limit: Int
  /// The previous page's `nextCursor`.
  public var cursor: String?

  /// Creates a query; without arguments, for the hundred devices read last.
  public init(
    filter: DeviceFilter = DeviceFilter(), sort: Sort = .lastSeen, ascending: Bool = false, limit: Int = 100,
    cursor: String? = nil
  ) {
    self.filter = filter
    self.sort = sort
    self.ascending = ascending
    self.limit = limit
    self.cursor = cursor
  }
}

/// A person's changes to a device; omitted values stay unchanged.
public struct DeviceChange: Sendable, Equatable {
  /// The new values of custom fields by name; nil removes a value.
  public var custom: [String: String?]
  /// The device type; an empty string restores the type from the reads. Nil leaves it unchanged.
  @DeviceTypeText public var deviceType: String?

  /// Creates a change.
  public init(custom: [String: String?] = [:], deviceType: String? = nil) {
    self.custom = custom
    self.deviceType = deviceType
  }
}

/// A device of an imported list.
public struct ImportedDevice: Sendable, Equatable {
  /// The serial.
  public var serial: String
  /// Whether its format is valid.
  public var isValid: Bool
  /// The values of custom fields by name. Fields that are missing stay unchanged.
  public var custom: [String: String]

  /// Creates a device.
  public init(serial: String, isValid: Bool, custom: [String: String]) {
    self.serial = serial
    self.isValid = isValid
    self.custom = custom
  }
}

/// The numbers of devices that an import created, changed and left unchanged.
public struct DeviceImport: Sendable, Equatable {
  /// Devices that were unknown.
  public var created = 0
  /// Known devices of which a value changed.
  public var changed = 0
  /// Known devices that already had all of these values.
  public var unchanged = 0

  /// Creates an empty count.
  public init() {}
}

/// Lists and changes devices. A device exists as long as its serial has reads or values.
///
/// Stores update devices in the transactions that change saved serials.
public protocol DeviceStore: Sendable {
  /// Returns a page of devices. Throws `InvalidCursor`.
  func devices(_ query: DeviceQuery) async throws -> Page<Device>

  /// Counts the devices that match a filter.
  func deviceCount(_ filter: DeviceFilter) async throws -> Int

  /// Returns the device with this serial; nil if it does not exist.
  ///
  /// - Parameter keyID: The key whose reads may be seen besides those in batches; nil for all. A device without such
  ///   reads does not exist then.
  func device(serial: String, keyID: String?) async throws -> Device?

  /// Returns the values of custom fields by serial and name; leaves out serials without values.
  func customValues(ofDevices serials: Set<String>) async throws -> [String: [String: String]]

  /// Returns at most `limit` reads of a serial, latest first. See `device(serial:keyID:)`.
  func reads(ofDevice serial: String, keyID: String?, limit: Int) async throws -> [SavedSerial]

  /// Changes a device and returns it; nil if it does not exist.
  ///
  /// - Parameter keyID: The key whose own reads the device must have; nil for any device.
  func changeDevice(serial: String, _ change: DeviceChange, keyID: String?) async throws -> Device?

  /// Deletes a device's reads with their history, and its values. Returns the number of reads; nil if it does not exist.
  ///
  /// Clears the confirmations of its jobs.
  func deleteDevice(serial: String) async throws -> Int?

  /// Adds devices and their values, of which some are left out if it fails. Returns the counts; with `dryRun`, those of
  /// an import that is not made.
  func importDevices(_ devices: [ImportedDevice], dryRun: Bool) async throws -> DeviceImport
}

/// A device's value that is not a custom field.
package enum DeviceValueName {
  /// Marks a device of an imported list; its value says whether the serial has a valid format.
  package static let imported = "=imported"
  /// The device type that a person set.
  package static let deviceType = "=device_type"
}

/// The origin of a device's value.
package enum DeviceValueOrigin: String, Sendable {
  /// A person entered it.
  case person
  /// A code in a photo.
  case code
  /// An imported list.
  case imported = "import"
}
