import Foundation
import JobStore
import ReaderProtocol

/// What becomes of a job after one read of its photo.
enum ReadDecision: Equatable {
  /// The job ends.
  case finish(JobOutcome)
  /// The job is tried again after some seconds.
  case giveBack(delay: TimeInterval, countsAsAttempt: Bool)

  /// Decides for a read that was answered.
  init(_ reading: Reading, request: JobRequest) {
    self = .finish(.read(reading, save: request.persist && reading.verdict == .accepted))
  }

  /// Decides for a read that failed, of a job at its `attempts`th attempt whose photo arrived `age` seconds ago.
  init(_ failure: ReadFailure, attempts: Int, age: TimeInterval, configuration: RunnerConfiguration) {
    switch failure.code {
    case .photoMissing where age < configuration.missingPhotoPatience:
      self = .giveBack(delay: max(configuration.retryDelay, age / 2), countsAsAttempt: false)
    case .notAPicture, .damagedPicture, .tooManyPixels, .photoMissing:
      // The same bytes fail the same way.
      self = .finish(.failed(JobError(failure)))
    case .readerCrashed, .readerTimedOut, .outOfMemory:
      self =
        failure.isFinal
        ? .finish(.failed(JobError(failure))) : .again(JobError(failure), attempts: attempts, configuration)
    case .readerUnavailable:
      // The photo was not even looked at.
      self = .giveBack(delay: configuration.retryDelay, countsAsAttempt: false)
    }
  }

  /// Another attempt, later after each; the error once they are used up.
  static func again(_ error: JobError, attempts: Int, _ configuration: RunnerConfiguration) -> ReadDecision {
    guard attempts < configuration.maxAttempts else { return .finish(.failed(error)) }
    let doubling = pow(2, Double(max(0, attempts - 1)))
    return .giveBack(delay: configuration.retryDelay * doubling, countsAsAttempt: true)
  }
}

extension JobError {
  fileprivate init(_ failure: ReadFailure) {
    self.init(code: ErrorCode(failure.code), detail: failure.detail)
  }
}
