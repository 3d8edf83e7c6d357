import Foundation
import GRDB

/// Makes a complete, consistent copy of a database in a separate file while others write.
enum DatabaseCopy {
  /// Writes a copy to `path`, readable only by its owner and durable when this returns.
  ///
  /// Writes to a temporary name first, so that the file at `path` is always complete. Throws `DatabaseError` and
  /// `CocoaError`.
  ///
  /// - Parameter original: The database's own file.
  static func write(_ database: Database, at original: String, to path: String) throws {
    let part = path + ".part"
    try? FileManager.default.removeItem(atPath: part)
    do {
      if access(original, W_OK) == 0 {
        try database.execute(sql: "VACUUM INTO ?", arguments: [part])
      } else {
        try copyPages(of: database, to: part)
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: part)
      try synchronise(part)
      guard rename(part, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      try synchronise((path as NSString).deletingLastPathComponent)
    } catch {
      try? FileManager.default.removeItem(atPath: part)
      throw error
    }
  }

  /// Copies a database page by page. `VACUUM INTO` fails on a read-only database with generated columns.
  private static func copyPages(of database: Database, to path: String) throws {
    let copy = try DatabaseQueue(path: path)
    defer { try? copy.close() }
    try copy.writeWithoutTransaction { target in
      try database.backup(to: target)
      // A copy in one file, as `VACUUM INTO` makes it.
      try target.execute(sql: "PRAGMA journal_mode = DELETE")
    }
  }

  /// Waits until a file or folder is on the disk.
  private static func synchronise(_ path: String) throws {
    let descriptor = open(path.isEmpty ? "." : path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }
}
