import Foundation

/// A device: all reads of one serial, and its values.
public struct Device: Sendable, Codable, Equatable, Identifiable {
  /// The read that represents a device.
  public struct BestRead: Sendable, Codable, Equatable {
    /// The job that read it.
    public var jobId: String?
    /// The number of the saved serial.
    public var serialId: Int
    /// The photo's file name.
    public var filename: String?
    /// The path of the photo's thumbnail.
    public var thumbnailUrl: String?
    /// The path of the photo; nil once it is deleted.
    public var photoUrl: String?
  }

  /// A batch in which a device was read.
  public struct BatchName: Sendable, Codable, Equatable {
    /// The batch's id.
    public var id: String
    /// Its name.
    public var name: String
  }

  /// The serial.
  public var serial: String
  /// The type that a person set, otherwise that of the latest read with one.
  public var deviceType: String?
  /// The serial's reliability.
  public var status: DeviceStatus
  /// Whether it has a valid format.
  public var isValid: Bool
  /// Confidence of the best read, 0 to 1.
  public var confidence: Double?
  /// When it was read first; without reads, when it was imported.
  public var firstSeen: Date
  /// When it was last read; without reads, when it was imported.
  public var lastSeen: Date
  /// The number of reads.
  public var timesSeen: Int
  /// The values of custom fields by name.
  public var custom: [String: String]
  /// Fields beside the serial in the best read, by name as in ``SerialResult/fields``.
  public var fields: [String: SerialField]?
  /// What the serial reveals about the device.
  public var meaning: SerialMeaning?
  /// The best read that may be seen.
  public var best: BestRead?
  /// The batches in which it was read, latest first.
  public var batches: [BatchName]
  /// Its reads, latest first; nil in lists.
  public var reads: [HistoryItem]?

  /// The serial.
  public var id: String { serial }
}

/// The reliability of a device's serial.
public struct DeviceStatus: RawRepresentable, Hashable, Sendable, Codable {
  /// The status's name.
  public var rawValue: String
  /// Creates a status from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A person confirmed it.
  public static let confirmed = DeviceStatus(rawValue: "confirmed")
  /// A read was accepted.
  public static let accepted = DeviceStatus(rawValue: "accepted")
  /// Every read needs review.
  public static let uncertain = DeviceStatus(rawValue: "uncertain")
  /// It has no reads.
  public static let imported = DeviceStatus(rawValue: "imported")
}

/// A page of devices.
public struct DevicePage: ListPage, Codable, Equatable {
  /// The devices.
  public var items: [Device]
  /// Number of devices on all pages.
  public var total: Int
  /// The cursor of the next page; nil on the last one.
  public var nextCursor: String?
}

/// Conditions on the devices to list.
public struct DeviceFilter: Sendable {
  /// Conditions that reads have too. Days refer to the latest read, a batch or source to any read.
  public var serials: SerialFilter
  /// The serial's reliability; nil for any.
  public var status: DeviceStatus?
  /// Values of custom fields by name.
  public var custom: [String: String]

  /// Creates a filter; without conditions it matches every device.
  public init(_ serials: SerialFilter = SerialFilter(), status: DeviceStatus? = nil, custom: [String: String] = [:]) {
    (self.serials, self.status, self.custom) = (serials, status, custom)
  }

  var query: [(String, String)] {
    serials.query + (status.map { [("status", $0.rawValue)] } ?? [])
      + custom.sorted { $0.key < $1.key }.map { ("custom.\($0.key)", $0.value) }
  }
}

/// The order of ``SerialScanClient/devices(filter:sortedBy:ascending:pageSize:)``.
public enum DeviceOrder: String, Sendable {
  /// By the time of the latest read.
  case lastSeen = "last_seen"
  /// By the time of the first read.
  case firstSeen = "first_seen"
  /// By serial.
  case serial
  /// By number of reads.
  case timesSeen = "times_seen"
  /// By device type.
  case deviceType = "device_type"
}
