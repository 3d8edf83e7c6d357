import Foundation

/// Opens regular files whose paths come from a client or operator. A pipe or device at the path would block a thread
/// indefinitely.
public enum RegularFile {
  /// Why a file can't be read.
  public enum Problem: Error, Equatable, Sendable {
    /// The path does not exist.
    case missing
    /// It is a folder, a pipe, a socket or a device.
    case notRegular
    /// Its size in bytes exceeds the limit.
    case tooLarge(limit: Int)
    /// The system refused access with this `errno`.
    case refused(Int32)

    /// Returns the problem as a sentence; `missing` if the file does not exist.
    public func sentence(missing: String) -> String {
      switch self {
      case .missing: missing
      case .notRegular: "This is not a file; folders, pipes and devices are not read."
      case .tooLarge(let limit): "The file has more than \(limit) bytes."
      case .refused(let number): "The file can't be read: \(String(cString: strerror(number)))."
      }
    }
  }

  /// An open file. The owner must close the descriptor.
  public struct Opened: Sendable {
    /// The descriptor.
    public let descriptor: Int32
    /// The file's size in bytes.
    public let size: Int
  }

  /// Opens a file for reading without waiting for other programs.
  ///
  /// - Parameter followingLinks: Whether to follow a symbolic link in the last path component.
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

  /// Reads a file; returns fewer bytes than its size if it is truncated meanwhile. Blocks only for the disk.
  ///
  /// - Parameter limit: Maximum size in bytes.
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

  /// Whether a regular file exists at a path.
  ///
  /// - Parameter followingLinks: Whether a link to a regular file counts.
  public static func exists(at path: String, followingLinks: Bool = true) -> Bool {
    var status = stat()
    let isThere = followingLinks ? stat(path, &status) == 0 : lstat(path, &status) == 0
    return isThere && status.st_mode & S_IFMT == S_IFREG
  }
}
