import Foundation
import JobStore

/// The figures of the summary sheet, accumulated while rows are written.
public struct ExportFigures: Sendable, Equatable {
  /// The number of rows.
  public private(set) var rows = 0
  /// Rows with a serial. A `scan` without a server also writes rows for photos that have no serial or could not be
  /// read.
  public private(set) var serials = 0
  /// Rows of photos that could not be read: they have neither a serial nor a verdict.
  public private(set) var unreadable = 0
  /// Rows whose serial has a valid format.
  public private(set) var valid = 0
  /// Serials by source.
  public private(set) var bySource: [String?: Int] = [:]
  /// Serials by preset; nil counts those without one.
  public private(set) var byPreset: [String?: Int] = [:]
  /// Serials by device type; nil counts those without one.
  public private(set) var byDeviceType: [String?: Int] = [:]
  /// Serials of device types after the first 500.
  public private(set) var ofOtherDeviceTypes = 0
  /// The time of the first serial.
  public private(set) var first: Date?
  /// The time of the last serial.
  public private(set) var last: Date?
  private var reads = 0
  private var confidenceSum = 0.0

  /// The mean confidence of the reads, 0...1; nil if there are none.
  public var meanConfidence: Double? { reads == 0 ? nil : confidenceSum / Double(reads) }

  mutating func add(_ row: ExportRow) {
    rows += 1
    guard !row.serial.isEmpty else {
      if row.read?.verdict == nil { unreadable += 1 }
      return
    }
    serials += 1
    if row.isValid { valid += 1 }
    if let read = row.read {
      reads += 1
      confidenceSum += read.confidence
    }
    bySource[row.read?.source.rawValue ?? "imported", default: 0] += 1
    byPreset[row.read?.preset?.rawValue, default: 0] += 1
    if byDeviceType[row.deviceType] != nil || byDeviceType.count < SerialStatistics.mostDeviceTypes {
      byDeviceType[row.deviceType, default: 0] += 1
    } else {
      ofOtherDeviceTypes += 1
    }
    for time in [row.sightings?.first, row.sightings?.last, row.sightings == nil ? row.read?.createdAt : nil] {
      guard let time else { continue }
      first = min(first ?? time, time)
      last = max(last ?? time, time)
    }
  }
}
