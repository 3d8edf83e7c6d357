import AppleSerial
import Foundation
import JobStore
import ScanModel

/// A column available in exports, both in spreadsheets and in CSV.
public struct ExportColumn: Sendable {
  /// The content of a cell.
  enum Value {
    case integer(Int64)
    case real(Double)
    case time(Date)
    case boolean(Bool)
    case text(String)
    case nothing
  }

  /// The name in requests and templates.
  public let name: String
  /// The heading in exports without a template.
  public let label: String
  /// The rows that have this column.
  public let rows: Set<ExportRows>
  /// The column width in a spreadsheet, in characters.
  let width: Double
  /// Whether all-digit cells are identifiers and not numbers.
  let holdsDigits: Bool
  /// Whether it is a custom field.
  private(set) var isCustom = false
  /// Returns the cell of a row.
  let value: @Sendable (ExportRow) -> Value

  private init(
    _ name: String, _ label: String, width: Double, digits: Bool = false,
    of rows: Set<ExportRows> = [.reads, .devices],
    _ value: @escaping @Sendable (ExportRow) -> Value
  ) {
    (self.name, self.label, self.width, holdsDigits, self.rows) = (name, label, width, digits, rows)
    self.value = value
  }

  /// Creates the column of a custom field. If another column has the same name, this one is called `custom.NAME`.
  private init(custom name: String, taken: Set<String>) {
    self.init(taken.contains(name) ? "custom.\(name)" : name, name, width: 18, digits: true) {
      $0.custom[name].map(Value.text) ?? .nothing
    }
    isCustom = true
  }

  /// Creates a column with a property of the read; for a device, of its best read.
  private static func read(
    _ name: String, _ label: String, width: Double, _ value: @escaping @Sendable (SavedSerial) -> Value?
  ) -> ExportColumn {
    ExportColumn(name, label, width: width) { $0.read.flatMap(value) ?? .nothing }
  }

  /// Creates the column of a field beside the serial. A value with wrong check digits is left out.
  private static func field(_ kind: DeviceField.Kind, _ label: String, width: Double) -> ExportColumn {
    ExportColumn(kind.rawValue, label, width: width, digits: kind.isPersonal || kind == .upc) { row in
      row.fields?.first { $0.kind == kind && $0.check != false }.map { .text($0.text) } ?? .nothing
    }
  }

  /// The default columns of an export of reads, in order. A row without a serial has no confidence, and is neither valid
  /// nor invalid.
  static let standard: [ExportColumn] = [
    read("id", "ID", width: 9) { .integer($0.id) },
    read("timestamp", "Time (UTC)", width: 20) { .time($0.createdAt) },
    serial, deviceType,
    read("preset", "Preset", width: 12) { $0.preset.map { .text($0.rawValue) } },
    read("confidence", "Confidence", width: 12) {
      $0.serial.isEmpty ? nil : .real(Confidence.displayed($0.confidence))
    },
    read("method", "Method", width: 18) { $0.method.map(Value.text) },
    read("source", "Source", width: 12) { .text($0.source.rawValue) },
    isValid,
    read("notes", "Notes", width: 60) { $0.notes.map(Value.text) },
    read("filename", "File", width: 28) { $0.filename.map(Value.text) },
    read("verdict", "Verdict", width: 12) { $0.verdict.map { .text($0.rawValue) } },
    read("confirmed_at", "Confirmed (UTC)", width: 20) { $0.confirmedAt.map(Value.time) },
    read("seen_before", "Seen before (UTC)", width: 20) { $0.seenBefore.map(Value.time) },
    field(.modelNumber, "Model number", width: 14), field(.partNumber, "Part number", width: 14),
    field(.imei, "IMEI", width: 18), field(.imei2, "IMEI2", width: 18), field(.eid, "EID", width: 36),
  ]

  private static let serial = ExportColumn("serial", "Serial", width: 18, digits: true) { .text($0.serial) }
  private static let deviceType = ExportColumn("device_type", "Device type", width: 18) {
    $0.deviceType.map(Value.text) ?? .nothing
  }
  private static let isValid = ExportColumn("is_valid", "Valid", width: 8) {
    $0.serial.isEmpty ? .nothing : .boolean($0.isValid)
  }

  /// Columns that only requests and templates add.
  private static let further: [ExportColumn] = [
    ExportColumn("status", "Status", width: 12) { $0.status.map(Value.text) ?? .nothing },
    ExportColumn("batch", "Batch", width: 24) {
      $0.batches.isEmpty ? .nothing : .text($0.batches.joined(separator: ", "))
    },
    ExportColumn("first_seen", "First seen (UTC)", width: 20, of: [.devices]) {
      $0.sightings?.first.map(Value.time) ?? .nothing
    },
    ExportColumn("last_seen", "Last seen (UTC)", width: 20, of: [.devices]) {
      $0.sightings?.last.map(Value.time) ?? .nothing
    },
    ExportColumn("times_seen", "Times seen", width: 12, of: [.devices]) {
      $0.sightings.map { .integer(Int64(clamping: $0.count)) } ?? .nothing
    },
    ExportColumn("model_name", "Model", width: 36) { $0.modelName.map(Value.text) ?? .nothing },
    ExportColumn("model_or_type", "Model or device type", width: 36) {
      ($0.modelName ?? $0.deviceType).map(Value.text) ?? .nothing
    },
    ExportColumn("jamf_device_type", "Jamf device type", width: 16) { .text(JamfDeviceType(of: $0).rawValue) },
    field(.modelIdentifier, "Model identifier", width: 18), field(.emc, "EMC", width: 8),
    field(.meid, "MEID", width: 18), field(.iccid, "ICCID", width: 24),
    field(.wifiAddress, "Wi-Fi address", width: 20), field(.bluetoothAddress, "Bluetooth address", width: 20),
    field(.upc, "UPC", width: 16), field(.capacity, "Capacity", width: 12), field(.color, "Color", width: 16),
    field(.osVersion, "Software version", width: 16),
    read("job_id", "Job", width: 38) { $0.jobID.map(Value.text) },
  ]

  /// Returns all available columns: the default ones, the others, then the custom fields.
  public static func all(custom names: [String] = []) -> [ExportColumn] {
    let known = standard + further
    let taken = Set(known.map(\.name))
    return known + names.map { ExportColumn(custom: $0, taken: taken) }
  }

  /// The names of the default columns of an export of devices, in order; custom fields follow them.
  static let ofDevices = [
    "serial", "device_type", "model_name", "status", "first_seen", "last_seen", "times_seen",
  ]
}

/// The kind of rows in an export.
public enum ExportRows: String, Codable, Sendable, CaseIterable {
  /// Saved serials, one row for each read.
  case reads
  /// Devices, one row for each serial.
  case devices
}

/// The device type in Jamf Pro's inventory preload.
enum JamfDeviceType: String {
  case computer = "Computer"
  case mobileDevice = "Mobile Device"
  case unknown = "Unknown"

  /// Derives it from the device type, or from the model's name or identifier.
  init(of row: ExportRow) {
    let identifier = row.fields?.first { $0.kind == .modelIdentifier }?.text
    let words = [row.deviceType, row.modelName, identifier].compactMap { $0?.lowercased() }
    let found = words.lazy.compactMap { text -> JamfDeviceType? in
      if Self.mobile.contains(where: text.contains) { return .mobileDevice }
      return text.contains("mac") ? .computer : nil
    }.first
    self = found ?? .unknown
  }

  /// Prefixes of what Jamf Pro manages as mobile devices.
  private static let mobile = ["iphone", "ipad", "ipod", "watch", "appletv", "apple tv", "vision"]
}
