import Foundation

/// Counts of photos and annotations that belong to no job.
public struct Orphans: Sendable, Equatable {
  /// Age in seconds up to which an orphan may belong to an upload that is still being stored.
  public static let uploadTime: TimeInterval = 3600

  /// How many were deleted.
  public var removed: Int
  /// How many older than `uploadTime` were kept.
  public var kept: Int

  /// Creates statistics.
  public init(removed: Int = 0, kept: Int = 0) {
    self.removed = removed
    self.kept = kept
  }
}

extension BlobStore {
  /// Number of blobs checked at once.
  private static var batch: Int { 200 }

  /// Deletes photos and annotations older than `age` seconds that belong to no job.
  ///
  /// - Parameters:
  ///   - now: The current time by the clock that dates the blobs.
  ///   - jobs: Returns those of the ids that are jobs.
  package func removeOrphans(
    olderThan age: TimeInterval, now: Date = Date(), jobs: ([String]) async throws -> Set<String>
  ) async throws -> Orphans {
    let (limit, uploads) = (now.addingTimeInterval(-age), now.addingTimeInterval(-Orphans.uploadTime))
    var found = Orphans()
    for kind in [BlobKind.photo, .annotation] {
      var last: String?
      repeat {
        try Task.checkCancellation()
        let blobs = try await list(kind, after: last, limit: Self.batch)
        last = blobs.last?.name
        let known = try await jobs(blobs.map(\.jobID))
        let orphans = blobs.filter { !known.contains($0.jobID) }
        for orphan in orphans where orphan.storedAt < limit {
          try await delete(BlobName(kind, orphan.name))
          found.removed += 1
        }
        found.kept += orphans.count { $0.storedAt >= limit && $0.storedAt < uploads }
      } while last != nil
    }
    return found
  }
}

extension BlobListing {
  /// The id of the job in a photo's or annotation's name.
  fileprivate var jobID: String {
    let file = name.split(separator: "/").last ?? ""
    return String(file.prefix { $0 != "." })
  }
}
