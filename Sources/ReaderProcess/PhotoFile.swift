import Dispatch
import Foundation
import ReaderProtocol

/// A photo in the file system.
public struct PhotoFile: Sendable {
  private let path: String

  /// Names a file.
  public init(path: String) { self.path = path }

  /// Its bytes, read on a thread that may block.
  ///
  /// - Parameter limit: The most bytes it may have.
  /// - Throws: `ReadFailure` as `bytes(limit:)` does.
  public func bytes(limit: Int) async throws(ReadFailure) -> [UInt8] {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Result { () throws(ReadFailure) in try read(limit: limit) })
      }
    }
    return try result.get()
  }

  /// Its bytes. Blocks until they are read.
  ///
  /// - Parameter limit: The most bytes it may have.
  /// - Throws: `ReadFailure.photoMissing` where there is no such file or it is none, `.tooManyPixels` where it is larger.
  public func read(limit: Int) throws(ReadFailure) -> [UInt8] {
    // Not blocking: a pipe that nobody writes to would hold the thread for ever. Files are read as ever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.missing }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let size = Int(exactly: status.st_size)
    else { throw Self.missing }
    guard size <= limit else {
      throw ReadFailure(
        .tooManyPixels, "The photo has \(size) bytes, more than the limit of \(limit). Send a smaller one.")
    }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      // A file that was cut off meanwhile is shorter than it said.
      while count < size {
        let got = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), size - count)
        if got > 0 {
          count += got
        } else if got == 0 || errno != EINTR {
          break
        }
      }
    }
  }

  /// There is no such photo.
  public static let missing = ReadFailure(
    .photoMissing, "The photo is no longer where it was stored. Send it again.")
}
