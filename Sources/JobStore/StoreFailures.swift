import Foundation
import GRDB

/// Why a store could not be opened.
public enum StoreOpenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A newer version of the program has written the database.
  case newerDatabase(path: String, found: Int, known: Int)
  /// A migration that was applied differs from the one in this program.
  case changedMigration(path: String, name: String)
  /// Another server uses the same database.
  case inUse(path: String)
  /// The database can't be opened or written.
  case unusable(path: String, reason: String)

  /// A sentence for the operator that says what to do.
  public var description: String {
    switch self {
    case .newerDatabase(let path, let found, let known):
      "\(path) was written by a newer version (migration \(found); this version knows \(known)). "
        + "Start the newer version, or restore a backup made before the upgrade."
    case .changedMigration(let path, let name):
      "\(path) was made with another form of migration \(name). Start the version that made it, or another folder."
    case .inUse(let path):
      "Another server uses \(path). Stop it, or start this one with another --data folder."
    case .unusable(let path, let reason):
      "\(path) can't be used: \(reason). Check that the folder exists, is writable and has free space."
    }
  }
}

extension StoreError {
  /// What a failure of SQLite means to callers; errors of the store itself pass unchanged.
  static func from(_ error: any Error, path: String) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    switch error.resultCode.primaryResultCode {
    case .SQLITE_FULL:
      return StoreError.diskFull
    case .SQLITE_IOERR, .SQLITE_CANTOPEN:
      // Growing the shared-memory file on a full disk is reported as an input/output error.
      return hasFreeSpace(path) ? StoreError.unavailable(error.sentence) : StoreError.diskFull
    case .SQLITE_READONLY, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_PERM, .SQLITE_AUTH,
      .SQLITE_NOMEM, .SQLITE_PROTOCOL, .SQLITE_NOLFS:
      return StoreError.unavailable(error.sentence)
    default:
      return error
    }
  }

  /// Whether a page still fits onto the disk; true where that can't be told.
  private static func hasFreeSpace(_ path: String) -> Bool {
    let folder = (path as NSString).deletingLastPathComponent
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.isEmpty ? "." : folder)
    guard let free = attributes?[.systemFreeSize] as? NSNumber else { return true }
    return free.int64Value >= 65536
  }
}

extension DatabaseError {
  /// The failure in words, without the statement and its values.
  var sentence: String { "\(message ?? "unknown failure") (SQLite \(extendedResultCode.rawValue))" }
}
