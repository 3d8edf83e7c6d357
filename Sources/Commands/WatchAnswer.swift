import Foundation
import JobStore
import ScanModel

/// The result of a watched photo, wherever it was read.
struct WatchAnswer: Sendable {
  var serial: String?
  /// The confidence, 0...1.
  var confidence = 0.0
  /// `accepted`, `uncertain` or `refused`.
  var verdict = "refused"
  var preset: String?
  var method: String?
  var isValid = false
  /// Remarks as sentences.
  var notes: String?
  var jobID: String?
  /// Whether the file is not a picture, or a picture that can't be read.
  var isUnreadable = false

  /// Returns the result of a file that is not a readable photo.
  static func unreadable(_ detail: String) -> WatchAnswer { WatchAnswer(notes: detail, isUnreadable: true) }

  /// Returns the photo's row in the spreadsheet.
  func row(_ name: String, deviceType: String?) -> SavedSerial {
    SavedSerial(
      id: 0, createdAt: Date(), serial: serial ?? "", deviceType: deviceType,
      preset: preset.flatMap { Preset(rawValue: $0) },
      confidence: confidence, method: method, source: .scan, isValid: isValid, notes: notes, jobID: jobID,
      filename: name, verdict: Reading.Verdict(rawValue: verdict))
  }

  /// Returns the photo's line of output.
  func line(_ name: String) -> String {
    if isUnreadable { return "\(name)  unreadable: \(notes ?? "no picture")" }
    guard let serial else { return "\(name)  no serial number found" }
    return
      "\(name)  \(serial)  \(ScanTable.displayed(confidence))  \(verdict == "uncertain" ? "needs review" : verdict)"
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
