import Foundation
import JobStore
import ScanModel

/// What came of a watched photo, wherever it was read.
struct WatchAnswer: Sendable {
  var serial: String?
  /// 0...1.
  var confidence = 0.0
  /// `accepted`, `uncertain` or `refused`.
  var verdict = "refused"
  var preset: String?
  var method: String?
  var isValid = false
  /// Sentences for a person.
  var notes: String?
  var jobID: String?
  /// Whether the file is no picture, or one that can't be read.
  var isUnreadable = false

  /// A file that is no photo.
  static func unreadable(_ detail: String) -> WatchAnswer { WatchAnswer(notes: detail, isUnreadable: true) }

  /// The photo's row in the spreadsheet.
  func row(_ name: String, deviceType: String?) -> SavedSerial {
    SavedSerial(
      id: 0, createdAt: Date(), serial: serial ?? "", deviceType: deviceType,
      preset: preset.flatMap { Preset(rawValue: $0) },
      confidence: confidence, method: method, source: .scan, isValid: isValid, notes: notes, jobID: jobID,
      filename: name, verdict: Reading.Verdict(rawValue: verdict))
  }

  /// A line for a person.
  func line(_ name: String) -> String {
    if isUnreadable { return "\(name)  unreadable: \(notes ?? "no picture")" }
    guard let serial else { return "\(name)  no serial number found" }
    return
      "\(name)  \(serial)  \(ScanTable.displayed(confidence))  \(verdict == "uncertain" ? "needs review" : verdict)"
  }
}

/// Who reads watched photos.
protocol WatchReading: Sendable {
  /// Photos under way at a time.
  var width: Int { get }

  /// Has a photo read. A photo that is given again under the same key is read once.
  ///
  /// Throws `WatchProblem` where it is not read now.
  func read(_ file: WatchedFile, bytes: [UInt8], key: String) async throws -> WatchAnswer
}
