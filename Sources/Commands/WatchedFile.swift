import Foundation
import Support

/// What tells one state of a file from the next: a file that is written to, or replaced, has another mark.
struct FileMark: Codable, Hashable, Sendable {
  /// The file's number in its file system.
  var inode: UInt64
  /// Bytes.
  var size: Int64
  /// When it was last written, in nanoseconds since 1970.
  var modified: Int64

  init(_ status: stat) {
    inode = UInt64(clamping: status.st_ino)
    size = Int64(clamping: status.st_size)
    let seconds = Int64(clamping: status.st_mtim.tv_sec)
    modified = seconds &* 1_000_000_000 &+ Int64(clamping: status.st_mtim.tv_nsec)
  }

  /// The mark of the regular file with this name; nil for anything else, links too.
  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(status)
  }
}

/// Why a photo is not done with yet, in a sentence for the operator. Everything of this kind is tried again.
struct WatchProblem: Error, Equatable {
  /// What has to change before another attempt helps.
  enum Cause: Equatable {
    /// The file was written to, replaced or taken away: the next look at the folder says more.
    case moved
    /// This file alone can't be had or read.
    case photo
    /// Nothing can be done for any photo: a full disk, a server that is away, a share that is not mounted.
    case surroundings
  }

  var cause: Cause
  var sentence: String

  init(_ cause: Cause, _ sentence: String) { (self.cause, self.sentence) = (cause, sentence) }

  /// What the system's `number` means for `path`.
  static func system(_ what: String, _ path: String, _ number: Int32 = errno) -> WatchProblem {
    switch number {
    case ENOSPC, EDQUOT:
      WatchProblem(.surroundings, "The disk of \(path) is full, so \(what). Make room; it is tried again.")
    case EIO, ENOTCONN, ESTALE, EHOSTDOWN, ETIMEDOUT, ENODEV, ENXIO:
      WatchProblem(
        .surroundings,
        "\(path) does not answer (\(said(number))), so \(what). Check that the share is mounted; it is tried again.")
    case EACCES, EPERM, EROFS:
      WatchProblem(
        .photo, "\(path) refuses it (\(said(number))), so \(what). Check who owns it and its permissions.")
    default: WatchProblem(.photo, "\(path): \(said(number)), so \(what).")
    }
  }

  private static func said(_ number: Int32) -> String { String(cString: strerror(number)) }
}

/// A file that is whole, with its bytes.
struct WatchedFile: Sendable {
  /// `F_SETLEASE` of fcntl.h, which Swift does not import.
  private static let setLease: CInt = 1024

  var name: String
  var path: String
  var mark: FileMark
  /// Nil where there are more than the limit.
  var bytes: [UInt8]?
  /// SHA-256 of the bytes in lower-case hexadecimal; the same bytes are the same photo, whatever their name.
  var digest: String?

  /// Reads a file, and makes sure that it is still the one that was seen, that nobody on this machine has it open to write,
  /// and that it did not change meanwhile. Blocks.
  ///
  /// - Parameter limit: Files with more bytes are not read.
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
    // A lease is refused where somebody has the file open to write; other reasons (another owner, a share) say nothing.
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
