import Foundation
import JobStore
import ReaderProtocol

/// A queue in memory, so that the API is tested without a database and can be made to fail.
actor MemoryStore: JobStore {
  private(set) var jobs: [String: Job] = [:]
  private var order: [String] = []
  private var keys: [String: (id: String, digest: String?)] = [:]
  private(set) var cancelled: [String] = []
  private var failure: StoreError?
  private let maxWaiting: Int

  init(maxWaiting: Int = 1000) { self.maxWaiting = maxWaiting }

  /// Takes a waiting job away.
  func cancel(_ id: String) {
    cancelled.append(id)
    jobs[id]?.state = .failed
  }

  func fail(with error: StoreError?) { failure = error }

  var waiting: [Job] { order.compactMap { jobs[$0] }.filter { $0.state == .queued } }

  func enqueue(_ job: NewJob) async throws -> EnqueuedJob {
    if let failure { throw failure }
    if let key = job.idempotencyKey, let known = keys[key] {
      guard known.digest == job.photoDigest else { throw StoreError.idempotencyConflict(jobID: known.id) }
      return EnqueuedJob(id: known.id, queuePosition: position(of: known.id) ?? 1, isDuplicate: true)
    }
    guard waiting.count < maxWaiting else { throw StoreError.queueFull(waiting: waiting.count) }
    if let key = job.idempotencyKey { keys[key] = (job.id, job.photoDigest) }
    jobs[job.id] = Job(
      id: job.id, state: .queued, progress: 0, message: "Waiting to be read", priority: job.priority, attempts: 0,
      createdAt: Date(), updatedAt: Date(), request: job.request, reading: nil, error: nil, savedToDatabase: false)
    order.append(job.id)
    return EnqueuedJob(id: job.id, queuePosition: position(of: job.id) ?? 1, isDuplicate: false)
  }

  /// Ends the next job that comes, as a worker would.
  func readNext(as reading: Reading) async throws {
    for _ in 0..<500 {
      if let claimed = try await claimNext(worker: "test", lease: 10) {
        try await finish(claimed.claim, with: .read(reading, save: claimed.job.request.persist))
        return
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  func claimNext(worker: String, lease: TimeInterval) async throws -> ClaimedJob? {
    guard var job = waiting.max(by: { $0.priority < $1.priority }) else { return nil }
    job.state = .processing
    jobs[job.id] = job
    return ClaimedJob(claim: Claim(jobID: job.id, token: "token"), job: job)
  }

  func heartbeat(_ claim: Claim, lease: TimeInterval, progress: ReadProgress?) async throws {}

  @discardableResult
  func finish(_ claim: Claim, with outcome: JobOutcome) async throws -> Job {
    guard var job = jobs[claim.jobID] else { throw StoreError.claimLost(jobID: claim.jobID) }
    switch outcome {
    case .read(let reading, let save):
      job.reading = reading
      job.state = reading.serials.isEmpty ? .failed : .completed
      job.error = reading.serials.isEmpty ? JobError(code: "NO_TEXT_DETECTED", detail: "No serial was found.") : nil
      job.savedToDatabase = save
    case .failed(let error):
      job.state = .failed
      job.error = error
    }
    job.progress = 100
    jobs[job.id] = job
    return job
  }

  func giveBack(_ claim: Claim, delay: TimeInterval, countsAsAttempt: Bool) async throws {}

  func rescueExpired(maxAttempts: Int) async throws -> [String] { [] }

  func job(id: String) async throws -> Job? {
    if let failure { throw failure }
    return jobs[id]
  }

  func queuePosition(of id: String) async throws -> Int? { position(of: id) }

  private func position(of id: String) -> Int? { waiting.firstIndex { $0.id == id }.map { $0 + 1 } }
}
