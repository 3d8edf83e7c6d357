import Foundation

/// Opens files that a client or an operator names: a pipe or a device in their place would hold a thread for ever.
public enum RegularFile {
  /// Why a file is not read.
  public enum Problem: Error, Equatable, Sendable {
    /// Nothing has this name.
    case missing
    /// It is a folder, a pipe, a socket or a device.
    case notRegular
    /// It has more bytes than allowed.
    case tooLarge(limit: Int)
    /// The system refuses it, with this `errno`.
    case refused(Int32)
  }

  /// An open file; its owner closes the descriptor.
  public struct Opened: Sendable {
    /// The descriptor.
    public let descriptor: Int32
    /// Bytes of the file.
    public let size: Int
  }

  /// Opens a file for reading without waiting for another program.
  ///
  /// - Parameter followingLinks: Whether a symbolic link in the last part of the path is followed.
  public static func open(_ path: String, followingLinks: Bool = true) throws(Problem) -> Opened {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followingLinks ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR: throw .missing
      // A socket, or a device without a driver.
      case ENXIO, ENODEV: throw .notRegular
      case let number: throw .refused(number)
      }
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notRegular
    }
    return Opened(descriptor: descriptor, size: Int(clamping: status.st_size))
  }

  /// The bytes of a file; fewer than it had, where it is cut off meanwhile. Blocks for the disk alone.
  ///
  /// - Parameter limit: The most bytes it may have.
  public static func bytes(of path: String, limit: Int) throws(Problem) -> [UInt8] {
    let file = try open(path)
    defer { close(file.descriptor) }
    guard file.size <= limit else { throw .tooLarge(limit: limit) }
    return [UInt8](unsafeUninitializedCapacity: file.size) { buffer, count in
      while count < file.size {
        let got = read(file.descriptor, buffer.baseAddress?.advanced(by: count), file.size - count)
        if got > 0 {
          count += got
        } else if got == 0 || errno != EINTR {
          break
        }
      }
    }
  }

  /// Whether a regular file has this name.
  ///
  /// - Parameter followingLinks: Whether a link to one counts as well.
  public static func exists(at path: String, followingLinks: Bool = true) -> Bool {
    var status = stat()
    let isThere = followingLinks ? stat(path, &status) == 0 : lstat(path, &status) == 0
    return isThere && status.st_mode & S_IFMT == S_IFREG
  }
}
