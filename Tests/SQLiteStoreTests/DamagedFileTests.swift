import Foundation
import GRDB
import JobStore
import SQLiteStore
import StoreConformance
import Testing

/// Files that are not databases, and databases with damaged pages: the operator learns that only a backup helps.
@Suite struct DamagedFileTests {
  /// Overwrites a page of the database at `path`: the root of a table or an index.
  private static func damage(_ name: String, at path: String) throws {
    let queue = try DatabaseQueue(path: path)
    let (root, size) = try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = DELETE")
      return (
        try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [name]),
        try Int.fetchOne(database, sql: "PRAGMA page_size")
      )
    }
    try queue.close()
    let (page, bytes) = (try #require(root), try #require(size))
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64((page - 1) * bytes))
    try file.write(contentsOf: Data(repeating: 0xff, count: bytes))
    try file.close()
  }

  /// Expects that `body` reports the damage of the file at `path`, and what to do.
  private func expectDamage(at path: String, _ comment: Comment, _ body: () throws -> Void) {
    let error = #expect(throws: StoreOpenError.self, comment) { try body() }
    guard case .damaged(path, let reason)? = error else {
      Issue.record("\(comment): \(String(describing: error))")
      return
    }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("\(path) is damaged: \(reason). ") && text.contains("`serialscan restore`"), comment)
  }

  @Test func foreignFileIsReportedAsDamage() throws {
    try withFolder { folder in
      let path = folder + "/s.sqlite"
      try Data("not a database".utf8).write(to: URL(fileURLWithPath: path))
      expectDamage(at: path, "server") { _ = try SQLiteJobStore(path: path, options: .init(isServer: true)) }
      expectDamage(at: path, "contents") { _ = try DatabaseFile(path: path).contents() }
      expectDamage(at: path, "copy") { try DatabaseFile(path: path).copy(to: folder + "/copy") }
    }
  }

  @Test func damagedPagesAreReportedWhenTheyAreRead() throws {
    try withFolder { folder in
      let path = folder + "/s.sqlite"
      try SQLiteJobStore(path: path).close()
      // A server reads it when it starts.
      try Self.damage("jobs_ended", at: path)
      expectDamage(at: path, "server") { _ = try SQLiteJobStore(path: path, options: .init(isServer: true)) }
      expectDamage(at: path, "whole file") { try DatabaseFile(path: path).requireIntact() }
    }
  }

  @Test func damageFoundBeforeMigrationIsNotFullDisk() throws {
    try withFolder { folder in
      let path = folder + "/s.sqlite"
      let queue = try DatabaseQueue(path: path)
      try queue.writeWithoutTransaction { database in
        try Migration.apply(Array(Migration.all.dropLast()), to: database, path: path)
      }
      try queue.close()
      try Self.damage("serials", at: path)
      expectDamage(at: path, "copy before the migration") { _ = try SQLiteJobStore(path: path) }
    }
  }

  @Test func damageFoundWhileOpenIsNoPassingFailure() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      try SQLiteJobStore(path: path).close()
      try Self.damage("serials_serial", at: path)
      let store = try SQLiteJobStore(path: path)
      let failure = await #expect(throws: StoreError.self) { try await store.serials(SerialQuery(sort: .serial)) }
      guard case .lost(let reason)? = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(reason.contains("is damaged") && reason.contains("serialscan restore"))
      try store.close()
    }
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }
}
