import CMalloc
import Foundation
import HTTPAPI
import JobStore
import Logging
import ServiceLifecycle
import Settings
import Support

/// Limits the size of the data folder: truncates the database's log every minute, and removes expired data in small
/// batches.
struct Housekeeping: Service {
  let store: any ServerStore
  let data: URL
  let retention: Settings.Retention
  let logger: Logger

  /// Rows per transaction: few enough that uploads hardly wait.
  private static let batch = 200
  private static let interval = Duration.seconds(60)
  /// Seconds during which an export may still be downloading.
  private static let exportTime: TimeInterval = 3600

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await attempt("photos without a job could not be removed") { try await removeOrphans() }
      while !Task.isCancelled {
        await attempt("jobs past retention.results could not be removed") { try await removeOldJobs() }
        await attempt("photos past retention.photos could not be removed") { try await removeOldPhotos() }
        await attempt("photos beyond retention.max_bytes could not be removed") {
          try await removePhotosPastTheirBytes()
        }
        await attempt("reports past retention.reports could not be removed") { try await removeOldReports() }
        await attempt("files of interrupted exports could not be removed") { try removeOldExports() }
        await attempt("the store's maintenance failed") { try await store.maintain() }
        // Otherwise the allocator keeps the memory that a burst of clients used.
        malloc_trim(0)
        try? await Task.sleep(for: Self.interval)
      }
    }
  }

  private func attempt(_ failure: String, _ work: () async throws -> Void) async {
    do {
      try await work()
    } catch {
      // A store may report a cancelled statement in its own words.
      guard !Task.isCancelled, !(error is CancellationError) else { return }
      logger.error("\(failure)", metadata: ["error": "\(FileRefusal.reason(of: error))"])
    }
  }

  private func removeOldJobs() async throws {
    guard retention.results > 0 else { return }
    let limit = try await before(days: retention.results)
    while try await store.pruneJobs(endedBefore: limit, limit: Self.batch) == Self.batch, !Task.isCancelled {}
  }

  private func removeOldPhotos() async throws {
    guard retention.photos > 0 else { return }
    let limit = try await before(days: retention.photos)
    while try await store.prunePhotos(endedBefore: limit, limit: Self.batch) == Self.batch, !Task.isCancelled {}
  }

  private func removePhotosPastTheirBytes() async throws {
    guard retention.maxBytes > 0 else { return }
    while try await store.prunePhotos(beyond: retention.maxBytes, limit: Self.batch) == Self.batch, !Task.isCancelled {}
  }

  /// Removes expired evaluation reports.
  private func removeOldReports() async throws {
    guard retention.reports > 0 else { return }
    let limit = try await before(days: retention.reports)
    var last: String?
    repeat {
      let reports = try await store.blobs.list(.report, after: last, limit: Self.batch)
      last = reports.last?.name
      for report in reports where report.storedAt < limit {
        try await store.blobs.delete(BlobName(.report, report.name))
      }
    } while last != nil && !Task.isCancelled
    while try await store.pruneTasks(endedBefore: limit, limit: Self.batch) == Self.batch, !Task.isCancelled {}
  }

  /// Removes the files of interrupted exports.
  private func removeOldExports() throws {
    let folder = data.appendingPathComponent("exports", isDirectory: true)
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
    for file in files ?? [] {
      let changed = try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
      if let changed, changed < Date(timeIntervalSinceNow: -Self.exportTime) {
        try FileManager.default.removeItem(at: file)
      }
    }
  }

  /// Removes photos without a job once they expire. They are kept as long as other photos: if an older copy of the
  /// database was restored by mistake, the correct one finds its photos again.
  private func removeOrphans() async throws {
    let age = retention.photos > 0 ? max(Orphans.uploadTime, retention.photos * 86_400) : .infinity
    let orphans = try await store.removeOrphans(olderThan: age)
    if orphans.removed > 0 {
      logger.notice(
        "removed photos past retention.photos that have no job",
        metadata: ["count": .stringConvertible(orphans.removed)])
    }
    if orphans.kept > 0 {
      logger.warning(
        """
        photos have no job: an upload was interrupted, or an older database was restored. They are kept for \
        retention.photos; if the database is the wrong one, stop the server and restore the right one
        """,
        metadata: ["count": .stringConvertible(orphans.kept)])
    }
  }

  /// The time some days ago by the store's clock, as jobs' ends are. A machine whose own clock is ahead must not delete
  /// what others keep.
  private func before(days: Double) async throws -> Date {
    Date(microseconds: try await store.now()).addingTimeInterval(-days * 86_400)
  }
}
