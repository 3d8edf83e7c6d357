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
      let reviewedAt: SQLStatement = review == nil ? "NULL" : present
      // The same photo is reviewed once, however often and into whichever batches it was sent.
      let others = try Self.otherFirstJobs(ofPhotoOf: job, in: connection).filter {
        !$0.savedToDatabase && $0.confirmedSerial == nil
      }
      let jobs = try ([job] + others).flatMap { job in
        try connection.rows(
          """
          UPDATE jobs SET review = \(review?.rawValue), reviewed_at = \(reviewedAt),
            updated_at = \(Self.dialect.greatest)(updated_at + 1, \(present))
          WHERE \(Self.isOfPhoto(of: job)) RETURNING id
          """
        ).map { try $0.text("id") }
      }
      return (.done, jobs)
    }
    await announce(changed: jobs)
    return result
  }
}
