import FaultPoints
import Foundation
import HTTPAPI
import JobStore
import Logging
import ServiceLifecycle
import Settings

/// Keeps the data folder within bounds: cuts the database's log every minute, removes what is too old in small batches,
/// and photos whose upload was cut off before their job was stored.
struct Housekeeping: Service {
  let store: any ServerStore
  let storage: PhotoStorage
  let data: URL
  let retention: Settings.Retention
  let logger: Logger

  /// Rows a transaction: few enough that uploads hardly wait for it.
  private static let batch = 200
  private static let interval = Duration.seconds(60)
  /// A photo younger than this may belong to an upload that is still being stored.
  private static let orphanAge: TimeInterval = 3600

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await attempt("orphaned photos could not be removed") { try await removeOrphans() }
      while !Task.isCancelled {
        await attempt("old jobs could not be removed") { try await removeOldJobs() }
        await attempt("old photos could not be removed") { try await removeOldPhotos() }
        await attempt("old reports could not be removed") { try await removeOldReports() }
        await attempt("the store's upkeep failed") { try await store.maintain() }
        try? await Task.sleep(for: Self.interval)
      }
    }
  }

  private func attempt(_ failure: String, _ work: () async throws -> Void) async {
    do {
      try await work()
    } catch is CancellationError {
    } catch {
      logger.error("\(failure)", metadata: ["error": "\(error)"])
    }
  }

  private func removeOldJobs() async throws {
    guard retention.results > 0 else { return }
    var deleted: [DeletedJob] = []
    repeat {
      deleted = try await store.pruneJobs(endedBefore: Self.days(retention.results), limit: Self.batch)
      deleted.forEach { removeAnnotation(of: $0.id) }
      try await removeMarkedPhotos()
    } while deleted.count == Self.batch && !Task.isCancelled
  }

  private func removeOldPhotos() async throws {
    if retention.photos > 0 {
      while try await store.prunePhotos(endedBefore: Self.days(retention.photos), limit: Self.batch).count
        == Self.batch,
        !Task.isCancelled
      {
        try await removeMarkedPhotos()
      }
    }
    try await removeMarkedPhotos()
  }

  /// Removes the files that the database has given up; it remembers them until they are gone.
  private func removeMarkedPhotos() async throws {
    while !Task.isCancelled {
      let photos = try await store.photosToRemove(limit: Self.batch)
      if photos.isEmpty { return }
      for photo in photos {
        try? FileManager.default.removeItem(atPath: storage.path(of: photo))
        removeAnnotation(of: Self.jobID(ofPhoto: photo))
        FaultPoint.photoRemoved.reached()
      }
      try await store.photosRemoved(photos)
    }
  }

  /// Removes evaluations past their time, and what an export that was cut off has left.
  private func removeOldReports() async throws {
    let folder = data.appendingPathComponent("reports", isDirectory: true)
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
    for file in files ?? [] {
      let changed = try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
      let isReport = file.lastPathComponent.hasPrefix("evaluation-")
      guard !isReport || retention.reports > 0 else { continue }
      let limit = isReport ? Self.days(retention.reports) : Date(timeIntervalSinceNow: -Self.orphanAge)
      if let changed, changed < limit { try? FileManager.default.removeItem(at: file) }
    }
    guard retention.reports > 0 else { return }
    while try await store.pruneTasks(endedBefore: Self.days(retention.reports), limit: Self.batch).count == Self.batch,
      !Task.isCancelled
    {}
  }

  private func removeOrphans() async throws {
    let folder = data.appendingPathComponent("photos", isDirectory: true)
    let limit = Date(timeIntervalSinceNow: -Self.orphanAge)
    let keys: [URLResourceKey] = [.isRegularFileKey, .contentModificationDateKey]
    guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: keys) else { return }
    while let file = files.nextObject() as? URL, !Task.isCancelled {
      let values = try? file.resourceValues(forKeys: Set(keys))
      guard values?.isRegularFile == true, let changed = values?.contentModificationDate, changed < limit else {
        continue
      }
      if try await store.job(id: Self.jobID(ofPhoto: file.lastPathComponent)) == nil {
        try? FileManager.default.removeItem(at: file)
        logger.notice("removed a photo that belongs to no job", metadata: ["photo": "\(file.lastPathComponent)"])
      }
    }
  }

  private func removeAnnotation(of id: String) {
    try? FileManager.default.removeItem(at: data.appendingPathComponent("annotations/\(id).png"))
  }

  /// A photo is named by its job's id.
  private static func jobID(ofPhoto name: String) -> String {
    URL(fileURLWithPath: name).deletingPathExtension().lastPathComponent
  }

  private static func days(_ days: Double) -> Date { Date(timeIntervalSinceNow: -days * 86_400) }
}
