import BlobFiles
import Foundation
import JobStore
import PostgresClient
import PostgresStore
import StoreConformance
import TestCluster
import Testing

/// The shared folder of photos: mounted, not mounted, and of another store.
@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct PhotosFolderTests {
  private static func options(_ folder: String) -> PostgresStore.Options {
    var options = PostgresStore.Options(isServer: true, connections: 2)
    options.temporaryFolder = folder + "-passing"
    options.photosFolder = folder
    return options
  }

  /// Runs `body` with a fresh database and a folder that does not exist yet.
  private static func with(_ body: (_ address: String, _ folder: String) async throws -> Void) async throws {
    try await withFreshDatabase(isOtherStore: true) { address in
      let folder = NSTemporaryDirectory() + "mounted-" + UUID().uuidString
      defer {
        for ending in ["", "-passing", "-away"] { try? FileManager.default.removeItem(atPath: folder + ending) }
      }
      try await body(address, folder)
    }
  }

  /// Replaces the folder with an empty mount point.
  private static func unmount(_ folder: String) throws {
    try FileManager.default.moveItem(atPath: folder, toPath: folder + "-away")
    // As earlier starts left it while the file system was not mounted.
    try BlobFolder(path: folder).prepare(isAlone: false)
  }

  private static func mountAgain(_ folder: String) throws {
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: folder + "-away", toPath: folder)
  }

  @Test func unmountedFolderLosesAndAcceptsNothing() async throws {
    try await Self.with { address, folder in
      let store = try PostgresStore(address: address, options: Self.options(folder))
      let kept = newJob()
      try await store.enqueue(kept, photo: [1, 2, 3])
      let deleted = newJob()
      try await store.enqueue(deleted, photo: [1, 2, 3])
      let name = BlobName(.photo, kept.request.photo)

      try Self.unmount(folder)
      for attempt in 0..<2 {
        await #expect(throws: StoreError.self, "\(attempt)") { try await store.blobs.open(name) }
        await #expect(throws: StoreError.self) { try await store.enqueue(newJob(), photo: [4]) }
        await #expect(throws: StoreError.self) { try await store.blobs.checkWritable() }
      }
      // Its deletion waits until the folder is mounted again.
      #expect(try await store.deleteJob(id: deleted.id, alsoSerial: false) != nil)
      try await store.maintain()
      #expect(throws: StoreOpenError.self) { try PostgresStore(address: address, options: Self.options(folder)) }

      try Self.mountAgain(folder)
      #expect(try await store.blobs.bytes(of: name, limit: 10) == [1, 2, 3])
      try await store.maintain()
      #expect(try await store.blobs.list(.photo, after: nil, limit: 10).map(\.name) == [kept.request.photo])
      try await PostgresStore(address: address, options: Self.options(folder)).close()
      try await store.close()
    }
  }

  @Test func deletionSucceedsIfItsFilesAreForgottenLater() async throws {
    try await Self.with { address, folder in
      let store = try PostgresStore(address: address, options: Self.options(folder))
      let job = newJob()
      try await store.enqueue(job, photo: [1, 2, 3])
      let connection = try PostgresConnection(to: PostgresAddress(address))
      try connection.runScript(
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END';
        CREATE TRIGGER refuse BEFORE DELETE ON blob_removals FOR EACH ROW EXECUTE FUNCTION refuse();
        """)
      #expect(try await store.deleteJob(id: job.id, alsoSerial: false) != nil)
      #expect(try await store.job(id: job.id) == nil)
      try connection.run("DROP TRIGGER refuse ON blob_removals")
      try await store.maintain()
      #expect(try connection.run("SELECT 1 FROM blob_removals").count == 0)
      try await store.close()
    }
  }

  @Test func rejectsFolderOfAnotherStore() async throws {
    try await Self.with { address, folder in
      try await PostgresStore(address: address, options: Self.options(folder)).close()
      try await Self.with { other, elsewhere in
        let error = #expect(throws: StoreOpenError.self) {
          try PostgresStore(address: other, options: Self.options(folder))
        }
        #expect(error?.description.contains("another store") == true)
        try await PostgresStore(address: other, options: Self.options(elsewhere)).close()
      }
      // Photos without jobs may belong to another database.
      try FileManager.default.removeItem(atPath: folder + "/" + FolderMark.fileName)
      try Data([1]).write(to: URL(fileURLWithPath: folder + "/photos/00/left.jpg"))
      try await Self.with { other, _ in
        #expect(throws: StoreOpenError.self) { try PostgresStore(address: other, options: Self.options(folder)) }
      }
    }
  }

  @Test func recognizesUnmarkedFolderByItsPhotos() async throws {
    try await Self.with { address, folder in
      let store = try PostgresStore(address: address, options: Self.options(folder))
      try await store.enqueue(newJob(), photo: [1, 2, 3])
      try await store.close()
      let connection = try PostgresConnection(to: PostgresAddress(address))
      func forget() throws {
        try connection.run("UPDATE store_identity SET folder_is_marked = false")
        try? FileManager.default.removeItem(atPath: folder + "/" + FolderMark.fileName)
      }
      try forget()
      try await PostgresStore(address: address, options: Self.options(folder)).close()
      #expect(FileManager.default.fileExists(atPath: folder + "/" + FolderMark.fileName))
      try forget()
      try Self.unmount(folder)
      #expect(throws: StoreOpenError.self) { try PostgresStore(address: address, options: Self.options(folder)) }
      #expect(!FileManager.default.fileExists(atPath: folder + "/" + FolderMark.fileName))
    }
  }
}
