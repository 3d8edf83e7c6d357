import Foundation
import JobStore

/// The figures of the summary sheet, accumulated while rows are written.
public struct ExportFigures: Sendable, Equatable {
  /// The number of rows.
  public private(set) var rows = 0
  /// Rows with a serial. A `scan` without a server also writes rows for photos that have no serial or could not be
  /// read.
  public private(set) var serials = 0
  /// Rows whose serial has a valid format.
  public private(set) var valid = 0
  /// Serials by source.
  public private(set) var bySource: [String: Int] = [:]
  /// Serials by preset.
  public private(set) var byPreset: [String: Int] = [:]
  /// Serials by device type; types after the first 500 count as `other`.
  public private(set) var byDeviceType: [String: Int] = [:]
  /// The time of the first serial.
  public private(set) var first: Date?
  /// The time of the last serial.
  public private(set) var last: Date?
  private var confidenceSum = 0.0

  /// The mean confidence of the serials, 0...1; nil if there are none.
  public var meanConfidence: Double? { serials == 0 ? nil : confidenceSum / Double(serials) }

  mutating func add(_ serial: SavedSerial) {
    rows += 1
    guard !serial.serial.isEmpty else { return }
    serials += 1
    if serial.isValid { valid += 1 }
    confidenceSum += serial.confidence
    bySource[serial.source.rawValue, default: 0] += 1
    byPreset[serial.preset?.rawValue ?? "none", default: 0] += 1
    let deviceType = serial.deviceType ?? "none"
    let isCounted = byDeviceType[deviceType] != nil || byDeviceType.count < SerialStatistics.mostDeviceTypes
    byDeviceType[isCounted ? deviceType : "other", default: 0] += 1
    first = min(first ?? serial.createdAt, serial.createdAt)
    last = max(last ?? serial.createdAt, serial.createdAt)
  }
}
