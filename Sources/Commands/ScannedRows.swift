import Foundation
import JobStore
import ReaderProtocol

extension SavedSerial {
  /// The row of a picture in a spreadsheet that is made without a server: every picture has one, unreadable ones too.
  init(number: Int, name: String, _ result: Result<Reading, ReadFailure>) {
    let reading = try? result.get()
    let top = reading?.topSerial
    var notes = reading?.notes.joined(separator: " ") ?? ""
    if case .failure(let failure) = result { notes = failure.detail }
    if let reading, reading.serials.isEmpty { notes = "No serial number was found. \(notes)" }
    self.init(
      id: Int64(clamping: number), createdAt: Date(), serial: top?.serial ?? "", deviceType: nil,
      preset: reading?.preset, confidence: top?.confidence ?? 0, method: top?.method, source: .scan,
      isValid: top?.isValid ?? false, notes: notes.isEmpty ? nil : notes, jobID: nil, filename: name,
      verdict: top == nil ? .refused : reading?.verdict)
  }
}

extension NewSerial {
  /// An accepted read, to be saved; nil for every other.
  init?(name: String, _ result: Result<Reading, ReadFailure>) {
    guard let reading = try? result.get(), reading.verdict == .accepted, let top = reading.topSerial else { return nil }
    self.init(
      serial: top.serial, confidence: top.confidence, source: .scan, isValid: top.isValid, preset: reading.preset,
      method: top.method, notes: reading.notes.isEmpty ? nil : reading.notes.joined(separator: " "), filename: name,
      verdict: .accepted)
  }
}
