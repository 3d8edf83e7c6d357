import Foundation
import JobStore
import ReaderProtocol

/// The columns of the sheet "To check": photos of which nothing was saved yet.
enum CheckColumn: String, CaseIterable {
  case time = "Time (UTC)"
  case filename = "File"
  case verdict = "Verdict"
  case serial = "Read as"
  case confidence = "Confidence"
  case deviceType = "Device type"
  case reason = "Why"
  case job = "Job"

  /// Width in a spreadsheet, in characters.
  var width: Double {
    switch self {
    case .time: 20
    case .filename: 28
    case .verdict, .confidence: 12
    case .serial, .deviceType: 18
    case .reason: 60
    case .job: 38
    }
  }

  /// The cell of a row.
  func value(of job: Job) -> SerialColumn.Value {
    switch self {
    case .time: .time(job.createdAt)
    case .filename: job.request.filename.map(SerialColumn.Value.text) ?? .nothing
    case .verdict: job.verdict.map { .text($0.rawValue) } ?? .nothing
    case .serial: job.reading?.topSerial.map { .text($0.serial) } ?? .nothing
    case .confidence: job.reading?.topSerial.map { .real(Confidence.displayed($0.confidence)) } ?? .nothing
    case .deviceType: job.request.deviceType.map(SerialColumn.Value.text) ?? .nothing
    case .reason: .text(job.error?.detail ?? job.reading?.notes.joined(separator: " ") ?? "")
    case .job: .text(job.id)
    }
  }
}
