import Foundation
import GRDB
import JobStore
import Support

extension StoreOpenError {
  /// Throws unless a database's file exists and this user can look at it.
  public static func requireFile(at path: String) throws(StoreOpenError) {
    if let reason = FileRefusal(hiding: path)?.systemText { throw .unusable(path: path, reason: reason) }
    guard FileManager.default.fileExists(atPath: path) else { throw .missing(path: path) }
  }

  /// Throws if a database's file exists and this user can't write it, since SQLite opens it for reading then.
  static func requireWritable(_ path: String) throws(StoreOpenError) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    if let reason = refusal(toWrite: path)?.systemText { throw .unusable(path: path, reason: reason) }
  }

  /// Returns why nothing can be written beside a file; nil if it can.
  private static func refusal(ofFolderOf path: String) -> FileRefusal? {
    let folder = (path as NSString).deletingLastPathComponent
    return refusal(toWrite: folder.isEmpty ? "." : folder)
  }

  private static func refusal(toWrite path: String) -> FileRefusal? {
    access(path, W_OK) == 0 ? nil : FileRefusal(errno)
  }

  /// Converts an error that opening or reading a database's file threw.
  static func from(_ error: any Error, path: String) -> StoreOpenError {
    switch error {
    case let error as StoreOpenError: error
    case let error as DatabaseError where error.isDamage: .damaged(path: path, reason: error.sentence)
    case let error as DatabaseError where error.resultCode.primaryResultCode == .SQLITE_CANTOPEN:
      .unusable(path: path, reason: refusal(ofFolderOf: path)?.systemText ?? error.sentence)
    case let error as DatabaseError: .unusable(path: path, reason: error.sentence)
    default: .unusable(path: path, reason: FileRefusal.reason(of: error))
    }
  }
}

extension StoreError {
  /// Converts an SQLite error to a `StoreError`; other errors pass unchanged.
  static func from(_ error: any Error, path: String) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    switch error.resultCode.primaryResultCode {
    case .SQLITE_FULL:
      return StoreError.diskFull
    case .SQLITE_IOERR, .SQLITE_CANTOPEN:
      // On a full disk, a failure to grow the shared-memory file is reported as an I/O error.
      return hasFreeSpace(path) ? StoreError.unavailable(error.sentence) : StoreError.diskFull
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      return StoreError.lost(StoreOpenError.from(error, path: path).description)
    case .SQLITE_READONLY, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_NOMEM, .SQLITE_PROTOCOL,
      .SQLITE_NOLFS:
      return StoreError.unavailable(error.sentence)
    case .SQLITE_INTERRUPT:
      return CancellationError()
    case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH, .SQLITE_RANGE:
      // The message may contain column names, never values.
      return StoreError.refused(error.sentence)
    default:
      return error
    }
  }

  /// Whether the disk has space for another page; true if unknown.
  private static func hasFreeSpace(_ path: String) -> Bool {
    let folder = (path as NSString).deletingLastPathComponent
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.isEmpty ? "." : folder)
    guard let free = attributes?[.systemFreeSize] as? NSNumber else { return true }
    return free.int64Value >= 65536
  }
}

extension DatabaseError {
  /// Whether the file has damaged pages, or is not a database.
  var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode.primaryResultCode) }

  /// The error as a sentence, without the statement and its values.
  var sentence: String { "\(message ?? "unknown failure") (SQLite \(extendedResultCode.rawValue))" }
}
