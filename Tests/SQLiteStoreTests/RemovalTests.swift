import Foundation
import GRDB
import JobStore
import SQLiteStore
import StoreConformance
import Testing

/// Files whose deletion failed, and files left by a dead process.
@Suite struct RemovalTests {
  @Test func retriesFailedDeletionOfPhoto() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let new = newJob()
      try await store.enqueue(new)
      // A folder in the photo's place can't be unlinked, not even by root.
      let path = store.blobs.location(of: BlobName(.photo, new.request.photo))
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      #expect(try await store.deleteJob(id: new.id, alsoSerial: false) == .job(serialKeptBy: nil))
      try await store.maintain()
      #expect(try await pendingRemovals(in: store) == 1)
      try FileManager.default.removeItem(atPath: path)
      try Data([1]).write(to: URL(fileURLWithPath: path))
      try await store.maintain()
      #expect(try await pendingRemovals(in: store) == 0)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func onlyNextServerDeletesUnfinishedUploads() async throws {
    try await withTemporaryFolder { folder in
      let server = try SQLiteJobStore(path: folder + "/s.sqlite", options: .init(isServer: true))
      let left = folder + "/incoming/left.part"
      try Data([1]).write(to: URL(fileURLWithPath: left))
      _ = try SQLiteJobStore(path: folder + "/s.sqlite")
      #expect(FileManager.default.fileExists(atPath: left))
      try server.close()
      #expect(throws: StoreOpenError.inUse(path: folder + "/s.sqlite")) {
        try SQLiteJobStore(path: folder + "/s.sqlite", options: .init(isServer: true))
      }
      #expect(FileManager.default.fileExists(atPath: left))
    }
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(atPath: folder + "/incoming", withIntermediateDirectories: true)
      try Data([1]).write(to: URL(fileURLWithPath: folder + "/incoming/left.part"))
      _ = try SQLiteJobStore(path: folder + "/s.sqlite", options: .init(isServer: true))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/incoming").isEmpty)
    }
  }

  @Test func findsAndDeletesPhotosWithOlderNames() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let new = newJob()
      try await store.enqueue(new)
      let older = BlobName(.photo, "\(new.id.prefix(2))/\(new.request.photo)")
      #expect(try await store.blobs.bytes(of: older, limit: 10) == [1, 2, 3])
      try await store.pool.write {
        try $0.execute(sql: "UPDATE jobs SET photo = ?", arguments: [older.name])
      }
      #expect(try await store.removeOrphans(olderThan: -60) == Orphans())
      try await store.deleteJob(id: new.id, alsoSerial: false)
      #expect(try await store.blobs.open(older) == nil)
    }
  }

  @Test func countsRecentOrphansButNotArrivingPhotos() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      for hours in [0.5, 2, 30] {
        let name = BlobName(.photo, "\(UUID().uuidString.lowercased()).jpg")
        try await store.blobs.store([1], as: name)
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -hours * 3600)],
          ofItemAtPath: store.blobs.location(of: name))
      }
      #expect(try await store.removeOrphans(olderThan: .infinity) == Orphans(kept: 2))
      #expect(try await store.removeOrphans(olderThan: 86_400) == Orphans(removed: 1, kept: 1))
      #expect(try await store.removeOrphans(olderThan: 86_400) == Orphans(kept: 1))
    }
  }

  private func pendingRemovals(in store: SQLiteJobStore) async throws -> Int {
    try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM blob_removals") ?? 0 }
  }
}
