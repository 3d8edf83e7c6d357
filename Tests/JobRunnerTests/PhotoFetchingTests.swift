import ChildProcess
import Foundation
import JobRunner
import JobStore
import ScanModel
import StoreConformance
import Support
import Testing

/// Photos that are unavailable: one of them, all of them, or temporarily.
@Suite struct PhotoFetchingTests {
  /// A source of photos whose result depends on the name and the number of requests.
  private final class ScriptedPhotos: JobPhotos {
    private let asked = Locked<[String: Int]>([:])
    private let script: @Sendable (_ name: String, _ time: Int) throws -> Void

    init(_ script: @escaping @Sendable (_ name: String, _ time: Int) throws -> Void) { self.script = script }

    func photo(_ name: String) async throws -> [UInt8] {
      let time = asked.withLock { asked in
        asked[name, default: 0] += 1
        return asked[name] ?? 0
      }
      try script(name, time)
      return Array(name.utf8)
    }

    func times(_ name: String) -> Int { asked.withLock { $0[name] ?? 0 } }
  }

  private static var reader: ScriptedReader { ScriptedReader { _, _ in .of("C02G414GMD6N") } }

  @Test func unreadablePhotoFailsAfterItsAttemptsAndNextIsRead() async throws {
    let store = InMemoryJobStore()
    let photos = ScriptedPhotos { name, _ in
      if name == "bad.jpg" { throw StoreError.unreadable("bad.jpg: Input/output error") }
    }
    try await withRunner(store: store, photos: photos, readers: { _ in Self.reader }) { _ in
      let (bad, good) = (try await store.add("bad.jpg"), try await store.add("good.jpg"))
      #expect(try await store.end(of: good)?.state == .completed)
      let job = try #require(try await store.end(of: bad))
      #expect(job.state == .failed && job.error?.code == .photoMissing && job.attempts == 2)
      #expect(photos.times("bad.jpg") == 2)
    }
  }

  @Test func unavailablePhotoStoreCostsNoAttempt() async throws {
    let store = InMemoryJobStore()
    let photos = ScriptedPhotos { _, time in if time < 4 { throw StoreError.unavailable("not mounted") } }
    try await withRunner(store: store, photos: photos, readers: { _ in Self.reader }) { _ in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .completed && job.attempts == 1)
    }
  }

  @Test func retriesPhotoNotYetVisibleInSharedFolder() async throws {
    let store = InMemoryJobStore()
    let photos = ScriptedPhotos { _, time in if time < 3 { throw PhotoFile.missing } }
    let change: (inout RunnerConfiguration) -> Void = { $0.missingPhotoPatience = 60 }
    try await withRunner(store: store, photos: photos, change: change, readers: { _ in Self.reader }) { _ in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .completed && job.attempts == 1)
    }
  }

  @Test func photoMissingFromOwnFolderFailsImmediately() async throws {
    let store = InMemoryJobStore()
    let photos = ScriptedPhotos { _, _ in throw PhotoFile.missing }
    try await withRunner(store: store, photos: photos, readers: { _ in Self.reader }) { _ in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .failed && job.error?.code == .photoMissing && job.attempts == 1)
    }
  }
}
