import Foundation
import GRDB
import JobStore

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
    case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH, .SQLITE_RANGE:
      // The message may name columns, never values.
      return StoreError.refused(error.sentence)
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
