import ChildProcess
import Foundation
import JobStore
import Logging
import ScanModel
import Support

/// Claims one job after another, reads its photo, and ends it with the claim's token.
struct Worker: Sendable {
  let name: String
  let reader: any PhotoReader
  let store: any JobWatching
  let photos: any JobPhotos
  let configuration: RunnerConfiguration
  let shared: RunnerState
  let logger: Logger

  /// Runs until the runner stops.
  func run() async {
    var refusals = 0
    while !shared.isStopping {
      guard await readerIsReady() else { continue }
      do {
        let claimed = try await store.claimNext(worker: name, lease: configuration.lease, waiting: .seconds(1))
        guard let claimed else {
          refusals = 0
          continue
        }
        // The job was claimed while stopping: leave it to other workers or the next start.
        guard !shared.isStopping else {
          try await store.giveBack(claimed.claim, delay: 0, countsAsAttempt: false)
          continue
        }
        let isRefused = await process(claimed) == .storeRefused
        refusals = isRefused ? refusals + 1 : 0
        // The next photo could probably not be fetched either.
        if isRefused { await shared.pause(storePause(after: refusals)) }
      } catch is CancellationError {
        break
      } catch {
        shared.count { $0.storeErrors += 1 }
        logger.error("the store could not be asked for a job; retrying", metadata: ["error": "\(error)"])
        refusals += 1
        await shared.pause(storePause(after: refusals))
      }
    }
    await reader.stop()
  }

  /// Whether the reader is ready. If it can't read, leaves the jobs to other workers.
  private func readerIsReady() async -> Bool {
    switch reader.status.state {
    case .ready, .working: return true
    case .starting: await shared.pause(.milliseconds(10))
    case .unavailable, .stopped: await shared.pause(.milliseconds(200))
    }
    return false
  }

  /// The result of processing a claim, which determines the worker's pace.
  private enum Processing {
    case done
    /// The store did not return the photo.
    case storeRefused
  }

  private func process(_ claimed: ClaimedJob) async -> Processing {
    let (claim, job) = (claimed.claim, claimed.job)
    shared.count {
      $0.busyWorkers += 1
      $0.attempts += 1
    }
    // A later attempt waited for a retry, not for a worker. At this point the claim was the job's last change.
    if job.attempts == 1 { shared.figure { $0.add(job.updatedAt.timeIntervalSince(job.createdAt), to: .queue) } }
    let start = ContinuousClock.now
    defer { shared.count { $0.busyWorkers -= 1 } }
    let steps = ProgressSteps()
    let reading = Task { [reader, photos, configuration] in
      let photo = try await photos.photo(job.request.photo)
      let request = await configuration.complete(configuration.readRequest(for: job.request))
      return try await reader.read(photo, request, deadline: configuration.readDeadline) { steps.put($0) }
    }
    shared.begin(claim, reading)
    let heart = Heartbeat(claim: claim, store: store, configuration: configuration, shared: shared, logger: logger)
    let beating = Task { await heart.beat(steps) { reading.cancel() } }
    let result = await reading.result
    shared.figure { $0.add(start.seconds, to: .reading) }
    shared.end(claim)
    steps.finish()
    beating.cancel()
    let isLost = await beating.value
    guard !isLost else {
      shared.count { $0.lostClaims += 1 }
      logger.warning("the job was cancelled or taken over during the read; the result is dropped", metadata: job.names)
      return .done
    }
    let decision = decision(on: result, job: job)
    // An unstructured task, so that a cancelled worker still stores its result.
    let answer = try? result.get()
    let pictures = JobPictures(annotation: answer?.annotation, thumbnail: answer?.thumbnail)
    await Task { await settle(claim, decision, pictures, job.names) }.value
    switch result {
    case .failure(StoreError.unreadable): return .done
    case .failure(is StoreError): return .storeRefused
    default: return .done
    }
  }

  private func decision(on result: Result<ReadAnswer, any Error>, job: Job) -> ReadDecision {
    switch result {
    case .success(let answer): return ReadDecision(configuration.reading(answer.reading), request: job.request)
    case .failure(let failure as ReadFailure):
      logger.warning(
        "the photo could not be read",
        metadata: job.names.merging([
          "code": "\(failure.code.rawValue)", "detail": "\(failure.detail)",
          "attempt": .stringConvertible(job.attempts),
        ]) { $1 })
      return ReadDecision(failure, attempts: job.attempts, age: job.age, configuration: configuration)
    case .failure(is CancellationError):
      // The server is stopping; the photo is not the cause.
      return .giveBack(delay: 0, countsAsAttempt: false)
    case .failure(StoreError.unreadable(let reason)):
      shared.count { $0.storeErrors += 1 }
      logger.error(
        "the stored photo can't be opened; check the disk and the folder's permissions",
        metadata: job.names.merging(["error": "\(reason)", "attempt": .stringConvertible(job.attempts)]) { $1 })
      return .again(.photoUnreadable, attempts: job.attempts, configuration)
    case .failure(let error as StoreError):
      // No photos can be fetched; this one is not the cause.
      shared.count { $0.storeErrors += 1 }
      logger.error(
        "the photo could not be fetched from the store; retrying",
        metadata: job.names.merging(["error": "\(error)"]) { $1 })
      return .giveBack(delay: configuration.retryDelay, countsAsAttempt: false)
    case .failure(let error):
      logger.error("the reader failed", metadata: job.names.merging(["error": "\(error)"]) { $1 })
      let failure = ReadFailure(.readerCrashed, "The reader failed: \(error)")
      return ReadDecision(failure, attempts: job.attempts, age: job.age, configuration: configuration)
    }
  }

  /// Retries storing a decision until it succeeds. If the store fails for too long, the job is left to its lease and
  /// read again.
  private func settle(
    _ claim: Claim, _ decision: ReadDecision, _ pictures: JobPictures, _ names: Logger.Metadata
  ) async {
    let deadline = ContinuousClock.now + configuration.resultPatience
    var refusals = 0
    while true {
      do {
        try await tell(claim, decision, pictures)
        return
      } catch StoreError.claimLost {
        shared.count { $0.lostClaims += 1 }
        logger.warning("the job was cancelled or taken over after the read; the result is dropped", metadata: names)
        return
      } catch StoreError.refused(let reason) {
        shared.count { $0.storeErrors += 1 }
        logger.error(
          "the store can't hold the result; the job fails. This is a bug: please report it",
          metadata: names.merging(["error": "\(reason)"]) { $1 })
        // This error contains nothing that was read, so it can be stored.
        guard decision != .finish(.failed(.resultRefused)) else { return }
        return await settle(claim, .finish(.failed(.resultRefused)), JobPictures(), names)
      } catch {
        shared.count { $0.storeErrors += 1 }
        logger.error("the result could not be stored; retrying", metadata: names.merging(["error": "\(error)"]) { $1 })
        refusals += 1
        guard ContinuousClock.now < deadline, !(shared.isStopping && refusals > 3) else { return }
        try? await Task.sleep(for: storePause(after: refusals))
      }
    }
  }

  private func tell(_ claim: Claim, _ decision: ReadDecision, _ pictures: JobPictures) async throws {
    switch decision {
    case .finish(let outcome):
      let start = ContinuousClock.now
      let job = try await store.finish(claim, with: outcome, pictures: pictures)
      shared.figure {
        $0.add(start.seconds, to: .store)
        if case .read(let reading, _) = outcome { $0.add(reading) } else { $0.addFailure(of: job.request.preset) }
      }
      shared.count { if job.state == .completed { $0.completed += 1 } else { $0.failed += 1 } }
      logger.info("job ended", metadata: job.names.merging(job.ending) { $1 })
    case .giveBack(let delay, let countsAsAttempt):
      try await store.giveBack(claim, delay: delay, countsAsAttempt: countsAsAttempt)
      if countsAsAttempt { shared.count { $0.retries += 1 } }
    }
  }

  private func storePause(after refusals: Int) -> Duration {
    min(configuration.longestStorePause, .milliseconds(50) * (1 << min(refusals, 12)))
  }
}

extension ContinuousClock.Instant {
  /// Seconds since this instant.
  fileprivate var seconds: Double { (ContinuousClock.now - self) / .seconds(1) }
}

extension Job {
  /// Seconds from the photo's arrival to this claim by the store's clock, because the claim was the job's last change.
  fileprivate var age: TimeInterval { updatedAt.timeIntervalSince(createdAt) }

  /// Identifies the job in logs, including those of the system that sent the photo.
  fileprivate var names: Logger.Metadata {
    var names: Logger.Metadata = ["job": "\(id)"]
    if let request = request.origin.requestID { names["request"] = "\(request)" }
    if let trace = request.origin.traceID { names["trace"] = "\(trace)" }
    if let key = request.origin.keyID { names["key"] = "\(key)" }
    return names
  }

  /// How the job ended, for logs; contains nothing that was read.
  fileprivate var ending: Logger.Metadata {
    var ending: Logger.Metadata = ["status": "\(state.rawValue)", "attempt": .stringConvertible(attempts)]
    if let reading {
      ending["verdict"] = "\(reading.verdict.rawValue)"
      ending["seconds"] = .stringConvertible(reading.processingTime.rounded(toPlaces: 4))
    }
    if let error { ending["code"] = "\(error.code.rawValue)" }
    return ending
  }
}
