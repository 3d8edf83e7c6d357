import Foundation
import Support

/// Identifies the state of a file: writing to a file, or replacing it, changes its mark.
struct FileMark: Codable, Hashable, Sendable {
  /// The file's inode number.
  var inode: UInt64
  /// The size in bytes.
  var size: Int64
  /// The time of the last write, in nanoseconds since 1970.
  var modified: Int64

  init(_ status: stat) {
    inode = UInt64(clamping: status.st_ino)
    size = Int64(clamping: status.st_size)
    let seconds = Int64(clamping: status.st_mtim.tv_sec)
    modified = seconds &* 1_000_000_000 &+ Int64(clamping: status.st_mtim.tv_nsec)
  }

  /// Creates the mark of the regular file with this name; nil for anything else, including links.
  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(status)
  }
}

/// The reason, as a sentence for the operator, why a photo is not finished yet. It will be tried again.
struct WatchProblem: Error, Equatable {
  /// What must change before a retry can succeed.
  enum Cause: Equatable {
    /// The file was written to, replaced or removed; the next poll of the folder decides.
    case moved
    /// Only this file can't be opened or read.
    case photo
    /// No photo can be processed: the disk is full, the server is unreachable, or a share is not mounted.
    case surroundings
  }

  var cause: Cause
  var sentence: String

  init(_ cause: Cause, _ sentence: String) { (self.cause, self.sentence) = (cause, sentence) }

  /// Returns the problem for a system error `number` at `path`.
  static func system(_ what: String, _ path: String, _ number: Int32 = errno) -> WatchProblem {
    switch number {
    case ENOSPC, EDQUOT:
      WatchProblem(.surroundings, "The disk of \(path) is full, so \(what). Free some space; retrying.")
    case EIO, ENOTCONN, ESTALE, EHOSTDOWN, ETIMEDOUT, ENODEV, ENXIO:
      WatchProblem(
        .surroundings,
        "\(path) does not answer (\(said(number))), so \(what). Check that the share is mounted; retrying.")
    case EACCES, EPERM, EROFS:
      WatchProblem(
        .photo, "\(path) can't be used (\(said(number))), so \(what). Check its owner and permissions.")
    default: WatchProblem(.photo, "\(path): \(said(number)), so \(what).")
    }
  }

  /// Returns the problem of a file whose name is not UTF-8.
  static func misnamed(_ path: String) -> WatchProblem {
    WatchProblem(.photo, "\(path) is not read, because its name is not UTF-8. Rename it.")
  }

  private static func said(_ number: Int32) -> String { String(cString: strerror(number)) }
}

/// A complete file with its bytes.
struct WatchedFile: Sendable {
  /// `F_SETLEASE` of fcntl.h, which Swift does not import.
  private static let setLease: CInt = 1024

  var name: String
  var path: String
  var mark: FileMark
  /// The bytes; nil if the file exceeds the limit.
  var bytes: [UInt8]?
  /// The SHA-256 of the bytes in lower-case hexadecimal. Files with the same bytes are the same photo, whatever their
  /// names.
  var digest: String?

  /// Reads a file. Checks that it is still the file that was seen, that no process on this machine has it open for
  /// writing, and that it did not change meanwhile. Blocks.
  ///
  /// - Parameter limit: The size in bytes above which a file is not read.
  init(name: String, in folder: String, as seen: FileMark, limit: Int) throws(WatchProblem) {
    (self.name, path, mark) = (name, folder + "/" + name, seen)
    let file: RegularFile.Opened
    do {
      file = try RegularFile.open(path, followingLinks: false)
    } catch {
      switch error {
      case .missing, .notRegular, .tooLarge: throw WatchProblem(.moved, "\(path) is gone.")
      case .refused(let number): throw .system("this photo is not read", path, number)
      }
    }
    defer { close(file.descriptor) }
    // A lease is refused if a process has the file open for writing; refusals for other reasons (another owner, a
    // share) are ignored.
    if fcntl(file.descriptor, Self.setLease, F_RDLCK) == 0 {
      _ = fcntl(file.descriptor, Self.setLease, F_UNLCK)
    } else if errno == EAGAIN {
      throw WatchProblem(.moved, "\(path) is still being written.")
    }
    guard file.size <= limit else { return }
    let content = try Self.content(of: file, path)
    guard Self.mark(of: file.descriptor) == seen, content.count == file.size else {
      throw WatchProblem(.moved, "\(path) is still being written.")
    }
    (bytes, digest) = (content, SHA256.hexadecimal(content))
  }

  private static func content(of file: RegularFile.Opened, _ path: String) throws(WatchProblem) -> [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(file.size)
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while content.count <= file.size {
      let got = read(file.descriptor, &piece, piece.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .system("this photo is not read", path) }
      if got == 0 { break }
      content += piece.prefix(got)
    }
    return content
  }

  private static func mark(of descriptor: CInt) -> FileMark? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? FileMark(status) : nil
  }
}
