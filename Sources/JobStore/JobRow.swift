import Foundation
import GRDB
import ReaderProtocol

extension Job {
  /// The columns that `init(row:)` reads.
  static let columns = """
    id, state, progress, message, priority, attempts, created_at, updated_at, photo, photo_bytes, preset, device_type, \
    persist, annotate, reading, error_code, error_detail, saved
    """

  /// Reads a row of `columns`.
  init(row: Row) throws {
    let state: String = row["state"]
    let preset: String? = row["preset"]
    let reading: String? = row["reading"]
    let errorCode: String? = row["error_code"]
    self.init(
      id: row["id"],
      // The table admits no other state.
      state: State(rawValue: state) ?? .failed,
      progress: row["progress"], message: row["message"], priority: row["priority"], attempts: row["attempts"],
      createdAt: Date(microseconds: row["created_at"]), updatedAt: Date(microseconds: row["updated_at"]),
      request: JobRequest(
        photo: row["photo"], photoBytes: row["photo_bytes"], preset: preset.flatMap(Preset.init(rawValue:)),
        deviceType: row["device_type"], persist: row["persist"], annotate: row["annotate"]),
      reading: try reading.map { try JSONDecoder().decode(Reading.self, from: Data($0.utf8)) },
      error: errorCode.map { JobError(code: $0, detail: row["error_detail"] ?? "") },
      savedToDatabase: row["saved"])
  }
}

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
  /// The read to be saved, if any.
  package var saved: SerialRead?

  /// Judges an outcome.
  package init(_ outcome: JobOutcome) {
    switch outcome {
    case .read(let reading, let save):
      self.reading = reading
      if let top = reading.topSerial {
        state = .completed
        message = reading.serials.count == 1 ? "Read 1 serial number" : "Read \(reading.serials.count) serial numbers"
        saved = save ? top : nil
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

extension JobError {
  /// A photo in which nothing was read.
  public static let noSerial = JobError(
    code: "NO_TEXT_DETECTED",
    detail: "No serial number was found in the photo. Take it again: closer, in focus, without glare.")

  /// A photo whose readings were begun as often as allowed and never finished.
  static let attemptsUsedUp = JobError(
    code: "READER_CRASHED",
    detail: "Reading this photo was begun several times and never finished. Try another photo of the device.")
}

/// What a waiting or claimed job says of itself.
enum JobMessage {
  static let queued = "Waiting in the queue"
  static let processing = "Reading the photo"
  static let givenBack = "Waiting for another attempt"
  static let rescued = "Waiting again: the reading was interrupted"
}

/// Progress as a client sees it: never back, and 100 only at the end.
func advanced(_ progress: Int, to fraction: Double) -> Int {
  guard fraction.isFinite else { return progress }
  return max(progress, min(99, max(0, Int((fraction * 100).rounded()))))
}
