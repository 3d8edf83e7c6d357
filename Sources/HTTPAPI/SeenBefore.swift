import Foundation
import JobStore

extension SerialStore {
  /// Returns when the serial of each job was last read before, by job id; leaves out jobs whose serial is new.
  func seenBefore(_ jobs: [Job]) async throws -> [String: Date] {
    let reads = jobs.compactMap { job in
      (job.confirmedSerial ?? job.reading?.topSerial?.serial).map {
        ReadInQuestion(serial: $0, jobID: job.id, readAt: job.createdAt)
      }
    }
    let dates = try await earlierReads(reads)
    return Dictionary(
      zip(reads, dates).compactMap { read, date in read.jobID.flatMap { id in date.map { (id, $0) } } }
    ) { $1 }
  }
}
