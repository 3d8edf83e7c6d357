import Foundation
import JobStore
import ScanModel

extension SavedSerial {
  /// Returns a picture's rows in a spreadsheet made without a server: one per serial, or a single row for a picture
  /// without any, including unreadable ones, which have no verdict.
  static func rows(after number: Int, name: String, _ result: Result<Reading, ReadFailure>) -> [SavedSerial] {
    let told = (try? result.get())?.told ?? []
    guard !told.isEmpty else {
      let verdict = (try? result.get()).map { _ in Reading.Verdict.refused }
      return [SavedSerial(number: number + 1, name: name, result, nil, verdict)]
    }
    return told.enumerated().map { index, told in
      SavedSerial(number: number + 1 + index, name: name, result, told.read, told.verdict)
    }
  }

  private init(
    number: Int, name: String, _ result: Result<Reading, ReadFailure>, _ read: SerialRead?, _ verdict: Reading.Verdict?
  ) {
    let reading = try? result.get()
    var notes = reading?.notes.joined(separator: " ") ?? ""
    if case .failure(let failure) = result { notes = failure.detail }
    if let reading, reading.serials.isEmpty {
      notes = ([reading.withoutSerial] + reading.notes).joined(separator: " ")
    }
    self.init(
      id: Int64(clamping: number), createdAt: Date(), serial: read?.serial ?? "", deviceType: nil,
      preset: reading?.preset, confidence: read?.confidence ?? 0, method: read?.method, source: .scan,
      isValid: read?.isValid ?? false, notes: notes.isEmpty ? nil : notes, jobID: nil, filename: name,
      verdict: verdict, fields: read?.fields ?? reading?.fields)
  }
}

extension NewSerial {
  /// Returns the accepted reads of a picture, to be saved.
  ///
  /// - Parameter photo: The digest of the photo's bytes, so that the same serial in the same photo is saved only once.
  static func accepted(name: String, _ result: Result<Reading, ReadFailure>, photo: String?) -> [NewSerial] {
    guard let reading = try? result.get() else { return [] }
    return reading.told.filter { $0.verdict == .accepted }.map { told in
      NewSerial(
        serial: told.read.serial, confidence: told.read.confidence, source: .scan, isValid: told.read.isValid,
        preset: reading.preset, method: told.read.method,
        notes: reading.notes.isEmpty ? nil : reading.notes.joined(separator: " "), filename: name, verdict: .accepted,
        fields: told.read.fields,
        key: photo.map { SaveKey(name: "scan \($0) \(told.read.serial)", request: "scan") })
    }
  }
}
