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

/// Room on the disk that is kept for deleting. SQLite writes to delete a row, and a full disk takes nothing.
struct ReservedRoom: Sendable {
  /// Bytes: what a batch of retention writes, twice.
  static let most: Int64 = 8 << 20
  /// The part of the free space that is kept at most.
  private static let share: Int64 = 8

  private let path: String

  /// Names the file that keeps the room, beside the database.
  init(database path: String) { self.path = path + ".room" }

  /// Keeps as much as the disk has, up to `most`. A full disk gives nothing, which is no failure. Blocks.
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
    // What could be had only in part is given back: a file that looks larger than its room would deceive.
    if posix_fallocate(descriptor, 0, off_t(clamping: wanted)) != 0 { ftruncate(descriptor, off_t(clamping: kept)) }
  }

  /// Gives the room to the disk. Blocks.
  func release() { truncate(path, 0) }
}

extension SQLiteJobStore {
  private static let mostTriesToFree = 5
  private static let pauseToFree = Duration.milliseconds(50)

  /// Runs a write that deletes: on a full disk, in the room that is kept for it.
  func freeing<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do {
      return try await write(body)
    } catch StoreError.diskFull {
      guard options.isServer else { throw StoreError.diskFull }
      // A task of its own: like every write, it is seen through.
      return try await Task { try await writeInRoom(body) }.value
    }
  }

  /// The same for a write that deletes what has files: where the room is not enough, or there is none yet, the files that
  /// `names` reads go before their rows.
  func freeing<Value: Sendable>(
    _ names: @escaping @Sendable (Database) throws -> [BlobName],
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await freeing(body)
    } catch StoreError.diskFull {
      guard options.isServer else { throw StoreError.diskFull }
      for name in try await read(names) { try? await files.delete(name) }
      return try await Task { try await alone(body) }.value
    }
  }

  /// Others may take the room while it is free, so that it takes several tries.
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
