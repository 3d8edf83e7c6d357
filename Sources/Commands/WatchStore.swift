import Foundation
import HTTPAPI
import Imaging
import JobStore
import PictureHeader
import ScanModel
import SerialReading
import Support

/// Reads watched photos as jobs of a store, with the workers of this program and of others that share the store.
struct WatchStore: WatchReading {
  /// The interval at which waiting for a job's end checks whether the program is stopping.
  private static let wait = Duration.seconds(5)

  let store: any ServerStore
  let width: Int
  let preset: Preset?
  let deviceType: String?
  /// Whether every serial of a photo is read.
  let everySerial: Bool

  func read(_ file: WatchedFile, bytes: [UInt8], key: String) async throws -> WatchAnswer {
    let header: PictureHeader
    do { header = try PictureHeader(bytes: bytes) } catch {
      return .unreadable(ReadFailure(PictureError(error)).detail)
    }
    do {
      let id = UUID().uuidString.lowercased()
      let request = JobRequest(
        photo: "\(id).\(header.format.fileExtension)", photoBytes: bytes.count, preset: preset, deviceType: deviceType,
        filename: PhotoFileName.sanitised(file.name), everySerial: everySerial)
      let hash = ContentHash()
      hash.update(bytes)
      let job = NewJob(
        id: id, request: request, idempotencyKey: key,
        photoDigest: file.digest.map { request.fingerprint(ofPhoto: $0) }, photoHash: hash.finish())
      let enqueued = try await store.enqueue(job, photo: store.blobs.stage(bytes))
      WatchPoint.watchSubmitted.reached()
      while true {
        try Task.checkCancellation()
        guard let job = try await store.waitForEnd(id: enqueued.id, timeout: Self.wait) else {
          throw WatchProblem(.photo, "The job of \(file.name) was deleted before its end.")
        }
        if job.state.isEnd { return try Self.answer(job) }
      }
    } catch let error as StoreError {
      throw WatchProblem(.surroundings, Self.sentence(error))
    }
  }

  private static func answer(_ job: Job) throws -> WatchAnswer {
    guard let reading = job.reading else {
      let error = job.error ?? JobError(code: .internalError, detail: job.message)
      guard error.code.isTransient else {
        var answer = WatchAnswer.unreadable(error.detail)
        answer.jobID = job.id
        return answer
      }
      throw WatchProblem(.photo, "\(job.request.filename ?? job.id): \(error.detail)")
    }
    var answer = WatchAnswer(
      reads: reading.told.map { told in
        WatchAnswer.Read(
          serial: told.read.serial, confidence: told.read.confidence, verdict: told.verdict, method: told.read.method,
          isValid: told.read.isValid, fields: told.read.fields)
      }, fields: reading.fields, preset: reading.preset, jobID: job.id)
    answer.note(reading.notes, withoutSerial: reading.withoutSerial)
    return answer
  }

  private static func sentence(_ error: StoreError) -> String {
    switch error {
    case .queueFull: "The store's queue is full; photos stay in the folder until there is room."
    case .diskFull: "The store's disk is full, so no photo is read. Free some space; retrying."
    case .unavailable(let reason), .lost(let reason), .unreadable(let reason), .refused(let reason):
      "The store can't be used (\(reason)), so no photo is read; retrying."
    case .claimLost(let id), .idempotencyConflict(let id):
      "The store rejects the photo: its key belongs to another photo's job, \(id)."
    case .serialTaken, .saveConflict:
      "The store rejects the photo: its key belongs to another photo's serial."
    }
  }
}
