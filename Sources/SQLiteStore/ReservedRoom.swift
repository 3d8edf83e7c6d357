import Foundation
import GRDB
import JobStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Disk space reserved for deletions. SQLite writes to delete a row, which fails on a full disk.
struct ReservedRoom: Sendable {
  /// Maximum number of bytes: twice what a batch of retention writes.
  static let most: Int64 = 8 << 20
  /// The free space is divided by this: at most an eighth of it is reserved.
  private static let share: Int64 = 8

  private let path: String

  /// Creates a reservation in a file beside the database.
  init(database path: String) { self.path = path + ".room" }

  /// Reserves up to `most` bytes, as far as the disk has space. Reserving nothing on a full disk is not an error.
  /// Blocks.
  func keep() {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var (status, disk) = (stat(), statvfs())
    guard fstat(descriptor, &status) == 0, fstatvfs(descriptor, &disk) == 0 else { return }
    let free = Int64(clamping: disk.f_bavail).multipliedReportingOverflow(by: Int64(clamping: disk.f_frsize))
    let kept = Int64(clamping: status.st_size)
    let wanted = min(Self.most, (free.overflow ? .max : free.partialValue) / Self.share)
    guard wanted > kept else { return }
    // Release a partial reservation, because the file's size would be larger than the space it holds.
    if posix_fallocate(descriptor, 0, off_t(clamping: wanted)) != 0 { ftruncate(descriptor, off_t(clamping: kept)) }
  }

  /// Releases the reserved space. Blocks.
  func release() { truncate(path, 0) }
}

extension SQLiteJobStore {
  private static let mostTriesToFree = 5
  private static let pauseToFree = Duration.milliseconds(50)

  /// Runs a write that deletes; on a full disk, releases the reserved space for it.
  package func changingOnFullDisk<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await changing(body)
    } catch StoreError.diskFull {
      guard options.isServer else { throw StoreError.diskFull }
      // An unstructured task, because a write that has started must be completed.
      return try await Task { try await writeInRoom(body) }.value
    }
  }

  /// Runs a write that deletes rows with files.
  ///
  /// If the reserved space is missing or insufficient, deletes the files that `names` returns before their rows.
  func changingOnFullDisk<Value: Sendable>(
    _ names: @escaping @Sendable (Database) throws -> [BlobName],
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await changingOnFullDisk(body)
    } catch StoreError.diskFull {
      guard options.isServer else { throw StoreError.diskFull }
      for name in try await reading(names) { try? await files.delete(name) }
      return try await Task { try await alone(body) }.value
    }
  }

  /// Retries several times, because other programs may take the released space.
  private func writeInRoom<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    defer { room.keep() }
    for _ in 1..<Self.mostTriesToFree {
      room.release()
      do {
        return try await alone(body)
      } catch StoreError.diskFull {
        try await Task.sleep(for: Self.pauseToFree)
      }
    }
    room.release()
    return try await alone(body)
  }
}
