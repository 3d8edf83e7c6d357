import Foundation
import GRDB
import JobStore
import ScanModel

extension Job {
  /// The columns that `init(row:)` reads.
  static let columns = """
    id, state, progress, message, priority, attempts, created_at, updated_at, photo, photo_bytes, preset, device_type, \
    persist, annotate, reading, error_code, error_detail, saved, filename, confirmed_serial, \
    key_id, request_id, trace_id, region, multiple
    """

  /// Reads a row of `columns`, whatever it holds: a job whose result can't be made out has failed.
  init(row: Row) {
    let state: String = row["state"]
    let preset: String? = row["preset"]
    let reading: String? = row["reading"]
    let errorCode: String? = row["error_code"]
    let region: String? = row["region"]
    self.init(
      id: row["id"],
      // The table admits no other state.
      state: State(rawValue: state) ?? .failed,
      progress: min(100, max(0, row["progress"])), message: row["message"], priority: row["priority"],
      attempts: row["attempts"],
      createdAt: Date(microseconds: row["created_at"]), updatedAt: Date(microseconds: row["updated_at"]),
      request: JobRequest(
        photo: row["photo"], photoBytes: row["photo_bytes"], preset: preset.flatMap(Preset.init(rawValue:)),
        deviceType: row["device_type"], persist: row["persist"], annotate: row["annotate"],
        filename: row["filename"], part: region.flatMap(PhotoPart.init), everySerial: row["multiple"],
        origin: Origin(keyID: row["key_id"], requestID: row["request_id"], traceID: row["trace_id"])),
      reading: reading.flatMap { try? JSONDecoder().decode(Reading.self, from: Data($0.utf8)) },
      error: errorCode.map { JobError(code: ErrorCode(stored: $0), detail: row["error_detail"] ?? "") },
      savedToDatabase: row["saved"], confirmedSerial: row["confirmed_serial"])
    if self.state == .completed, self.reading?.topSerial == nil { fail(with: .resultDamaged) }
  }

  private mutating func fail(with error: JobError) {
    (state, message, self.error) = (.failed, error.detail, error)
  }
}
