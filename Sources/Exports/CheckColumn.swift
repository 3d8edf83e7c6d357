import Foundation
import JobStore
import ScanModel

/// The columns of the sheet "Needs review", which lists photos without a saved serial.
enum CheckColumn: String, CaseIterable {
  case time = "Time (UTC)"
  case filename = "File"
  case verdict = "Verdict"
  case serial = "Read as"
  case confidence = "Confidence"
  case deviceType = "Device type"
  case reason = "Details"
  case job = "Job"

  /// The column width in a spreadsheet, in characters.
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

  /// Returns the cell of a row.
  func value(of job: Job) -> ExportColumn.Value {
    switch self {
    case .time: .time(job.createdAt)
    case .filename: job.request.filename.map(ExportColumn.Value.text) ?? .nothing
    case .verdict: job.verdict.map { .text($0.rawValue) } ?? .nothing
    case .serial: job.reading?.topSerial.map { .text($0.serial) } ?? .nothing
    case .confidence: job.reading?.topSerial.map { .real(Confidence.displayed($0.confidence)) } ?? .nothing
    case .deviceType: job.request.deviceType.map(ExportColumn.Value.text) ?? .nothing
    case .reason: .text(reason(of: job))
    case .job: .text(job.id)
    }
  }

  /// Returns why the photo needs review: the doubts about the read, or why there is none, and what else was found.
  private func reason(of job: Job) -> String {
    let doubts = job.reading?.topSerial?.doubts?.map(\.sentence) ?? []
    let sentences = [job.error?.detail].compactMap(\.self) + doubts + (job.reading?.notes ?? [])
    guard sentences.isEmpty, let top = job.reading?.topSerial else { return sentences.joined(separator: " ") }
    // There is no specific doubt: the confidence was too low.
    return
      "It could not be read with enough confidence (\(String(format: "%.3f", Confidence.displayed(top.confidence))))."
  }
}
