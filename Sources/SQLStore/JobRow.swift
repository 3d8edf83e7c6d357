import Foundation
import JobStore
import ScanModel

extension Job {
  /// The columns that `init(row:)` reads.
  package static let columns = """
    id, state, progress, message, priority, attempts, created_at, updated_at, photo, photo_bytes, preset, device_type, \
    persist, annotate, reading, error_code, error_detail, saved, filename, confirmed_serial, \
    key_id, request_id, trace_id, region, multiple, duplicate_of, batch_id, photo_pruned, has_thumbnail, review, \
    min_confidence
    """

  /// Decodes a row of `columns`. A completed job whose result can't be decoded becomes a failed one.
  package init(row: any SQLRow) throws {
    let hasPhoto = try !row.flag("photo_pruned")
    let reading = try row.optionalText("reading")
    let detail = try row.optionalText("error_detail") ?? ""
    self.init(
      id: try row.text("id"),
      // The table allows no other states.
      state: State(rawValue: try row.text("state")) ?? .failed,
      progress: min(100, max(0, try row.count("progress"))), message: try row.text("message"),
      priority: try row.count("priority"), attempts: try row.count("attempts"),
      createdAt: Date(microseconds: try row.integer("created_at")),
      updatedAt: Date(microseconds: try row.integer("updated_at")), request: try JobRequest(row: row),
      reading: reading.flatMap { try? JSONDecoder().decode(Reading.self, from: Data($0.utf8)) },
      error: try row.optionalText("error_code").map { JobError(code: ErrorCode(stored: $0), detail: detail) },
      savedToDatabase: try row.flag("saved"), confirmedSerial: try row.optionalText("confirmed_serial"),
      duplicateOf: try row.optionalText("duplicate_of"), hasPhoto: hasPhoto,
      hasThumbnail: try hasPhoto && row.flag("has_thumbnail"),
      review: try row.optionalText("review").flatMap(Review.init(rawValue:)))
    if state == .completed, self.reading?.topSerial == nil {
      (state, message, error) = (.failed, JobError.resultDamaged.detail, .resultDamaged)
    }
  }
}

extension JobRequest {
  fileprivate init(row: any SQLRow) throws {
    self.init(
      photo: try row.text("photo"), photoBytes: try row.count("photo_bytes"),
      preset: try row.optionalText("preset").flatMap(Preset.init(rawValue:)),
      deviceType: try row.optionalText("device_type"), persist: try row.flag("persist"),
      annotate: try row.flag("annotate"), filename: try row.optionalText("filename"),
      part: try row.optionalText("region").flatMap(PhotoPart.init), everySerial: try row.flag("multiple"),
      batchID: try row.optionalText("batch_id"),
      origin: Origin(
        keyID: try row.optionalText("key_id"), requestID: try row.optionalText("request_id"),
        traceID: try row.optionalText("trace_id")),
      minConfidence: try row.optionalReal("min_confidence"))
  }
}
