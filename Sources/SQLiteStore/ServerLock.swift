import Foundation
import JobStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The exclusive right to serve a database: an exclusive `flock` on a file beside it.
///
/// The system releases it when the process ends for any reason. Children do not inherit it.
final class ServerLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock, or throws `StoreOpenError`.
  init(database path: String) throws {
    descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StoreOpenError.unusable(path: path, reason: String(cString: strerror(errno)))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw StoreOpenError.inUse(path: path)
    }
  }

  deinit {
    close(descriptor)
  }
}
