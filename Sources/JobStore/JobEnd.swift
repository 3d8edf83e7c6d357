import ScanModel

/// How a job stands after `JobOutcome`, the same in every store.
package struct JobEnd: Sendable {
  /// `completed` or `failed`.
  package var state: Job.State
  /// For a person.
  package var message: String
  /// What was read.
  package var reading: Reading?
  /// Why it failed.
  package var error: JobError?
  /// The reads to be saved: the top one, and of a reading of every serial all that are accepted.
  package var saved: [SerialRead] = []

  /// Judges an outcome.
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
        error = .noSerial
        message = JobError.noSerial.detail
      }
    case .failed(let failure):
      state = .failed
      error = failure
      message = failure.detail
    }
  }
}

extension NewSerial {
  /// The serial that a job has read, with what is known of its photo.
  package init(_ read: SerialRead, of job: Job) {
    let notes = job.reading?.notes.joined(separator: " ") ?? ""
    self.init(
      serial: read.serial, confidence: read.confidence, source: .scan, isValid: read.isValid,
      deviceType: job.request.deviceType, preset: job.reading?.preset, method: read.method,
      notes: notes.isEmpty ? nil : notes, filename: job.request.filename, verdict: read.verdict ?? job.reading?.verdict,
      keyID: job.request.origin.keyID, fields: read.fields)
  }
}

extension JobError {
  /// A photo in which nothing was read.
  public static let noSerial = JobError(
    code: .noTextDetected,
    detail: "No serial number was found in the photo. Take it again: closer, in focus, without glare.")

  /// A job that was deleted before its end; only those who waited for it hear of this.
  package static let deleted = JobError(code: .jobDeleted, detail: "The job was deleted before its photo was read.")

  /// A job that ended with a serial which the database no longer holds.
  package static let resultDamaged = JobError(
    code: .internalError, detail: "What was read in this photo is damaged in the database. Send the photo again.")

  /// A photo whose readings were begun as often as allowed and never finished.
  package static let attemptsUsedUp = JobError(
    code: .readerCrashed,
    detail: "Reading this photo was begun several times and never finished. Try another photo of the device.")
}

/// What a waiting or claimed job says of itself.
package enum JobMessage {
  /// Before its first reading.
  package static let queued = "Waiting in the queue"
  /// While it is read.
  package static let processing = "Reading the photo"
  /// After a reading that failed.
  package static let givenBack = "Waiting for another attempt"
  /// After a reading that was broken off.
  package static let rescued = "Waiting again: the reading was interrupted"
}

/// Progress as a client sees it: never back, and 100 only at the end.
package func advanced(_ progress: Int, to fraction: Double) -> Int {
  guard fraction.isFinite else { return progress }
  return max(progress, min(99, max(0, Int(exactly: (min(max(fraction, 0), 1) * 100).rounded()) ?? 0)))
}
