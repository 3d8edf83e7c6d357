import Foundation
import JobStore
import ScanModel

/// The result of a watched photo, wherever it was read.
struct WatchAnswer: Sendable {
  /// A serial that was read.
  struct Read: Sendable {
    var serial: String
    /// The confidence, 0...1.
    var confidence: Double
    var verdict: Reading.Verdict
    var method: String?
    var isValid: Bool
    /// The fields beside the serial.
    var fields: [FieldRead]?
  }

  // `WatchServer` uses these names, because the client has types of the same names.

  /// A field beside a serial.
  typealias Field = FieldRead
  /// How reliable a read is.
  typealias Verdict = Reading.Verdict

  /// The reported serials, best first.
  var reads: [Read] = []
  /// The fields that belong to no serial.
  var fields: [FieldRead]?
  var preset: Preset?
  /// Remarks as sentences.
  var notes: String?
  var jobID: String?
  /// Whether the file is not a picture, or a picture that can't be read.
  var isUnreadable = false

  /// Returns the result of a file that is not a readable photo.
  static func unreadable(_ detail: String) -> WatchAnswer { WatchAnswer(notes: detail, isUnreadable: true) }

  /// Sets the remarks, which begin with why there is no serial if there is none.
  mutating func note(_ remarks: [String], withoutSerial: String) {
    let sentences = (reads.isEmpty ? [withoutSerial] : []) + remarks
    notes = sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// Returns the photo's rows in the spreadsheet: one per serial, or a single row without a serial.
  func rows(_ name: String, deviceType: String?) -> [SavedSerial] {
    let reads = reads.map(Optional.some)
    return (reads.isEmpty ? [nil] : reads).map { read in
      SavedSerial(
        id: 0, createdAt: Date(), serial: read?.serial ?? "", deviceType: deviceType, preset: preset,
        confidence: read?.confidence ?? 0, method: read?.method, source: .scan, isValid: read?.isValid ?? false,
        notes: notes, jobID: jobID, filename: name, verdict: read?.verdict ?? (isUnreadable ? nil : .refused),
        fields: read?.fields ?? fields)
    }
  }

  /// Returns the photo's lines of output, one per serial.
  func line(_ name: String) -> String {
    if isUnreadable { return "\(name)  unreadable: \(notes ?? "no picture")" }
    if reads.isEmpty { return "\(name)  no serial number found" }
    return reads.map { read in
      let verdict = read.verdict == .uncertain ? "needs review" : read.verdict.rawValue
      return "\(name)  \(read.serial)  \(ScanTable.displayed(read.confidence))  \(verdict)"
    }.joined(separator: "\n")
  }
}

/// A reader of watched photos.
protocol WatchReading: Sendable {
  /// The maximum number of photos read concurrently.
  var width: Int { get }

  /// Reads a photo. A photo submitted again under the same key is read only once.
  ///
  /// Throws `WatchProblem` if it can't be read now.
  func read(_ file: WatchedFile, bytes: [UInt8], key: String) async throws -> WatchAnswer
}
