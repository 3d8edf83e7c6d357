import Foundation
import Glibc
import JobStore
import Support

/// A file open for reading, closed with its last reference. It stays readable if it is deleted meanwhile.
public final class OpenFile: OpenBlob {
  /// See `OpenBlob`.
  public let size: Int
  private let descriptor: CInt

  /// Opens a regular file; nil if it does not exist. Blocks. Throws `StoreError.unreadable` or `.unavailable`.
  init?(path: String) throws {
    do throws(RegularFile.Problem) {
      let file = try RegularFile.open(path, followingLinks: false)
      (descriptor, size) = (file.descriptor, file.size)
    } catch {
      guard case .refused(let number) = error else { return nil }
      errno = number
      throw FileFailure.reading(path)
    }
  }

  /// Opens a local regular file; nil if it does not exist. Throws `StoreError.unreadable` or `.unavailable`.
  public static func open(path: String) async throws -> OpenFile? {
    try await FileThreads.run { try OpenFile(path: path) }
  }

  deinit { close(descriptor) }

  /// See `OpenBlob`.
  public func read(at offset: Int, count: Int) async throws -> [UInt8] {
    let wanted = max(0, min(count, size - offset))
    guard offset >= 0, wanted > 0 else { return [] }
    return try await FileThreads.run { [self] in
      var failure: StoreError?
      let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
        while count < wanted {
          let place = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
          let got = pread(descriptor, place.baseAddress, wanted - count, off_t(clamping: offset + count))
          if got < 0, errno == EINTR { continue }
          guard got > 0 else {
            failure = got < 0 ? FileFailure.reading("a stored file") : .unreadable("a stored file has become shorter")
            return
          }
          count += got
        }
      }
      if let failure { throw failure }
      return bytes
    }
  }
}
