import AppleSerial
import Foundation
import JobStore
import ScanModel

/// The columns of an export in order, for spreadsheets and CSV alike.
package enum SerialColumn: CaseIterable {
  case id, time, serial, deviceType, preset, confidence, method, source, valid, notes, filename, verdict, confirmed,
    seenBefore, modelNumber, partNumber, imei, imei2, eid

  /// The content of a cell.
  enum Value {
    case integer(Int64)
    case real(Double)
    case time(Date)
    case boolean(Bool)
    case text(String)
    case nothing
  }

  /// The column's heading.
  var header: String {
    switch self {
    case .id: "ID"
    case .time: "Time (UTC)"
    case .serial: "Serial"
    case .deviceType: "Device type"
    case .preset: "Preset"
    case .confidence: "Confidence"
    case .method: "Method"
    case .source: "Source"
    case .valid: "Valid"
    case .notes: "Notes"
    case .filename: "File"
    case .verdict: "Verdict"
    case .confirmed: "Confirmed (UTC)"
    case .seenBefore: "Seen before (UTC)"
    case .modelNumber: "Model number"
    case .partNumber: "Part number"
    case .imei: "IMEI"
    case .imei2: "IMEI2"
    case .eid: "EID"
    }
  }

  /// The column width in a spreadsheet, in characters.
  var width: Double {
    switch self {
    case .id: 9
    case .time, .confirmed, .seenBefore: 20
    case .serial, .deviceType, .method, .imei, .imei2: 18
    case .modelNumber, .partNumber: 14
    case .eid: 36
    case .preset, .confidence, .source, .verdict: 12
    case .filename: 28
    case .valid: 8
    case .notes: 60
    }
  }

  /// Returns the cell of a row.
  func value(of serial: SavedSerial) -> Value {
    switch self {
    case .id: .integer(serial.id)
    case .time: .time(serial.createdAt)
    case .serial: .text(serial.serial)
    case .deviceType: serial.deviceType.map(Value.text) ?? .nothing
    case .preset: serial.preset.map { .text($0.rawValue) } ?? .nothing
    // A row without a serial has no confidence.
    case .confidence: serial.serial.isEmpty ? .nothing : .real(Confidence.displayed(serial.confidence))
    case .method: serial.method.map(Value.text) ?? .nothing
    case .source: .text(serial.source.rawValue)
    case .valid: .boolean(serial.isValid)
    case .notes: serial.notes.map(Value.text) ?? .nothing
    case .filename: serial.filename.map(Value.text) ?? .nothing
    case .verdict: serial.verdict.map { .text($0.rawValue) } ?? .nothing
    case .confirmed: serial.confirmedAt.map(Value.time) ?? .nothing
    case .seenBefore: serial.seenBefore.map(Value.time) ?? .nothing
    case .modelNumber, .partNumber, .imei, .imei2, .eid: field(of: serial).map(Value.text) ?? .nothing
    }
  }

  /// Returns the content of a field's column; nil if the value's check digits are wrong.
  private func field(of serial: SavedSerial) -> String? {
    let kind: DeviceField.Kind? =
      switch self {
      case .modelNumber: .modelNumber
      case .partNumber: .partNumber
      case .imei: .imei
      case .imei2: .imei2
      case .eid: .eid
      default: nil
      }
    return serial.fields?.first { $0.kind == kind && $0.check != false }?.text
  }

  /// Whether the cells may consist of digits that are an identifier, not a number.
  var holdsDigits: Bool { [.serial, .imei, .imei2, .eid].contains(self) }
}
