import Foundation
import GRDB

/// A whole and consistent copy of a database in a file of its own, made while others write.
enum DatabaseCopy {
  /// Writes a copy to `path`: under another name first, so that what stands there under its own is whole, and on the disk
  /// before this returns. Readable by its owner alone. Throws `DatabaseError` and `CocoaError`.
  static func write(_ database: Database, to path: String) throws {
    let part = path + ".part"
    try? FileManager.default.removeItem(atPath: part)
    do {
      try database.execute(sql: "VACUUM INTO ?", arguments: [part])
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: part)
      try synchronise(part)
      guard rename(part, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      try synchronise((path as NSString).deletingLastPathComponent)
    } catch {
      try? FileManager.default.removeItem(atPath: part)
      throw error
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
