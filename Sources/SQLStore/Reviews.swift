import Foundation
import JobStore

extension SQLBackedStore {
  /// See `SerialCorrecting`.
  public func review(job id: String, as review: Review?) async throws -> ReviewResult? {
    let present = present
    let (result, jobs) = try await changing { connection -> (ReviewResult?, [String]) in
      try Self.lockPhoto(ofJob: id, in: connection)
      guard let job = try Self.job(where: "id = \(id)\(Self.dialect.lock)", in: connection) else {
        return (nil, [])
      }
      if review != nil {
        guard job.state.isEnd else { return (.notEnded, []) }
        guard !job.savedToDatabase, job.confirmedSerial == nil else { return (.serialSaved, []) }
      }
      guard job.review != review else { return (.done, []) }
      // The same photo is reviewed once, however often and into whichever batches it was sent.
      let others = try Self.otherFirstJobs(ofPhotoOf: job, in: connection).filter {
        !$0.savedToDatabase && $0.confirmedSerial == nil
      }
      let jobs = try ([job] + others).flatMap { job in
        try Self.set(
          StoredDecision(review: review, at: present), onJobsWhere: Self.isOfPhoto(job.firstOfPhoto), at: present,
          in: connection)
      }
      return (.done, jobs)
    }
    await announce(changed: jobs)
    return result
  }
}
