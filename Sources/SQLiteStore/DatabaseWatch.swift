import Foundation
import GRDB
import JobStore
import Support

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Checks that the open database is still the one at its path.
///
/// Its files can be removed, replaced or truncated while a server runs, and SQLite would keep writing to files that are
/// no longer reachable.
final class DatabaseWatch: Sendable {
  /// Identifies a file independently of its name.
  private struct FileIdentity: Equatable {
    var device: UInt64
    var inode: UInt64
  }

  private struct State {
    /// The latest size. The database of a running server does not shrink.
    var size: Int64
    var loss: StoreError?
  }

  /// The suffixes of the database and its log, which exists until the last connection is closed.
  private static let endings = ["", "-wal"]

  private let path: String
  private let pool: DatabasePool
  private let identities: [FileIdentity?]
  private let mark: String?
  private let state: Locked<State>

  /// Records the files' identities and the mark that this instance wrote into the table `opening`; on a full disk, an
  /// earlier instance's mark.
  ///
  /// Throws `DatabaseError`.
  init(path: String, pool: DatabasePool, holder: String) throws {
    self.path = path
    self.pool = pool
    mark = try pool.writeWithoutTransaction { database in
      try? database.execute(sql: "INSERT OR REPLACE INTO opening VALUES (1, ?)", arguments: [holder])
      return try Self.mark(in: database)
    }
    let files = Self.endings.map { Self.status(of: path + $0) }
    identities = files.map { $0?.identity }
    state = Locked(State(size: files[0]?.size ?? 0))
  }

  /// Whether the database was found to be replaced or gone; never becomes false again.
  var isLost: Bool { state.withLock { $0.loss != nil } }

  /// Throws `StoreError.lost` once the database is not the one that was opened.
  func check() async throws {
    if let loss = state.withLock({ $0.loss }) { throw loss }
    guard let reason = try await reason() else { return }
    let loss = StoreError.lost(
      "\(path) \(reason) while the server ran: stop the server, put the database back (serialscan restore) and start")
    state.withLock { $0.loss = loss }
    throw loss
  }

  /// Describes what happened to the database; nil if nothing did.
  private func reason() async throws -> String? {
    let files = Self.endings.map { Self.status(of: path + $0) }
    for (file, identity) in zip(files, identities) {
      guard let identity else { continue }
      guard let file else { return "or its log was removed" }
      guard file.identity == identity else { return "or its log was replaced" }
    }
    let size = files[0]?.size ?? 0
    let hasShrunk = state.withLock { state in
      defer { state.size = size }
      return size < state.size
    }
    do {
      // Drop cached pages, so that the file itself is read.
      let (mark, isWhole) = try await pool.read { database in
        try database.execute(sql: "PRAGMA shrink_memory")
        let isWhole =
          try !hasShrunk || texts(of: Row.fetchAll(database, sql: "PRAGMA quick_check(1)"), "quick_check") == ["ok"]
        return (try Self.mark(in: database), isWhole)
      }
      guard isWhole else { return "was truncated" }
      return mark == self.mark ? nil : "was replaced"
    } catch let error as DatabaseError where error.tellsOfAnotherFile {
      return "was damaged (\(error.sentence))"
    }
  }

  private static func mark(in database: Database) throws -> String? {
    try String.fetchOne(database, sql: "SELECT CAST(holder AS TEXT) FROM opening")
  }

  private static func status(of path: String) -> (identity: FileIdentity, size: Int64)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let identity = FileIdentity(
      device: UInt64(clamping: status.st_dev), inode: UInt64(clamping: status.st_ino))
    return (identity, Int64(clamping: status.st_size))
  }
}

extension DatabaseError {
  /// Whether the error shows that the file is not a database or not this one: damaged pages, missing tables.
  fileprivate var tellsOfAnotherFile: Bool {
    switch resultCode.primaryResultCode {
    case .SQLITE_ERROR, .SQLITE_SCHEMA: true
    case .SQLITE_IOERR: extendedResultCode == .SQLITE_IOERR_SHORT_READ
    default: isDamage
    }
  }
}
