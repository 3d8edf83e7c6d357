import Foundation
import JobStore
import ScanModel

/// What happens to a job after one read of its photo.
enum ReadDecision: Equatable {
  /// The job ends.
  case finish(JobOutcome)
  /// The job is retried after a delay in seconds.
  case giveBack(delay: TimeInterval, countsAsAttempt: Bool)

  /// Decides for a completed read.
  init(_ reading: Reading, request: JobRequest) {
    self = .finish(.read(reading, save: request.persist && reading.verdict == .accepted))
  }

  /// Decides for a failed read at the `attempts`th attempt, `age` seconds after the photo arrived.
  init(_ failure: ReadFailure, attempts: Int, age: TimeInterval, configuration: RunnerConfiguration) {
    switch failure.code {
    case .photoMissing where age < configuration.missingPhotoPatience:
      self = .giveBack(delay: max(configuration.retryDelay, age / 2), countsAsAttempt: false)
    case .notAPicture, .damagedPicture, .tooManyPixels, .photoMissing:
      // The same bytes would fail again.
      self = .finish(.failed(JobError(failure)))
    case .readerCrashed, .readerTimedOut, .outOfMemory:
      self =
        failure.isFinal
        ? .finish(.failed(JobError(failure))) : .again(JobError(failure), attempts: attempts, configuration)
    case .readerUnavailable:
      // The photo was not read at all.
      self = .giveBack(delay: configuration.retryDelay, countsAsAttempt: false)
    }
  }

  /// Retries later, with a longer delay after each attempt; ends with the error once no attempts are left.
  static func again(_ error: JobError, attempts: Int, _ configuration: RunnerConfiguration) -> ReadDecision {
    guard attempts < configuration.maxAttempts else { return .finish(.failed(error)) }
    let doubling = pow(2, Double(max(0, attempts - 1)))
    return .giveBack(delay: configuration.retryDelay * doubling, countsAsAttempt: true)
  }
}

extension JobError {
  /// The error for a stored photo that can't be read while others can.
  static let photoUnreadable = JobError(
    code: .photoMissing, detail: "The stored photo can't be read from the disk. Send it again.")

  /// The error for a result that the store refuses in every form.
  static let resultRefused = JobError(
    code: .internalError, detail: "The result of this photo can't be stored; the server's log has this job's id.")

  fileprivate init(_ failure: ReadFailure) {
    self.init(code: ErrorCode(failure.code), detail: failure.detail)
  }
}
