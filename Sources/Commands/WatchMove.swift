import Foundation
import Support

/// Moves photos that were read into a folder. Never overwrites a file, and a kill at any moment leaves the photo under
/// at least one of its names; repeating the move completes it.
///
/// The folder must differ from the watched one: there a photo would be mistaken for its own copy.
struct WatchMove: Sendable {
  /// The number of names tried before a move fails.
  private static let mostNames = 10_000
  /// The maximum length of a name in bytes (NAME_MAX).
  private static let longestName = 255

  /// The watched folder.
  let watched: WatchedFolder
  /// The folder for photos that were read.
  let folder: String
  /// Distinguishes this watch's unfinished copies from those of others.
  let token: String
  /// The permission bits removed from folders that are created.
  let mask: mode_t

  /// The folder for files that are not readable pictures.
  var unreadable: String { folder + "/unreadable" }

  /// Creates the folder and removes copies left by a kill. Blocks.
  func prepare() throws(WatchProblem) {
    do {
      if !FileManager.default.fileExists(atPath: folder) {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        chmod(folder, 0o777 & ~mask)
      }
    } catch {
      throw WatchProblem(.surroundings, "The folder \(folder) can't be created: \(FileRefusal.reason(of: error)).")
    }
    for place in [folder, unreadable] { unlink(place + "/" + copyName) }
    // This also detects one folder of a share that is mounted twice.
    let probe = folder + "/" + copyName
    let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(folder) }
    close(descriptor)
    defer { unlink(probe) }
    try requireAnother(folder)
  }

  /// Rejects the watched folder itself as the destination.
  private func requireAnother(_ place: String) throws(WatchProblem) {
    let identity = WatchedFolder(path: place).identity
    guard identity == nil || identity != watched.identity, FileMark(path: watched.path + "/" + copyName) == nil
    else {
      throw WatchProblem(
        .surroundings,
        "\(place) is the watched folder itself. Give another one with --done, such as \(watched.path)/done.")
    }
  }

  private var copyName: String { ".serialscan-\(token).part" }

  /// Moves a file if it is still in the state that `file` describes. Blocks.
  ///
  /// Does not create the folder: it may be on a share that is not currently mounted.
  func move(_ file: WatchedFile, isUnreadable: Bool) throws(WatchProblem) {
    let place = isUnreadable ? unreadable : folder
    if isUnreadable, mkdir(place, 0o777) == 0 {
      chmod(place, 0o777 & ~mask)
    } else if isUnreadable, errno != EEXIST {
      throw failure(place)
    }
    try requireAnother(place)
    guard FileMark(path: file.path) == file.mark else { throw WatchProblem(.moved, "\(file.path) was replaced.") }
    if try publish(file.path, of: file, in: place, isCopy: false) {
      try finish(file, in: place)
      return
    }
    let copy = try copied(file, to: place)
    defer { unlink(copy) }
    _ = try publish(copy, of: file, in: place, isCopy: true)
    unlink(copy)
    try finish(file, in: place)
  }

  /// Links a file into the folder under a new name; false if the folder is on another file system.
  private func publish(
    _ path: String, of file: WatchedFile, in place: String, isCopy: Bool
  ) throws(WatchProblem) -> Bool {
    for number in 0..<Self.mostNames {
      let target = place + "/" + Self.name(file.name, number: number)
      if link(path, target) == 0 {
        // The name may now belong to a file that replaced the one that was read.
        if !isCopy, FileMark(path: target) != file.mark {
          unlink(target)
          throw WatchProblem(.moved, "\(path) was replaced.")
        }
        return true
      }
      switch errno {
      case EEXIST: if isSame(target, file) { return true }
      case EXDEV: return false
      case EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EACCES:
        // The file system has no hard links, or another user owns the file (fs.protected_hardlinks).
        if try rename(path, to: target, file, isCopy: isCopy) { return true }
      default: throw failure(place)
      }
    }
    throw WatchProblem(.photo, "\(place) has \(Self.mostNames) files named \(file.name). Move them away.")
  }

  /// Moves the file by a rename over a name that it reserves first; false if the name is taken.
  private func rename(
    _ path: String, to target: String, _ file: WatchedFile, isCopy: Bool
  ) throws(WatchProblem) -> Bool {
    let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return isSame(target, file) }
      throw failure(target)
    }
    close(descriptor)
    guard Glibc.rename(path, target) == 0 else {
      let problem = failure(target)
      unlink(target)
      throw problem
    }
    if !isCopy, FileMark(path: target).map({ ($0.size, $0.modified) != (file.mark.size, file.mark.modified) }) ?? true {
      if FileMark(path: path) == nil { _ = Glibc.rename(target, path) }
      throw WatchProblem(.moved, "\(path) was replaced.")
    }
    return true
  }

  /// Makes the new name durable, then removes the old one.
  private func finish(_ file: WatchedFile, in place: String) throws(WatchProblem) {
    try WatchJournal.sync(folder: place)
    WatchPoint.watchNamed.reached()
    // Another photo may have arrived under the same name.
    if FileMark(path: file.path) == file.mark, unlink(file.path) != 0 { throw failure(file.path) }
    WatchPoint.watchMoved.reached()
  }

  /// Copies a file durably to the folder's file system.
  private func copied(_ file: WatchedFile, to place: String) throws(WatchProblem) -> String {
    let copy = place + "/" + copyName
    let source = open(file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard source >= 0 else { throw WatchProblem(.moved, "\(file.path) is gone.") }
    defer { close(source) }
    unlink(copy)
    let target = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw failure(place) }
    defer { close(target) }
    do throws(WatchProblem) {
      try requireAnother(place)
      try Self.copy(source, to: target, place)
      var status = stat()
      guard fstat(source, &status) == 0, FileMark(status) == file.mark else {
        throw WatchProblem(.moved, "\(file.path) was replaced.")
      }
      _ = fchmod(target, status.st_mode & 0o777)
      let times = [status.st_atim, status.st_mtim]
      _ = futimens(target, times)
      guard fsync(target) == 0 else { throw failure(place) }
    } catch {
      unlink(copy)
      throw error
    }
    return copy
  }

  private static func copy(_ source: CInt, to target: CInt, _ place: String) throws(WatchProblem) {
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(source, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system("a photo that was read can't be moved there", place) }
      if count == 0 { return }
      var written = 0
      while written < count {
        let more = piece.withUnsafeBytes { write(target, $0.baseAddress?.advanced(by: written), count - written) }
        if more < 0, errno == EINTR { continue }
        guard more > 0 else { throw .system("a photo that was read can't be moved there", place) }
        written += more
      }
      WatchPoint.watchCopying.reached()
    }
  }

  /// Whether a file is the moved one already: a hard link to it, or a file with the same bytes.
  private func isSame(_ target: String, _ file: WatchedFile) -> Bool {
    guard let mark = FileMark(path: target), mark.size == file.mark.size else { return false }
    var (one, other) = (stat(), stat())
    if lstat(target, &one) == 0, lstat(file.path, &other) == 0, one.st_dev == other.st_dev, one.st_ino == other.st_ino {
      return one.st_nlink > 1
    }
    guard let digest = file.digest, let limit = Int(exactly: mark.size),
      let found = try? WatchedFile(
        name: URL(fileURLWithPath: target).lastPathComponent,
        in: URL(fileURLWithPath: target).deletingLastPathComponent().path, as: mark, limit: limit)
    else { return false }
    return found.digest == digest
  }

  private func failure(_ place: String) -> WatchProblem {
    let number = errno
    guard number != ENOENT else {
      return WatchProblem(
        .surroundings,
        "\(place) is gone, so photos that were read stay where they are. Create or mount it; retrying.")
    }
    let problem = WatchProblem.system("photos that were read stay where they are", place, number)
    return WatchProblem(.surroundings, problem.sentence)
  }

  /// Returns `IMG_1.jpg`, then `IMG_1-2.jpg` and so on, each within the maximum length of a name.
  static func name(_ name: String, number: Int) -> String {
    guard number > 0 else { return name }
    let ending = (name as NSString).pathExtension
    let tail = "-\(number + 1)" + (ending.isEmpty ? "" : ".\(ending)")
    var stem = (name as NSString).deletingPathExtension
    while stem.utf8.count + tail.utf8.count > longestName, stem.popLast() != nil {}
    return stem + tail
  }
}
