import ScanModel

/// A job's final state after a `JobOutcome`, the same in every store.
package struct JobEnd: Sendable {
  /// `completed` or `failed`.
  package var state: Job.State
  /// Text for people.
  package var message: String
  /// The reading.
  package var reading: Reading?
  /// Why it failed.
  package var error: JobError?
  /// The reads to save: the top one and, if every serial was requested, all accepted ones.
  package var saved: [SerialRead] = []

  /// Derives the final state from an outcome.
  package init(_ outcome: JobOutcome) {
    switch outcome {
    case .read(let reading, let save):
      self.reading = reading
      if let top = reading.topSerial {
        state = .completed
        message = reading.serials.count == 1 ? "Read 1 serial number" : "Read \(reading.serials.count) serial numbers"
        saved = save ? [top] + reading.told.dropFirst().filter { $0.verdict == .accepted }.map(\.read) : []
      } else {
        state = .failed
        message = reading.withoutSerial
        error = JobError(code: .noTextDetected, detail: message)
      }
    case .failed(let failure):
      state = .failed
      error = failure
      message = failure.detail
    }
  }
}

extension NewSerial {
  /// Creates a serial to save from a read and its job.
  package init(_ read: SerialRead, of job: Job) {
    let notes = job.reading?.notes.joined(separator: " ") ?? ""
    self.init(
      serial: read.serial, confidence: read.confidence, source: .scan, isValid: read.isValid,
      deviceType: job.request.deviceType, preset: job.reading?.preset, method: read.method,
      notes: notes.isEmpty ? nil : notes, filename: job.request.filename, verdict: read.verdict ?? job.reading?.verdict,
      keyID: job.request.origin.keyID, fields: read.fields, batchID: job.request.batchID)
  }
}

extension JobError {
  /// The error of a photo without a serial.
  public static let noSerial = JobError(code: .noTextDetected, detail: Reading.withoutSerial)

  /// The error of a job that was deleted before its end. Only clients waiting for it receive this.
  package static let deleted = JobError(code: .jobDeleted, detail: "The job was deleted before its photo was read.")

  /// The error of an ended job whose serial is damaged in the database.
  package static let resultDamaged = JobError(
    code: .internalError, detail: "The result of this photo is damaged in the database. Send the photo again.")

  /// The error of a photo whose last allowed attempt was interrupted.
  package static let attemptsUsedUp = JobError(
    code: .readerCrashed,
    detail: "Reading this photo was started several times and never finished. Try another photo of the device.")
}

/// The messages of waiting and claimed jobs.
package enum JobMessage {
  /// Before the first attempt.
  package static let queued = "Waiting in the queue"
  /// While the photo is read.
  package static let processing = "Reading the photo"
  /// After a failed attempt.
  package static let givenBack = "Waiting for another attempt"
  /// After an interrupted attempt.
  package static let rescued = "Waiting again: the reading was interrupted"
}

/// The progress reported while a job runs: it never decreases, and is at most 99, because 100 means the end.
package func advanced(_ progress: Int, to fraction: Double) -> Int {
  guard fraction.isFinite else { return progress }
  return max(progress, min(99, max(0, Int(exactly: (min(max(fraction, 0), 1) * 100).rounded()) ?? 0)))
}
