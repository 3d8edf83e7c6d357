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

  /// Decides for a read that failed, of a job at its `attempts`th attempt.
  init(_ failure: ReadFailure, attempts: Int, configuration: RunnerConfiguration) {
    switch failure.code {
    case .notAPicture, .damagedPicture, .tooManyPixels, .photoMissing:
      // The same bytes fail the same way.
      self = .finish(.failed(JobError(failure)))
    case .readerCrashed, .readerTimedOut, .outOfMemory:
      if failure.isFinal || attempts >= configuration.maxAttempts {
        self = .finish(.failed(JobError(failure)))
      } else {
        let doubling = pow(2, Double(max(0, attempts - 1)))
        self = .giveBack(delay: configuration.retryDelay * doubling, countsAsAttempt: true)
      }
    case .readerUnavailable:
      // The photo was not even looked at.
      self = .giveBack(delay: configuration.retryDelay, countsAsAttempt: false)
    }
  }
}

extension JobError {
  fileprivate init(_ failure: ReadFailure) {
    self.init(code: ErrorCode(failure.code), detail: failure.detail)
  }
}
